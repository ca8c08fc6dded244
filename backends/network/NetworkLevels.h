// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A system as collectives see it: levels of network from the innermost groups outward, each joining
// `members` of the level below. Rank r stands at position r mod m of its innermost group. Groups of
// a level are taken as equal; where they differ the slowest network and the members of all count.
#ifndef PERFC_BACKENDS_NETWORK_NETWORKLEVELS_H
#define PERFC_BACKENDS_NETWORK_NETWORKLEVELS_H

#include "backends/core/Cost.h"
#include "backends/network/Library.h"
#include "backends/network/SharedLinks.h"
#include "ir/target/TargetOps.h"

namespace perfc {
namespace network {

/// How the members of a level reach each other. Switch: any two at full bandwidth at once. Line:
/// each has two links of half the bandwidth, those of the ends lead nowhere. InNetwork: a switch
/// that adds and copies, for collectives that use that (InNetwork.h).
enum class Topology : uint8_t { Switch, FullyConnected, Ring, Line, InNetwork };

/// How the collectives of a system are cut into chunks, and which of those that wait goes next: the
/// one that came first, or last (Chunks.h).
struct Chunking {
  int64_t count = 1;
  bool takesLatest = false;
};

/// One level of a system.
struct NetworkLevel {
  std::string name;
  SourceRange location;
  int64_t members = 1;
  Topology topology = Topology::Switch;
  /// Ways of equal width from a rank into the network: its adapters, or sets of them over which one
  /// message is striped.
  int64_t lanes = 1;
  int64_t grid = 0; ///< the same for dimensions of one torus or mesh, which work side by side; or 0
  int64_t activeChunks = 1;                 ///< chunks of a collective that it takes at a time
  bool multicasts = false, reduces = false; ///< its switches copy, and add
  /// B/s of one rank in one direction; nothing where it is not given.
  llvm::Optional<Uncertain> bandwidth;
  bool linksGiveBandwidth = false; ///< each link of `topology links` gives its own
  /// s of one message; 0 when it is not given.
  Uncertain latency;
  /// J/B sent, where it is given.
  llvm::Optional<Uncertain> energy;
  /// What faults leave of the bandwidth; `bandwidth` has it already.
  Uncertain faultFactor = 1;
  /// What chips share inside it, and how much longer than a chip's own link the busiest one of it
  /// is busy: when neighbours pass on parts, and when each sends to all others.
  SharedLinks shared;
  double ringLoad = 1, pairsLoad = 1;
  /// What the closed forms simplify about it; "" when they are exact.
  std::string approximation;
  /// Communication libraries whose parameters the network gives.
  std::vector<Library> libraries;

  /// The library of that name, the first one for ""; null when there is none.
  const Library *library(llvm::StringRef wanted) const;
};

/// J of `bytes` that ranks send over `network`, at `perByte` each: not given where that is not, but
/// for a network that carries none. Closed forms and simulations add up these, level by level.
Figure energyOfBytes(llvm::StringRef network, const llvm::Optional<Uncertain> &perByte,
                     double bytes);

/// An argument of a topology as a whole number, within what members can count.
int64_t topologyNumber(const ir::Attribute &value);

/// Of a fat tree: the bandwidth of a leaf's chips over that of its trunk, 1 where none is given and
/// 0 for what is no number.
Quantity oversubscriptionOf(target::NetworkOp net);

/// The first of the levels up to `level` that are dimensions of one grid; `level` for others.
template <typename Levels> size_t startOfGrid(const Levels &levels, size_t level) {
  while (levels[level].grid != 0 && level > 0 && levels[level - 1].grid == levels[level].grid)
    --level;
  return level;
}
/// Of a grid: how many times its buffer is what the share that visits this dimension first has of
/// it. Shares are as the bandwidths of the dimensions, equal where some do not limit.
double partsOfGrid(llvm::ArrayRef<const NetworkLevel *> dimensions, size_t first);
/// The end of the levels from `first` on that are dimensions of one grid; `first + 1` for others.
template <typename Levels> size_t endOfGrid(const Levels &levels, size_t first) {
  size_t end = first + 1;
  while (levels[first].grid != 0 && end < levels.size() && levels[end].grid == levels[first].grid)
    ++end;
  return end;
}

/// The levels of a group, innermost first, and what was simplified. A torus of d dimensions is d
/// rings, a mesh d lines, each with a bandwidth of its own or 1/d of that of all.
struct NetworkLevels {
  std::vector<NetworkLevel> levels;
  std::vector<std::string> notes;
  /// Ranks of the smallest part of the system that holds a group; 0 for the whole.
  int64_t enclosing = 0;
  int64_t ranks() const;
};

/// A dimension of a group of ranks: `ranks` of them, `stride` apart. Several are from the nearest
/// outward, each further apart than the one before reaches.
struct GroupDim {
  int64_t ranks = 1, stride = 1;
};

/// The levels that a group of ranks meets on, while all other such groups of the network do the
/// same. A part of a ring is a line; two dimensions that meet in a ring or line are two levels.
/// Nothing when the sizes of the levels do not divide that way.
llvm::Optional<NetworkLevels> levelsOfGroup(const NetworkLevels &network,
                                            llvm::ArrayRef<GroupDim> dims);

/// The levels of `system`, a target.system (its last group counts) or a target.chip (none). Nothing
/// when groups of different depth or size stand side by side below another network: the closed
/// forms do not cover that; `reason` then says so.
llvm::Optional<NetworkLevels> networkLevels(const ir::Operation &system, std::string &reason);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_NETWORKLEVELS_H
