// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a model of ONNX: read and written as a program, which parses.
#include "frontend/import/onnx/OnnxText.h"
#include "frontend/syntax/Parser.h"
#include <cstdlib>

using namespace perfc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  onnx::Model model;
  WireError error;
  if (!onnx::readModel({reinterpret_cast<const char *>(data), size}, model, error))
    return 0;
  FileId file = sources.addBinary("fuzz.onnx");
  auto program = onnx::programOf(model, "fuzz", file, {}, diagnostics);
  if (!program)
    return 0;
  parseFile(sources, sources.add("program", program->text), diagnostics);
  if (diagnostics.hasErrors())
    std::abort();
  return 0;
}
