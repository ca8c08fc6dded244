// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Emitted.h"

#include "ir/common/diagnostics/Network.h"
#include "tools/driver/OutputFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::driver;

void driver::writeEmitted(const emit::Emitter &emitter, const emit::Input &input,
                          llvm::StringRef path, SourceRange place) {
  DiagnosticEngine &diagnostics = *input.diagnostics;
  if (emitter.files && path.endswith("/")) {
    emitter.files(input, [&](const std::string &name, llvm::StringRef text) {
      return writeOutput((path + name).str(), text, place, diagnostics);
    });
    return;
  }
  if (!emitter.write) {
    diagnostics.report(place, diag::CannotEmitTrace, emitter.name,
                       "it is several files: the path of a folder ends in `/`");
    return;
  }
  size_t errors = diagnostics.errorCount();
  std::string text;
  llvm::raw_string_ostream stream(text);
  emitter.write(input, stream);
  if (diagnostics.errorCount() == errors)
    writeOutput(path, stream.str(), place, diagnostics);
}

std::string driver::knownFormats() {
  std::vector<std::string> names;
  for (const emit::Emitter &emitter : emit::emitters())
    names.push_back(emitter.name.str());
  return "it is one of " + llvm::join(names, ", ");
}
