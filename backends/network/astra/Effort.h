// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run by events will take, known before it begins, so that no input runs for hours or fills
// the memory. A rank communicates one node at a time, and all chunks of a collective exist from its
// start to its end:
//     memory   = sum over ranks of the most of   chunks * 400 B + messages under way * 100 B
//     messages = sum over nodes of   chunks * sends of the algorithm * links on the way of one
// The bytes are what a run was measured to take for each. On an aware ring the way of a message
// that does not go to a neighbour counts as the mean one, a quarter of the ring.
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_EFFORT_H
#define PERFC_BACKENDS_NETWORK_ASTRA_EFFORT_H

#include "backends/network/astra/Simulation.h"

namespace perfc::astra {

inline constexpr double mostMemory = 2e9;   ///< bytes
inline constexpr double mostMessages = 4e9; ///< over links; five to ten minutes of rings

/// Checked traces that take more than these limits: an error at the node that takes the most.
std::vector<Finding> checkEffort(const Cluster &cluster, Traces traces);

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_EFFORT_H
