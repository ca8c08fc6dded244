// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster from the texts of ASTRA-sim's inputs, wherever they come from.
#ifndef PERFC_TOOLS_DRIVER_ASTRA_CLUSTERTEXTS_H
#define PERFC_TOOLS_DRIVER_ASTRA_CLUSTERTEXTS_H

#include "backends/network/astra/Simulation.h"
#include "ir/common/Diagnostics.h"

namespace perfc::driver {

/// Texts that are loaded; 0 for those that are not given.
struct ClusterTexts {
  FileId network = 0, system = 0, groups = 0, memory = 0;
};

/// False when something is wrong (reported).
bool readClusterTexts(DiagnosticEngine &diagnostics, const ClusterTexts &texts,
                      astra::Cluster &cluster);

/// Reads the groups of `ranks` ranks alone.
bool readGroupText(DiagnosticEngine &diagnostics, FileId file, uint64_t ranks,
                   astra::Groups &groups);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_ASTRA_CLUSTERTEXTS_H
