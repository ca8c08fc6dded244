// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of one nest over all that its mapspace leaves open. What memories keep is an outer
// branch: each choice is a space of its own, searched by growing bound, and excluded altogether by
// what the others found. A space with perfect factors and a closed form is searched as it is. Any
// other is first searched as if it had them: that gives mappings to begin with and, since the full
// model only adds to the closed form, a lower bound for perfect factors.
#ifndef PERFC_BACKENDS_MAPPER_NESTSEARCH_H
#define PERFC_BACKENDS_MAPPER_NESTSEARCH_H

#include "backends/mapper/NestSpace.h"

namespace perfc::mapper {

/// What was found, and the spaces that the mappings are of.
struct NestResult {
  loopnest::SearchResult found; ///< the candidates' `space` counts `spaces`, or is `lowered`
  std::vector<NestSpace> spaces;
  /// The candidate that is the nest as it was lowered.
  static constexpr unsigned lowered = ~0u;
};

/// Whether it is known without a search that no mapping of the nest is legal: rules, lanes and
/// capacities admit nothing. Not said where it is open what memories keep.
bool admitsNothing(const NestSpace &nest);

/// `options.known` are candidates of an earlier search of the same nest.
NestResult searchNest(const NestSpace &nest, const loopnest::SearchGoal &goal,
                      const loopnest::SearchOptions &options);

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_NESTSEARCH_H
