// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes are a Timeloop input or give diagnostics within the text; what is read is evaluated, or
// refused with a diagnostic.
#include "backends/loopnest/timeloop/Result.h"
#include "frontend/import/timeloop/ReadInput.h"
#include <cstdlib>

using namespace perfc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  FileId file = sources.add("fuzz.yaml", std::string(reinterpret_cast<const char *>(data), size));
  DiagnosticEngine diagnostics(sources);
  llvm::Optional<timeloop::Input> input = timeloop::readInput(file, diagnostics);
  bool evaluated = input && timeloop::evaluate(*input, diagnostics);
  if (evaluated == diagnostics.hasErrors())
    std::abort();
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.range.begin > diagnostic.range.end || diagnostic.range.end > size)
      std::abort();
  return 0;
}
