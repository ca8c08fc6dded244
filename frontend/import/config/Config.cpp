// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/config/Config.h"

#include "ir/common/JsonText.h"
#include "ir/common/diagnostics/Models.h"
#include "llvm/ADT/StringSwitch.h"

using namespace perfc;
using namespace perfc::config;

SourceRange Config::place(KeyPath path) const {
  auto found = text.empty() ? llvm::None : placeOfKey(text, path);
  return found ? SourceRange{file, found->first, found->second} : SourceRange{file, 0, 0};
}

/// `text` with zeros for what Python writes for numbers that are none; all places stay.
static std::string withoutInfinity(llvm::StringRef text) {
  std::string plain = text.str();
  bool inString = false;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"')
      inString = !inString;
    else if (inString)
      at += text[at] == '\\' ? 1 : 0;
    else
      for (llvm::StringRef word : {"-Infinity", "Infinity", "NaN"})
        if (text.substr(at).startswith(word)) {
          plain.replace(at, word.size(), "0" + std::string(word.size() - 1, ' '));
          at += word.size() - 1;
          break;
        }
  }
  return plain;
}

llvm::Optional<Config> config::readConfig(FileId file, const SourceManager &sources,
                                          DiagnosticEngine &diagnostics) {
  Config config;
  config.file = file;
  config.text = sources.text(file);
  JsonProblem problem;
  auto document = parseJson(withoutInfinity(config.text), problem);
  llvm::json::Object *object = document ? document->getAsObject() : nullptr;
  if (document && !object)
    problem.reason = "it is no object";
  if (!object) {
    diagnostics.report({file, problem.byte, problem.byte}, diag::ConfigBroken, problem.reason);
    return llvm::None;
  }
  config.keys = std::move(*object);
  return config;
}

llvm::StringRef config::formatOf(llvm::StringRef name) {
  name.consume_front("torch.");
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases("bfloat16", "BF16", "bf16", "bf16")
      .Cases("float16", "half", "F16", "f16", "fp16")
      .Cases("float32", "float", "F32", "f32", "fp32")
      .Cases("float64", "double", "F64", "f64", "fp64")
      .Default("");
}

llvm::StringRef config::formatOf(const llvm::json::Object &keys) {
  for (llvm::StringRef key : {"torch_dtype", "dtype"})
    for (const llvm::json::Object *part : {&keys, keys.getObject("text_config")})
      if (llvm::StringRef name = part ? part->getString(key).getValueOr("") : "";
          !formatOf(name).empty())
        return formatOf(name);
  return "";
}
