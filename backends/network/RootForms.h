// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closed forms of broadcast and reduce, level by level; docs/cost-model.md has the table. A reduce
// is the broadcast the other way around.
#ifndef PERFC_BACKENDS_NETWORK_ROOTFORMS_H
#define PERFC_BACKENDS_NETWORK_ROOTFORMS_H

#include "backends/network/CollectiveSteps.h"

namespace perfc {
namespace network {

/// How a broadcast or reduce crosses one level.
struct RootPattern {
  enum class Way : uint8_t {
    Tree,    ///< who has it sends it on whole; where all are connected the root sends to all
    Scatter, ///< parts to all members, which gather them
    Chain,   ///< pieces both ways around a ring
    Hub,     ///< pieces that a switch copies or adds
    Spread   ///< parts to the members of the root's group; those of all gather when they have come
  };
  Way way = Way::Tree;
  uint32_t pieces = 1; ///< of a chain
  Uncertain latency;
  double sentBytes = 0; ///< by all members together
};

/// The fastest ways of a broadcast or reduce of `bytes` over `levels`, one for each. The innermost
/// ones may be spread, so that each rank of the root's group takes a part over the levels further
/// out, all of their links at a time; a chunk is not.
std::vector<RootPattern> rootPatterns(llvm::ArrayRef<NetworkLevel> levels, double bytes,
                                      bool isChunk);

/// The steps of `what`, a broadcast or reduce, in these ways.
CollectiveSteps rootForm(llvm::StringRef what, llvm::ArrayRef<NetworkLevel> levels, double bytes,
                         bool isChunk);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_ROOTFORMS_H
