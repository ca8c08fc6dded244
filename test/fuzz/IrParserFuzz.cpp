// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes parse to a module or to diagnostics within the text. What parses prints to a text that
// reads back to the same text, and the verifier says yes or no, whatever the operations hold.
#include "ir/core/Parser.h"
#include "ir/core/Printer.h"
#include "ir/core/Verifier.h"
#include "ir/study/AllOps.h"
#include <cstdlib>

using namespace perfc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  FileId file = sources.add("fuzz.ir", std::string(reinterpret_cast<const char *>(data), size));
  DiagnosticEngine diagnostics(sources);
  auto module = ir::parseModule(file, allOps(), diagnostics);
  if (!module && !diagnostics.hasErrors())
    std::abort();
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.range.begin > diagnostic.range.end || diagnostic.range.end > size)
      std::abort();
  if (!module)
    return 0;
  std::string text = ir::toString(*module);
  FileId printed = sources.add("printed.ir", text);
  auto again = ir::parseModule(printed, allOps(), diagnostics);
  if (!again || ir::toString(*again) != text)
    std::abort();
  DiagnosticEngine verdict(sources);
  if (ir::verify(*module, verdict) == verdict.hasErrors())
    std::abort();
  return 0;
}
