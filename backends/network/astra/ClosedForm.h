// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finish times of collectives without events. They hold when all ranks of a network of one
// dimension start together and chunks do not compete for links: the congestion-unaware network, or
// one chunk in flight. With n chunks in waves of w the time is ceil(n / w) that of one chunk. In
// the unaware network of several dimensions a single chunk walks its phases one after the other.
// Groups smaller than the world are rings whose neighbours are all equally far.
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_CLOSEDFORM_H
#define PERFC_BACKENDS_NETWORK_ASTRA_CLOSEDFORM_H

#include "backends/network/astra/Simulation.h"
#include "llvm/ADT/Optional.h"

namespace perfc::astra {

/// How an unaware message is charged: links in the first dimension in which its ends differ.
struct Distance {
  uint32_t dim = 0, hops = 0;
  bool operator==(const Distance &other) const { return dim == other.dim && hops == other.hops; }
};
Distance distanceOf(const Network &network, uint32_t from, uint32_t to);
/// From each member of a ring to the next; 0 hops when they differ.
Distance ringDistance(const Network &network, llvm::ArrayRef<uint32_t> members);

/// Nanoseconds from the common start of a collective of `group`, null for the world, to its end on
/// every rank; nothing where no closed form holds. The collective is one that can be simulated.
llvm::Optional<int64_t> closedForm(const Cluster &cluster, Collective op, int64_t size,
                                   const std::vector<uint32_t> *group = nullptr);

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_CLOSEDFORM_H
