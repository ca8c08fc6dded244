// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes read as a mapping file give layers or diagnostics that lie within the text; layers can
// be evaluated, in MAESTRO's way and by the nest of their outermost level, and written as programs.
#include "backends/loopnest/maestro/Model.h"
#include "backends/loopnest/maestro/OuterCounts.h"
#include "frontend/import/maestro/HardwareFile.h"
#include "frontend/import/maestro/PerfText.h"
#include <cstdlib>

using namespace perfc;

static void evaluateLayers(const maestro::MappingFile &file, DiagnosticEngine &diagnostics) {
  dataflow::Hardware hardware;
  for (const dataflow::Layer &layer : file.layers) {
    maestro::evaluate(layer, hardware, diagnostics);
    auto levels = maestro::translate(layer, hardware.pes, diagnostics);
    std::string reason;
    if (levels)
      maestro::outerNest(layer, levels->front(), reason);
  }
  maestro::writePerf(file, hardware, {}, diagnostics);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  FileId id = sources.add("fuzz.m", std::string(reinterpret_cast<const char *>(data), size));
  DiagnosticEngine diagnostics(sources);
  llvm::Optional<maestro::MappingFile> file = maestro::readMappingFile(id, diagnostics);
  if (!file && !diagnostics.hasErrors())
    std::abort();
  maestro::readHardwareFile(id, diagnostics);
  if (file)
    evaluateLayers(*file, diagnostics);
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.range.begin > diagnostic.range.end || diagnostic.range.end > size)
      std::abort();
  return 0;
}
