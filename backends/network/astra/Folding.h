// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that do the same at the same time, of which one is simulated for all. Ranks are equal when
// their traces are, but for the names of their groups and with peers as distances; classes are then
// split until equal ranks have equal peers and groups of equal ranks (the coarsest equitable
// partition, Paige and Tarjan, SIAM J. Comput. 1987). On a congestion-unaware network nothing is
// shared, so that equal ranks stay equal; collectives take their closed form.
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_FOLDING_H
#define PERFC_BACKENDS_NETWORK_ASTRA_FOLDING_H

#include "backends/network/astra/Simulation.h"
#include "llvm/ADT/Optional.h"

namespace perfc::astra {

struct Folding {
  std::vector<uint32_t> classOf; ///< by rank
  std::vector<uint32_t> firsts;  ///< by class: its first rank, which is simulated
};

/// Equal ranks of checked traces; nothing when collectives among them have no closed form, or when
/// there are as many classes as ranks.
llvm::Optional<Folding> foldRanks(const Cluster &cluster, Traces traces);

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_FOLDING_H
