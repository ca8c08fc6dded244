// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of a cluster and of its traces.
#ifndef PERFC_TOOLS_DRIVER_ASTRA_CLUSTERFILES_H
#define PERFC_TOOLS_DRIVER_ASTRA_CLUSTERFILES_H

#include "backends/network/astra/Simulation.h"
#include "backends/network/chakra/TraceReader.h"
#include "tools/driver/Session.h"
#include "llvm/ADT/Optional.h"
#include "llvm/Support/JSON.h"

namespace perfc::driver {

/// The document of a YAML file with scalars as numbers or texts; nothing when it is none
/// (reported).
llvm::Optional<llvm::json::Value> readYamlFile(Session &session, llvm::StringRef path);

/// Files of a cluster by their options; "" for those that are not given.
struct ClusterFiles {
  std::string network, system, groups, memory;
};
bool readCluster(Session &session, const ClusterFiles &files, astra::Cluster &cluster);

/// Traces PREFIX.RANK.et. Files with the same bytes are read once; one trace when all are equal.
struct TraceFiles {
  std::vector<std::unique_ptr<chakra::Trace>> owned;
  std::vector<const chakra::Trace *> ranks;
};
bool readTraces(Session &session, llvm::StringRef prefix, uint64_t ranks, TraceFiles &traces);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_ASTRA_CLUSTERFILES_H
