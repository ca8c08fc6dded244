// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The configuration file of SCALE-Sim v2: sections of `key = value` lines. What is read:
//   [general] run_name             [run_presets] InterfaceBandwidth (CALC or USER)
//   [architecture_presets] ArrayHeight, ArrayWidth, IfmapSramSzkB, FilterSramSzkB, OfmapSramSzkB,
//                          Dataflow (os, ws, is), Bandwidth (words per cycle of each operand)
// Keys and sections may be written in any case. What is known to change no count is left alone, a
// switch of what is not modelled is an error or, where it only adds time, a warning, and every
// other key that nobody reads a warning.
#ifndef PERFC_TOOLS_DRIVER_IMPORT_SCALESIMCONFIG_H
#define PERFC_TOOLS_DRIVER_IMPORT_SCALESIMCONFIG_H

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/Optional.h"

namespace perfc::driver {

struct ScaleSimConfig {
  std::string name;
  int64_t rows = 1, columns = 1;
  int64_t inputKib = 1, weightKib = 1, outputKib = 1;
  /// "output", "weight" or "input".
  std::string stationary;
  /// Words per cycle between DRAM and each buffer; nothing in CALC mode.
  llvm::Optional<int64_t> bandwidth;
};

/// Nothing when a key is missing or has a value that it cannot have (reported at its place).
llvm::Optional<ScaleSimConfig> readScaleSimConfig(const SourceManager &sources, FileId file,
                                                  DiagnosticEngine &diagnostics);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_IMPORT_SCALESIMCONFIG_H
