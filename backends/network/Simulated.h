// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives by event simulation: those with a schedule, and on systems that have no closed form
// (faults, uneven groups, topologies that block) the default pattern of each collective. Groups
// smaller than the system all run it at the same time, and the last one counts.
#ifndef PERFC_BACKENDS_NETWORK_SIMULATED_H
#define PERFC_BACKENDS_NETWORK_SIMULATED_H

#include "backends/core/CostProvider.h"
#include "backends/network/Messages.h"
#include "backends/network/PairSizes.h"

namespace perfc {
namespace network {

/// True when the system of `query` has a fault, when the closed form of `kind` over `levels`, those
/// of the collective's group, is only a bound, or when chunks share a level.
bool needsSimulation(const CostQuery &query, CollectiveKind kind,
                     const llvm::Optional<NetworkLevels> &levels, const PairSizes &pairs);

/// The dimensions of the group of ranks that a collective operation is of.
std::vector<GroupDim> groupDims(const ir::Operation &op);

/// The groups of ranks with these dimensions, as many as there are in each part of `enclosing` of
/// `all` ranks: the first rank of each.
std::vector<uint32_t> groupsOf(llvm::ArrayRef<GroupDim> dims, uint32_t enclosing, uint32_t all);

/// `messages` among the ranks of one group, for all of `groups` at the same time.
Messages inAllGroups(const Messages &messages, llvm::ArrayRef<uint32_t> groups,
                     llvm::ArrayRef<GroupDim> dims);

/// Adds the time of `kind` on `bytes` to `cost`: the fastest of the schedules that the operation
/// names, whose name is then in `fastest`, else the default pattern over `levels` (all ranks in one
/// ring where there are none). False after a report; nothing added, no `fastest` and true when
/// there are too many messages.
bool addSimulatedTime(const CostQuery &query, CollectiveKind kind,
                      const llvm::Optional<NetworkLevels> &levels, double bytes,
                      const PairSizes &pairs, Cost &cost, llvm::Optional<std::string> &fastest,
                      DiagnosticEngine &diagnostics);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_SIMULATED_H
