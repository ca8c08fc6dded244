// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of one resource as an energy. A nest takes as long as its slowest resource at least, and
// what a memory or a network takes is a sum over crossings: bits times the time of one bit. A chip
// where a word costs that time and nothing else has an energy that is below the latency of each
// mapping, so that all bounds of energies are bounds of latencies as well.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_SLOWESTRESOURCE_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_SLOWESTRESOURCE_H

#include "backends/loopnest/search/Incumbents.h"

namespace perfc {
namespace loopnest {

struct TimedChip {
  /// Energies are s: with them the energy of a mapping is the time of the resource, or less where
  /// fewer of its instances are busy than axes have lanes.
  CostWeights weights;
  /// The latency of what these weights give an energy and a latency: a bound where these are.
  std::function<double(const Score &)> latency;
};

/// The memory or network that takes the longest with a mapping; nothing where steps take as long.
llvm::Optional<TimedChip> slowestResource(const MapSpace &space, const CostWeights &weights,
                                          const Mapping &mapping);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_SLOWESTRESOURCE_H
