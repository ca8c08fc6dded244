// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Emitted.h"

#include "api/OutputFile.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Network.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;

void api::writeEmitted(const emit::Emitter &emitter, const emit::Input &input, llvm::StringRef path,
                       SourceRange place) {
  writeEmitted(emitter, input, path, place, [&](const std::string &file, llvm::StringRef text) {
    return writeOutput(file, text, place, *input.diagnostics);
  });
}

void api::writeEmitted(const emit::Emitter &emitter, const emit::Input &input, llvm::StringRef path,
                       SourceRange place, emit::FileSink write) {
  DiagnosticEngine &diagnostics = *input.diagnostics;
  size_t errors = diagnostics.errorCount();
  auto nothing = [&] {
    if (diagnostics.errorCount() != errors)
      return;
    diagnostics.report(
        place, diag::CannotWrite, path,
        fmt::format("`{}` is {}, and there is none", emitter.name.str(), emitter.summary.str()));
  };
  if (!emitter.files && path.endswith("/")) {
    diagnostics.report(place, diag::CannotWrite, path,
                       fmt::format("`{}` is one file, not a folder", emitter.name.str()));
    return;
  }
  if (emitter.files && path.endswith("/")) {
    bool isEmpty = true;
    emitter.files(input, [&](const std::string &name, llvm::StringRef text) {
      isEmpty = false;
      return write((path + name).str(), text);
    });
    return isEmpty ? nothing() : void();
  }
  if (!emitter.write) {
    diagnostics.report(place, diag::CannotEmitTrace, emitter.name,
                       "it is several files: the path of a folder ends in `/`");
    return;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  emitter.write(input, stream);
  if (stream.str().empty())
    return nothing();
  if (diagnostics.errorCount() == errors)
    write(path.str(), text);
}

std::string api::knownFormats() {
  std::vector<std::string> names;
  for (const emit::Emitter &emitter : emit::emitters())
    names.push_back(emitter.name.str());
  return "it is one of " + llvm::join(names, ", ");
}
