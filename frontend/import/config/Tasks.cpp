// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/config/Tasks.h"

#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::config;

static llvm::StringRef taskOf(llvm::StringRef name) {
  // The task begins with a capital: there is none in `RoFormerModel`.
  auto isCapital = [](char c) { return llvm::isAlpha(c) && c == llvm::toUpper(c); };
  llvm::StringRef sign = "For", rest = name;
  for (size_t at = rest.rfind(sign); at != llvm::StringRef::npos; at = rest.rfind(sign)) {
    llvm::StringRef task = name.substr(at + sign.size());
    if (!task.empty() && isCapital(task[0]))
      return task;
    rest = name.take_front(at);
  }
  if (name.endswith("LMHeadModel") || name.endswith("CausalLM"))
    return "CausalLM";
  for (llvm::StringRef end : {"EncoderModel", "DoubleHeadsModel", "BaseModel"})
    if (name.endswith(end))
      return end;
  return name.endswith("MTModel") ? "ConditionalGeneration" : "Model";
}

llvm::StringRef config::taskOf(const llvm::json::Object &object) {
  const llvm::json::Array *classes = object.getArray("architectures");
  auto first = classes && !classes->empty() ? classes->front().getAsString() : llvm::None;
  return first ? ::taskOf(*first) : "";
}
