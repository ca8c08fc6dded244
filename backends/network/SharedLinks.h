// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The links inside a network that several chips share: uplinks of a fat tree's leaves and of a
// tree's switches, the medium of a bus, the links between the routers of a dragonfly. Of a uniform
// pattern the bytes that cross each kind of link are counted; the busiest one, against what a
// chip's own link carries, bounds the time from below (Dally, Towles, "Principles and Practices of
// Interconnection Networks", 2004, 3.3: channel load). All groups of a system are taken to run the
// collective at the same time.
#ifndef PERFC_BACKENDS_NETWORK_SHAREDLINKS_H
#define PERFC_BACKENDS_NETWORK_SHAREDLINKS_H

#include "ir/common/Quantity.h"

#include <cstdint>

namespace perfc {
namespace network {

/// A leaf switch of a fat tree: `down` ports lead to chips, at most half of its `radix`: as many
/// whole members of `below` chips as fit; one that is larger is spread evenly over as few leaves as
/// hold it. Its trunk is `up` links of a chip wide, so that down / up is the oversubscription (at
/// least 1) exactly, which thins the trunk and moves no chip to another leaf: less of it never
/// takes longer.
struct LeafSwitch {
  int64_t down = 1;
  double up = 1;
  /// Chips in members of `below` that a switch with `ports` for them holds: whole members, or of
  /// one that is spread over several switches the most on one of these.
  static int64_t wholeMembers(int64_t ports, int64_t below);
  static LeafSwitch of(int64_t radix, const Quantity &oversubscription, int64_t below);
};

/// `chips` chips in members of `below` each, joined by switches.
struct SharedLinks {
  enum class Kind : uint8_t { None, FatTree, Tree, Bus, Dragonfly };
  Kind kind = Kind::None;
  int64_t chips = 1, below = 1;
  LeafSwitch leaf;   ///< of a fat tree; of a tree the lowest switches, with one link upward
  int64_t radix = 1; ///< of a tree: switches below one further up
  int64_t groups = 1, routers = 1, hosts = 1; ///< of a dragonfly

  /// How much longer than a chip's own link the busiest one is busy, at least 1, when chips in
  /// blocks of `members * apart` pass the same bytes around, each to the one that stands `apart`
  /// further.
  double ofRing(int64_t members, int64_t apart) const;
  /// The same when each chip sends to all of its block but those of its own `apart`.
  double ofAllToAll(int64_t members, int64_t apart) const;
};

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_SHAREDLINKS_H
