// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a model of a format of graphs: read and written as a program, which parses.
#ifndef PERFC_TEST_FUZZ_GRAPHS_H
#define PERFC_TEST_FUZZ_GRAPHS_H

#include "frontend/import/graph/GraphText.h"
#include "frontend/syntax/Parser.h"
#include <cstdlib>

namespace perfc {

inline int fuzzGraph(const graph::FileFormat &format, const uint8_t *data, size_t size) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  graph::Model model;
  model.format = format.name;
  WireError error;
  if (!format.read({reinterpret_cast<const char *>(data), size}, model, error))
    return 0;
  FileId file = sources.addBinary("fuzzed");
  auto program = graph::programOf(model, "fuzz", file, {}, diagnostics);
  if (!program)
    return 0;
  parseFile(sources, sources.add("program", program->text), diagnostics);
  if (diagnostics.hasErrors())
    std::abort();
  return 0;
}

} // namespace perfc

#endif // PERFC_TEST_FUZZ_GRAPHS_H
