// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives by event simulation: those with a schedule, and on systems that have no closed form
// (faults, uneven groups, topologies that block) the default pattern of each collective.
#ifndef PERFC_BACKENDS_NETWORK_SIMULATED_H
#define PERFC_BACKENDS_NETWORK_SIMULATED_H

#include "backends/core/CostProvider.h"
#include "backends/network/NetworkLevels.h"
#include "backends/network/PairSizes.h"

namespace perfc {
namespace network {

/// True when `system` has a fault, or levels on which the closed form of `kind` is only a bound.
bool needsSimulation(const ir::Operation &system, CollectiveKind kind,
                     const llvm::Optional<NetworkLevels> &levels, const PairSizes &pairs);

/// Adds the time of `kind` on `bytes` to `cost`: the fastest of the schedules that the operation
/// names, else the default pattern over `levels` (all ranks in one ring where there are none).
/// False after a report; nothing added and true, with `isTooLarge`, when there are too many
/// messages.
bool addSimulatedTime(const CostQuery &query, CollectiveKind kind,
                      const llvm::Optional<NetworkLevels> &levels, double bytes,
                      const PairSizes &pairs, Cost &cost, bool &isTooLarge,
                      DiagnosticEngine &diagnostics);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_SIMULATED_H
