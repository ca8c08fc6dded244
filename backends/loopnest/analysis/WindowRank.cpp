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
        tileClasses(dim, transition, joint, from, safeIndices(rank, term, dim.size())));
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

namespace {

/// Elements of one group, marked as needed by someone and as missed by someone.
class Marks {
public:
  explicit Marks(const WindowGroup &group) : group(group) {
    int64_t high = INT64_MIN;
    for (const WindowLane &lane : group.lanes) {
      low = std::min(low, lane.start + lane.needed->low());
      high = std::max(high, lane.start + lane.needed->high());
    }
    marks.assign(high - low + 1, 0);
  }
  void add(const WindowLane &lane) {
    for (int64_t value : lane.needed->values()) {
      int64_t element = value + lane.start;
      if (element < group.low || element >= group.high)
        continue;
      unsigned char &mark = marks[element - low];
      bool held = lane.held && lane.held->contains(element - lane.heldStart);
      unsigned char now = held ? Needed : Needed | Missed;
      all += !mark;
      missed += (now & Missed) && !(mark & Missed);
      mark |= now;
    }
  }
  int64_t all = 0;
  int64_t missed = 0;

private:
  enum : unsigned char { Needed = 1, Missed = 2 };
  const WindowGroup &group;
  int64_t low = INT64_MAX;
  std::vector<unsigned char> marks;
};

} // namespace

RankSums WindowRank::sums(const Transition &transition, const JointLoops &joint) {
  RankSums result{0, 0};
  forGroups(transition, joint, UINT_MAX, [&](const WindowGroup &group) {
    Marks marks(group);
    for (const WindowLane &lane : group.lanes)
      marks.add(lane);
    result.all += Checked(marks.all) * group.count;
    result.kept += Checked(marks.all - marks.missed) * group.count;
  });
  return result;
}
