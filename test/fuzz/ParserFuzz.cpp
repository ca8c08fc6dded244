// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes parse to a tree or to at most 21 diagnostics that lie within the text.
#include "frontend/syntax/Parser.h"
#include <cstdlib>

using namespace perfc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  FileId file = sources.add("fuzz.perf", std::string(reinterpret_cast<const char *>(data), size));
  DiagnosticEngine diagnostics(sources);
  std::unique_ptr<ast::SyntaxFile> tree = parseFile(sources, file, diagnostics);
  if (!tree || !tree->body || diagnostics.all().size() > 21)
    std::abort();
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.range.begin > diagnostic.range.end || diagnostic.range.end > size)
      std::abort();
  return 0;
}
