// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/WindowRank.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

/// Indices of a term that no setting of the others makes padding.
static IndexRange safeIndices(const Rank &rank, const Term &term, int64_t size) {
  if (!rank.extent)
    return {0, size};
  int64_t reach = term.coefficient * (size - 1);
  Rank least{{term}, rank.low - std::min<int64_t>(reach, 0), rank.extent, 0, 0};
  Rank most{{term}, rank.high - std::max<int64_t>(reach, 0), rank.extent, 0, 0};
  IndexRange a = unpadded(least, size), b = unpadded(most, size);
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

WindowRank::Classes WindowRank::classes(const Transition &transition, const JointLoops &joint,
                                        unsigned from) const {
  Classes result;
  for (const Term &term : rank.terms) {
    const Digits &dim = digits.dims[term.dim];
    result.push_back(
        tileClasses(dim, transition, joint, from, safeIndices(rank, term, dim.size()), work));
  }
  return result;
}

void WindowRank::addLane(llvm::ArrayRef<const LaneTile *> tiles, WindowGroup &result) {
  WindowLane lane{nullptr, 0, nullptr, 0, {tiles.begin(), tiles.end()}};
  llvm::SmallVector<int64_t, 4> lengths, heldLengths;
  for (unsigned k = 0; k < tiles.size(); ++k) {
    lane.start += rank.terms[k].coefficient * tiles[k]->start;
    lane.heldStart += rank.terms[k].coefficient * tiles[k]->held;
    lengths.push_back(tiles[k]->length);
    heldLengths.push_back(tiles[k]->heldLength);
  }
  lane.needed = &sets.of(lengths);
  if (heldLengths.front())
    lane.held = &sets.of(heldLengths);
  result.lanes.push_back(std::move(lane));
}

WindowGroup WindowRank::group(llvm::ArrayRef<const TileClass *> chosen) {
  WindowGroup result{{}, INT64_MIN, INT64_MAX, 1};
  bool border = rank.extent.hasValue();
  int64_t base = rank.constant;
  llvm::SmallVector<size_t, 4> sizes;
  for (unsigned k = 0; k < chosen.size(); ++k) {
    border &= chosen[k]->border;
    base += rank.terms[k].coefficient * chosen[k]->base;
    result.count *= chosen[k]->count;
    sizes.push_back(chosen[k]->lanes.size());
  }
  if (border) {
    result.low = -base;
    result.high = *rank.extent - base;
  }
  llvm::SmallVector<const LaneTile *, 4> tiles(chosen.size());
  forProduct(sizes, [&](llvm::ArrayRef<size_t> index) {
    for (unsigned k = 0; k < chosen.size(); ++k)
      tiles[k] = &chosen[k]->lanes[index[k]];
    addLane(tiles, result);
    return true;
  });
  return result;
}

void WindowRank::forGroups(const Transition &transition, const JointLoops &joint, unsigned from,
                           llvm::function_ref<void(const WindowGroup &)> visit) {
  Classes all = classes(transition, joint, from);
  llvm::SmallVector<size_t, 4> sizes;
  for (const std::vector<TileClass> &list : all) {
    if (list.empty())
      return;
    sizes.push_back(list.size());
  }
  llvm::SmallVector<const TileClass *, 4> chosen(all.size());
  forProduct(sizes, [&](llvm::ArrayRef<size_t> index) {
    for (unsigned k = 0; k < all.size(); ++k)
      chosen[k] = &all[k][index[k]];
    visit(group(chosen));
    return true;
  });
}

/// Appends what of `set`, shifted, lies in [low, high).
static void appendWithin(Intervals &result, const Intervals &set, int64_t shift, int64_t low,
                         int64_t high) {
  for (const Interval &one : set)
    if (std::max(one.low + shift, low) < std::min(one.high + shift, high))
      result.push_back({std::max(one.low + shift, low), std::min(one.high + shift, high)});
}

RankSums WindowRank::sums(const Transition &transition, const JointLoops &joint) {
  RankSums result{0, 0};
  forGroups(transition, joint, UINT_MAX, [&](const WindowGroup &group) {
    // What some lane needs, and what some lane misses.
    Intervals needed, missed, fresh;
    for (const WindowLane &lane : group.lanes) {
      const Intervals &own = lane.needed->intervals();
      appendWithin(needed, own, lane.start, group.low, group.high);
      fresh.clear();
      appendDifference(fresh, own, lane.start, lane.held ? lane.held->intervals() : Intervals(),
                       lane.heldStart);
      appendWithin(missed, fresh, 0, group.low, group.high);
    }
    normalise(needed);
    normalise(missed);
    result.all += Checked(sizeOf(needed)) * group.count;
    result.kept += Checked(sizeOf(needed) - sizeOf(missed)) * group.count;
  });
  return result;
}
