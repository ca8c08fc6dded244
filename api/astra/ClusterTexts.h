// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster from the texts of ASTRA-sim's inputs, wherever they come from.
#ifndef PERFC_API_ASTRA_CLUSTERTEXTS_H
#define PERFC_API_ASTRA_CLUSTERTEXTS_H

#include "backends/network/astra/Simulation.h"
#include "ir/common/Diagnostics.h"
#include "llvm/ADT/Optional.h"
#include "llvm/Support/JSON.h"

namespace perfc::api {

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

/// The document of a YAML text with scalars as numbers or texts; nothing when it is none
/// (reported).
llvm::Optional<llvm::json::Value> parseYaml(DiagnosticEngine &diagnostics, FileId file);

/// Where a node stands, or what runs for one that is not known.
using NodePlaces = llvm::function_ref<SourceRange(const llvm::Optional<astra::NodeName> &)>;
/// Reports what a simulation found, at `places` where the traces are a program's.
void reportFindings(DiagnosticEngine &diagnostics, llvm::ArrayRef<astra::Finding> findings,
                    NodePlaces places = nullptr);
/// The first finding that stands for an error, in words; "" when there is none.
std::string firstProblem(llvm::ArrayRef<astra::Finding> findings);

} // namespace perfc::api

#endif // PERFC_API_ASTRA_CLUSTERTEXTS_H
