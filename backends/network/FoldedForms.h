// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms whose ranks are all alike: what one does, all others do at the same time with other
// ranks and chunks. Halving and doubling do not change when ranks and chunks are renumbered by
// xor(i, k), those in nodes when nodes, and ranks in nodes, are turned. What a rank is sent then
// comes when it sends the same itself, and never meets at its link, so that the messages of one
// rank are simulated for all: n chunks instead of n^2. Chunks are counted as the rank sees them
// that has them (chunk c of rank i as xor(c, i)).
#ifndef PERFC_BACKENDS_NETWORK_FOLDEDFORMS_H
#define PERFC_BACKENDS_NETWORK_FOLDEDFORMS_H

#include "backends/network/NetworkLevels.h"

namespace perfc {
namespace network {

/// s that halving, doubling or both of `bytes` take among a power of two of
/// `ranks` on switch `level`. Nothing for more ranks than are followed.
llvm::Optional<double> foldedHalving(const NetworkLevel &level, int64_t ranks, bool halves,
                                     bool doubles, double bytes);

/// The same of rings in nodes of `m` ranks over `inner` and between `nodes` of them over `outer`
/// (which may be one level): a reduce_scatter, an all_gather, or both.
llvm::Optional<double> foldedNodes(const NetworkLevel &inner, const NetworkLevel &outer, int64_t m,
                                   int64_t nodes, bool scatters, bool gathers, double bytes);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_FOLDEDFORMS_H
