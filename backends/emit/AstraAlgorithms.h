// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithms that ASTRA-sim's system.json names for the collectives of an evaluation. It has
// one for each kind of collective and dimension of the network: `ring` (one way around), `direct`
// (to all others at once, each at full bandwidth), `direct1` (to one after the other),
// `halvingDoubling` and, for all ranks of one dimension, `doubleBinaryTree`, both among powers of
// two. All ranks go through the dimensions in turn; of several dimensions a smaller group is one
// ring, whatever the file says. Messages between its ranks cross the links of its dimension as
// others do, but wait for none.
#ifndef PERFC_BACKENDS_EMIT_ASTRAALGORITHMS_H
#define PERFC_BACKENDS_EMIT_ASTRAALGORITHMS_H

#include "backends/network/CollectiveKind.h"
#include "backends/network/NetworkLevels.h"
#include "passes/analysis/AxisPlace.h"
#include <array>

namespace perfc::emit {

/// What runs a collective.
enum class AlgorithmFamily : uint8_t {
  Wiring, ///< what its networks do of themselves, or a library that they have
  Ring,
  BothWays, ///< a ring, half of the buffer each way around
  Direct,
  Halving, ///< and doubling
  Tree,    ///< a double binary tree
  InNetwork,
  Other
};

/// The family of an algorithm of std.networks, without its arguments: "direct_gather".
AlgorithmFamily familyNamed(llvm::StringRef algorithm);

/// A collective of the program.
struct CollectiveUse {
  network::CollectiveKind kind; ///< one of the first four
  AxisPlace place;              ///< of its ranks
  AlgorithmFamily family = AlgorithmFamily::Wiring;
  std::string algorithm; ///< as the program names it; "" for none

  bool operator==(const CollectiveUse &other) const {
    return kind == other.kind && place == other.place && algorithm == other.algorithm;
  }
};

struct AstraAlgorithms {
  static constexpr unsigned kinds = 4; ///< all_reduce, all_gather, reduce_scatter, all_to_all
  /// By kind: the name for each dimension.
  std::array<std::vector<std::string>, kinds> names;
  /// Where that is not what the program does: what, and how it runs there.
  std::vector<std::string> differences;
};

/// The algorithms for `uses` on a network of `levels`, each of several members, in a system that
/// cuts buffers into `chunks`. Of unlike uses of one kind the first whose algorithm all of them can
/// run counts.
AstraAlgorithms astraAlgorithms(llvm::ArrayRef<network::NetworkLevel> levels,
                                llvm::ArrayRef<CollectiveUse> uses, int64_t chunks);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_ASTRAALGORITHMS_H
