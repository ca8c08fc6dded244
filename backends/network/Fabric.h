// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A system as its links: chips, switches and routers, and between them directed links with a
// bandwidth and a latency. Topologies become links as docs/cost-model.md says, groups of groups the
// products of theirs; faults slow or remove links. A message takes a path of fewest links inside
// the smallest group that both ranks are in, the first one in the order in which links were laid
// (dimension order on meshes and tori); it leaves that group only where a fault cuts it in two.
#ifndef PERFC_BACKENDS_NETWORK_FABRIC_H
#define PERFC_BACKENDS_NETWORK_FABRIC_H

#include "ir/common/Diagnostics.h"
#include "ir/common/Uncertain.h"
#include "ir/core/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace perfc {
namespace network {

struct FabricLink {
  uint32_t from, to;
  uint32_t level;   ///< index of its group in the system
  double bandwidth; ///< B/s; infinite where it is not given
  double latency;   ///< s
  /// Its bytes count as sent, for their energy; behind a switch they have been counted on the way
  /// in.
  bool counts;
  bool isBroken = false;
  /// A trunk is that many links next to each other, at least 1, together of `bandwidth` (Trunk.h).
  double ways = 1;
};

/// The network of a group.
struct FabricLevel {
  std::string name;
  llvm::Optional<Uncertain> energy; ///< J/B sent, where it is given
};

/// A bound for numbers of lanes.
inline constexpr uint32_t mostLanes = 1 << 24;

class Fabric {
public:
  /// The links of `system`, a target.system. Nothing when it cannot be built (reported).
  static std::unique_ptr<Fabric> build(const ir::Operation &system, DiagnosticEngine &diagnostics);
  /// False for a system with more chips or links than `build` takes.
  static bool fits(const ir::Operation &system);

  uint32_t ranks() const { return rankCount; }
  llvm::ArrayRef<FabricLink> links() const { return allLinks; }
  /// "chip[3]", "node[1]", "switch[0]", …
  const std::string &nodeName(uint32_t node) const { return names[node]; }
  std::string linkName(uint32_t link) const;
  llvm::ArrayRef<FabricLevel> levels() const { return allLevels; }
  /// True when chip `rank` has failed.
  bool isBroken(uint32_t rank) const { return broken[rank]; }
  /// Where the fault stands that keeps a message on its way from one rank to another.
  SourceRange faultBetween(uint32_t from, uint32_t to) const;
  /// True when something is slower than the declaration of its network says, or broken.
  bool hasFaults() const { return faulty; }

  /// Lanes that differ by a multiple of this take the same links: the least common multiple of how
  /// many links lie side by side, at most `mostLanes`.
  uint32_t lanes();
  /// The links from one rank to another, in order; empty when there is no way. Valid until the
  /// next call.
  /// Of several links between the same two nodes `lane` takes one, modulo their number.
  llvm::ArrayRef<uint32_t> route(uint32_t from, uint32_t to, uint32_t lane = 0);

private:
  friend class FabricBuilder;
  const std::vector<uint32_t> &distancesTo(uint32_t node, uint32_t level);
  uint32_t meetingLevel(uint32_t a, uint32_t b) const;
  /// The first of the links to `node` of levels up to `level` where all come from one other node.
  uint32_t soleNeighbour(uint32_t node, uint32_t level) const;
  bool findPath(uint32_t from, uint32_t to, uint32_t level, uint32_t lane);
  uint32_t beside(uint32_t node, uint32_t link, uint32_t lane) const;

  uint32_t rankCount = 0;
  uint32_t laneCount = 0; ///< 0 before it is known
  bool faulty = false;
  std::vector<std::string> names;
  std::vector<FabricLevel> allLevels;
  std::vector<bool> broken;
  std::map<uint32_t, SourceRange> faultOfChip, faultOfLink; ///< of those that have failed
  std::vector<FabricLink> allLinks;
  std::vector<std::vector<uint32_t>> outgoing, incoming; ///< links by node
  /// By destination and the outermost level that counts.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> distances;
  std::vector<std::vector<uint32_t>> groupOf; ///< by level and rank; ~0 outside its groups
  std::vector<uint32_t> path;
};

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_FABRIC_H
