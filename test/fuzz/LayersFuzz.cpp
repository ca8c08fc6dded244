// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any text as a list of layers in YAML: read and written as a program, which parses.
#include "frontend/import/layers/Layers.h"
#include "frontend/syntax/Parser.h"
#include <cstdlib>

using namespace perfc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  FileId file = sources.add("net.yaml", std::string(reinterpret_cast<const char *>(data), size));
  auto program = layers::readProgram(file, diagnostics);
  if (!program)
    return 0;
  size_t errors = diagnostics.errorCount();
  parseFile(sources, sources.add("program", program->text), diagnostics);
  if (diagnostics.errorCount() != errors)
    std::abort();
  return 0;
}
