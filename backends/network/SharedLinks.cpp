// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/SharedLinks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace perfc;
using namespace perfc::network;

/// Chips below a switch that are followed one by one; a larger cover is left out of the bound.
static constexpr int64_t mostFollowed = 1 << 20;

namespace {
/// The blocks of a pattern: chips [k size, (k + 1) size).
struct Blocks {
  int64_t size, apart;

  int64_t first(int64_t chip) const { return chip - chip % size; }
  /// Messages of a ring that leave the chips [0, cover).
  double ringBeyond(int64_t cover) const {
    double count = 0;
    for (int64_t chip = 0; chip < cover; ++chip)
      count += first(chip) + (chip % size + apart) % size >= cover;
    return count;
  }
  /// Messages of all pairs that leave the chips [0, cover).
  double pairsBeyond(int64_t cover) const {
    double count = 0;
    for (int64_t chip = 0; chip < cover; ++chip) {
      int64_t end = first(chip) + size, own = chip - chip % apart;
      int64_t beyond = std::max<int64_t>(0, end - std::max(cover, first(chip)));
      int64_t mine = std::max<int64_t>(0, own + apart - std::max(cover, own));
      count += static_cast<double>(beyond - mine);
    }
    return count;
  }
};
} // namespace

static int64_t roundedUp(int64_t number, int64_t by) { return (number + by - 1) / by; }

int64_t LeafSwitch::wholeMembers(int64_t ports, int64_t below) {
  return ports < below ? roundedUp(below, roundedUp(below, ports)) : ports - ports % below;
}

LeafSwitch LeafSwitch::of(int64_t radix, const Quantity &oversubscription, int64_t below) {
  LeafSwitch leaf;
  leaf.down = wholeMembers(std::max<int64_t>(1, radix / 2), below);
  leaf.up = static_cast<double>(leaf.down) / std::max(1.0, oversubscription.toDouble());
  return leaf;
}

/// The largest of `beyond(cover) / width` over the first switches of each height, of a fat tree
/// over its leaves. Where members lie across switches, over so many of these that whole members do:
/// what is below may then be another way from one to the other.
template <typename Beyond> static double busiestUplink(const SharedLinks &links, Beyond beyond) {
  double most = 0;
  int64_t down = links.leaf.down;
  int64_t members = std::max<int64_t>(1, down / links.below); // of a leaf
  int64_t parts = roundedUp(links.below, down);               // leaves of a member
  for (int64_t leaves = 1; leaves * down < links.chips; leaves *= links.radix) {
    int64_t covered = std::lcm(leaves, parts);
    int64_t cover = covered / parts * members * links.below;
    if (cover < links.chips && cover <= mostFollowed)
      most =
          std::max(most, beyond(cover) / (static_cast<double>(covered / leaves) * links.leaf.up));
    if (links.kind == SharedLinks::Kind::FatTree || leaves * down > mostFollowed)
      break;
  }
  return most;
}

double SharedLinks::ofRing(int64_t members, int64_t apart) const {
  if (members < 2)
    return 1;
  Blocks blocks{members * apart, apart};
  switch (kind) {
  case Kind::None:
  case Kind::Dragonfly: // neighbours share no link between routers, but by accident
    return 1;
  case Kind::Bus:
    return static_cast<double>(chips - chips % blocks.size);
  case Kind::FatTree:
  case Kind::Tree:
    return std::max(1.0,
                    busiestUplink(*this, [&](int64_t cover) { return blocks.ringBeyond(cover); }));
  }
  return 1;
}

/// Of a dragonfly, in messages: two groups exchange all pairs of their chips over one link, which
/// is as wide as those of `below` chips; a link between two routers has the pairs of their chips
/// and what goes to and comes from the groups that hang on either.
static double dragonflyLoad(const SharedLinks &links) {
  auto perRouter = static_cast<double>(links.hosts * links.below);
  double perGroup = perRouter * static_cast<double>(links.routers);
  double global = links.groups > 1 ? perGroup * perGroup : 0, local = 0;
  if (links.routers > 1) {
    // Group i reaches the one `away` further over router `away` modulo the number of routers.
    int64_t others = links.groups - 1;
    auto waysOf = [&](int64_t router) {
      int64_t ways = (others - router + links.routers) / links.routers - (router == 0 ? 1 : 0);
      return static_cast<double>(ways);
    };
    double ways = links.routers > 2 ? waysOf(1) + waysOf(2) : waysOf(0) + waysOf(1);
    local = perRouter * perRouter + std::max(0.0, ways) * perGroup * perRouter;
  }
  return std::max(global, local) / static_cast<double>(links.below);
}

double SharedLinks::ofAllToAll(int64_t members, int64_t apart) const {
  if (members < 2)
    return 1;
  Blocks blocks{members * apart, apart};
  auto peers = static_cast<double>(blocks.size - apart);
  bool isWhole = blocks.size == chips && apart == below;
  switch (kind) {
  case Kind::None:
    return 1;
  case Kind::Bus:
    return static_cast<double>(chips - chips % blocks.size);
  case Kind::Dragonfly:
    return isWhole ? std::max(1.0, dragonflyLoad(*this) / peers) : 1;
  case Kind::FatTree:
  case Kind::Tree:
    return std::max(1.0, busiestUplink(*this, [&](int64_t cover) {
                           return blocks.pairsBeyond(cover);
                         }) / peers);
  }
  return 1;
}
