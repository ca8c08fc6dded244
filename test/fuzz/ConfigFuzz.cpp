// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any text as the configuration of a model: read and written as a program, which parses.
#include "frontend/import/config/ConfigText.h"
#include "frontend/sema/LibraryTable.h"
#include "frontend/syntax/Parser.h"
#include <cstdlib>

using namespace perfc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  FileId file = sources.add("config.json", std::string(reinterpret_cast<const char *>(data), size));
  auto config = config::readConfig(file, sources, diagnostics);
  if (!config)
    return 0;
  Program library(sources, diagnostics);
  LibraryTable table(library);
  auto program = config::programOf(*config, "fuzz", {}, table, diagnostics);
  if (!program)
    return 0;
  size_t errors = diagnostics.errorCount();
  parseFile(sources, sources.add("program", program->text), diagnostics);
  if (diagnostics.errorCount() != errors)
    std::abort();
  return 0;
}
