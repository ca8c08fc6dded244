// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any text as the header of a file of safetensors.
#include "frontend/import/config/Headers.h"

using namespace perfc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  FileId file = sources.addBinary("fuzz.safetensors");
  config::StoredElements stored;
  std::string header(reinterpret_cast<const char *>(data), size);
  config::addSafetensorsHeader(header, file, stored, diagnostics);
  return 0;
}
