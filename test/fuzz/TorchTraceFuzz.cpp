// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a trace of PyTorch: what is read is written as a program, which parses.
#include "frontend/import/trace/Trace.h"
#include "frontend/syntax/Parser.h"
#include <cstdlib>

using namespace perfc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  FileId file = sources.add("trace.json", std::string(reinterpret_cast<const char *>(data), size));
  auto recorded = trace::readTrace(file, sources, diagnostics);
  if (!recorded)
    return 0;
  auto written = trace::writeTrace(
      *recorded, file, {"times.csv", "h100_sxm", "std.hardware.h100", false}, diagnostics);
  size_t errors = diagnostics.errorCount();
  if (written)
    parseFile(sources, sources.add("program", written->program), diagnostics);
  if (diagnostics.errorCount() != errors)
    std::abort();
  return 0;
}
