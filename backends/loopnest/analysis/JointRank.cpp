// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/JointRank.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

//===-- Numbers -----------------------------------------------------------------------------===//

ElementNumbers::ElementNumbers(const Nest &nest, const RankGroup &group)
    : scales(group.ranks.size()), perDim(group.dims.size(), 0) {
  Checked stride = 1, offset = 0;
  std::vector<Checked> sums(group.dims.size(), 0);
  for (size_t r = scales.size(); r-- > 0;) {
    Checked reach = 0;
    for (const Term &term : group.ranks[r].terms) {
      reach += Checked(std::abs(term.coefficient)) * nest.dims[term.dim].size;
      auto dim = llvm::find(group.dims, term.dim) - group.dims.begin();
      sums[static_cast<size_t>(dim)] += stride * term.coefficient;
    }
    scales[r] = {stride.value(), reach.value()};
    offset += reach * stride;
    stride *= reach * 2 + 1;
  }
  for (size_t d = 0; d < sums.size(); ++d)
    perDim[d] = sums[d].value();
  zero = offset.value();
  // Sums of coefficients times indices stay below the product of all ranges.
  tooWide = (stride * 4).overflowed();
}

Intervals ElementNumbers::clipped(const Intervals &set, llvm::ArrayRef<Interval> windows) const {
  Intervals result;
  for (Interval one : set) {
    int64_t rest = one.low + zero;
    bool inside = true;
    for (size_t r = 0; r + 1 < scales.size(); ++r) {
      int64_t value = rest / scales[r].stride - scales[r].reach;
      rest %= scales[r].stride;
      inside &= windows[r].low <= value && value < windows[r].high;
    }
    int64_t first = one.low - (rest - scales.back().reach); // where the last rank is 0
    one = {std::max(one.low, first + windows.back().low),
           std::min(one.high, first + windows.back().high)};
    if (inside && one.low < one.high)
      result.push_back(one);
  }
  return result;
}

//===-- Groups of lanes ---------------------------------------------------------------------===//

JointRank::JointRank(const LevelDigits &digits, const RankGroup &group, SetWork &work)
    : digits(digits), group(group), work(work), numbers(*digits.flat->nest, group),
      isCut(llvm::any_of(group.ranks, [](const Rank &rank) { return rank.extent.hasValue(); })) {
  if (numbers.overflowed())
    work = -1;
}

/// The set with these lengths; empty once the work is too much.
const Intervals &JointRank::tile(llvm::ArrayRef<int64_t> lengths) {
  auto found = tiles.find(lengths.vec());
  if (found != tiles.end())
    return found->second;
  Intervals set =
      imageOf(numbers.coefficients(), lengths, static_cast<size_t>(std::max<SetWork>(work, 0)));
  spend(set.empty() ? work + 1 : static_cast<int64_t>(set.size()));
  return tiles.emplace(lengths.vec(), std::move(set)).first->second;
}

JointRank::Patterns JointRank::patterns(unsigned dim, const Transition &transition,
                                        const JointLoops &joint, unsigned from) {
  const Digits &own = digits.dims[dim];
  IndexRange safe{0, isCut ? 0 : own.size()};
  std::map<std::vector<LaneTile>, Pattern> found;
  for (const TileClass &one : tileClasses(own, transition, joint, from, safe, work)) {
    Pattern &pattern = found[one.lanes];
    pattern.count += one.count;
    if (isCut)
      pattern.starts.push_back(one.base);
  }
  Patterns result;
  for (auto &entry : found) {
    Pattern &pattern = entry.second;
    std::sort(pattern.starts.begin(), pattern.starts.end());
    pattern.low = 0;
    pattern.high = 0;
    for (const LaneTile &lane : entry.first)
      pattern.high = std::max(pattern.high, lane.start + lane.length - 1);
    pattern.lanes = entry.first;
    result.push_back(std::move(pattern));
  }
  return result;
}

void JointRank::addLane(llvm::ArrayRef<const LaneTile *> chosen, JointGroup &result) {
  JointLane lane{nullptr, 0, nullptr, 0, {chosen.begin(), chosen.end()}};
  llvm::SmallVector<int64_t, 4> lengths, heldLengths;
  for (size_t k = 0; k < chosen.size(); ++k) {
    lane.start += numbers.coefficients()[k] * chosen[k]->start;
    lane.heldStart += numbers.coefficients()[k] * chosen[k]->held;
    lengths.push_back(chosen[k]->length);
    heldLengths.push_back(chosen[k]->heldLength);
  }
  lane.needed = &tile(lengths);
  if (heldLengths.front())
    lane.held = &tile(heldLengths);
  spend(static_cast<int64_t>(lane.needed->size()));
  result.lanes.push_back(std::move(lane));
}

void JointRank::forGroups(const Transition &transition, const JointLoops &joint, unsigned from,
                          llvm::function_ref<void(const JointGroup &)> visit) {
  if (work < 0)
    return;
  std::vector<Patterns> all;
  llvm::SmallVector<size_t, 4> sizes;
  for (unsigned dim : group.dims) {
    all.push_back(patterns(dim, transition, joint, from));
    if (all.back().empty())
      return;
    sizes.push_back(all.back().size());
  }
  llvm::SmallVector<const Pattern *, 4> chosen(all.size());
  forProduct(sizes, [&](llvm::ArrayRef<size_t> index) {
    JointGroup result;
    llvm::SmallVector<size_t, 4> lanes;
    for (size_t k = 0; k < all.size(); ++k) {
      chosen[k] = &all[k][index[k]];
      lanes.push_back(chosen[k]->lanes.size());
    }
    llvm::SmallVector<const LaneTile *, 4> tiles(all.size());
    forProduct(lanes, [&](llvm::ArrayRef<size_t> lane) {
      for (size_t k = 0; k < all.size(); ++k)
        tiles[k] = &chosen[k]->lanes[lane[k]];
      addLane(tiles, result);
      return work >= 0;
    });
    addCuts(chosen, result);
    if (work >= 0)
      visit(result);
    return work >= 0;
  });
}

//===-- Padding -----------------------------------------------------------------------------===//

namespace {

/// Ranges of positions in lists of starts, halved until padding cuts all of a range alike.
class CutSearch {
public:
  struct List {
    llvm::ArrayRef<int64_t> starts;
    int64_t low, high; ///< indices of the tiles, relative to a start
  };
  CutSearch(const RankGroup &group, llvm::ArrayRef<List> lists, SetWork &work,
            std::map<std::vector<Interval>, Checked> &result)
      : group(group), lists(lists), work(work), result(result) {}
  void visit(llvm::ArrayRef<IndexRange> ranges);

private:
  /// Smallest and largest of a rank's sum over `valueOf(list, least or largest)`.
  template <typename Value> Interval reachOf(const Rank &rank, Value valueOf) const {
    Interval reach{0, 0};
    for (const Term &term : rank.terms) {
      auto k = static_cast<size_t>(llvm::find(group.dims, term.dim) - group.dims.begin());
      int64_t a = term.coefficient * valueOf(k, false), b = term.coefficient * valueOf(k, true);
      reach = {reach.low + std::min(a, b), reach.high + std::max(a, b)};
    }
    return reach;
  }

  const RankGroup &group;
  llvm::ArrayRef<List> lists; ///< by dimension of the group
  SetWork &work;
  std::map<std::vector<Interval>, Checked> &result;
};

} // namespace

void CutSearch::visit(llvm::ArrayRef<IndexRange> ranges) {
  if (--work < 0)
    return;
  std::vector<Interval> windows;
  bool alike = true, empty = false;
  for (const Rank &rank : group.ranks) {
    Interval base = reachOf(rank, [&](size_t k, bool last) {
      return lists[k].starts[static_cast<size_t>(last ? ranges[k].high - 1 : ranges[k].low)];
    });
    Interval own =
        reachOf(rank, [&](size_t k, bool last) { return last ? lists[k].high : lists[k].low; });
    if (!rank.extent) {
      windows.push_back({own.low, own.high + 1});
      continue;
    }
    auto window = [&](int64_t at) {
      int64_t low = std::max(own.low, -(rank.constant + at));
      return Interval{low,
                      std::max(low, std::min(own.high + 1, *rank.extent - rank.constant - at))};
    };
    Interval first = window(base.low), last = window(base.high);
    alike &= first == last;
    // Above all of the extent, or below it, from one end of the range to the other.
    empty |= rank.constant + base.low + own.low >= *rank.extent ||
             rank.constant + base.high + own.high < 0;
    windows.push_back(first);
  }
  if (empty)
    return;
  if (alike) {
    Checked count = 1;
    for (const IndexRange &range : ranges)
      count *= range.high - range.low;
    result[windows] += count;
    return;
  }
  size_t widest = 0;
  int64_t most = -1;
  for (size_t k = 0; k < ranges.size(); ++k) {
    auto at = [&](int64_t i) { return lists[k].starts[static_cast<size_t>(i)]; };
    int64_t span = at(ranges[k].high - 1) - at(ranges[k].low);
    if (span > most) {
      most = span;
      widest = k;
    }
  }
  llvm::SmallVector<IndexRange, 4> half(ranges.begin(), ranges.end());
  int64_t middle = (ranges[widest].low + ranges[widest].high) / 2;
  half[widest].high = middle;
  visit(half);
  half[widest] = {middle, ranges[widest].high};
  visit(half);
}

void JointRank::addCuts(llvm::ArrayRef<const Pattern *> chosen, JointGroup &result) {
  if (!isCut) {
    Checked count = 1;
    for (const Pattern *pattern : chosen)
      count *= pattern->count;
    result.cuts[{}] = count;
    return;
  }
  std::vector<CutSearch::List> lists;
  llvm::SmallVector<IndexRange, 4> ranges;
  for (const Pattern *pattern : chosen) {
    lists.push_back({pattern->starts, pattern->low, pattern->high});
    ranges.push_back({0, static_cast<int64_t>(pattern->starts.size())});
  }
  CutSearch(group, lists, work, result.cuts).visit(ranges);
}

//===-- Sums --------------------------------------------------------------------------------===//

/// What the loops of `apart` are set to, where settings were recorded from loop `from` on.
llvm::SmallVector<int64_t, 4> JointRank::settingOf(const JointLane &lane, const JointLoops &apart,
                                                   unsigned from) const {
  llvm::SmallVector<int64_t, 4> result;
  for (size_t k = 0; k < lane.tiles.size(); ++k) {
    size_t number = 0;
    for (const Digit &digit : digits.dims[group.dims[k]].list())
      if (digit.parallel && digit.loop >= from) {
        if (apart[digit.loop])
          result.push_back(lane.tiles[k]->setting[number]);
        ++number;
      }
  }
  return result;
}

namespace {

/// Elements of lanes that take them together.
struct Needs {
  Intervals all;
  Intervals missed; ///< that some lane does not hold
};

} // namespace

void JointRank::forSums(const Transition &transition, const JointLoops &joint,
                        const JointLoops &apart,
                        llvm::function_ref<void(RankSums sums, Checked number)> visit) {
  auto first = llvm::find(apart, true);
  unsigned from = first == apart.end() ? UINT_MAX : static_cast<unsigned>(first - apart.begin());
  forGroups(transition, joint, from, [&](const JointGroup &one) {
    std::map<llvm::SmallVector<int64_t, 4>, Needs> parts;
    for (const JointLane &lane : one.lanes) {
      Needs &part = parts[settingOf(lane, apart, from)];
      appendDifference(part.all, *lane.needed, lane.start, {}, 0);
      appendDifference(part.missed, *lane.needed, lane.start, lane.held ? *lane.held : Intervals(),
                       lane.heldStart);
    }
    for (auto &entry : parts) {
      normalise(entry.second.all);
      normalise(entry.second.missed);
    }
    for (const auto &[windows, count] : one.cuts) {
      RankSums sums{0, 0};
      for (const auto &entry : parts) {
        const Needs &part = entry.second;
        spend(static_cast<int64_t>(part.all.size() + part.missed.size()));
        int64_t all = sizeOf(windows.empty() ? part.all : numbers.clipped(part.all, windows));
        int64_t lacking =
            sizeOf(windows.empty() ? part.missed : numbers.clipped(part.missed, windows));
        sums.all += all;
        sums.kept += all - lacking;
      }
      visit(sums, count);
    }
  });
}

RankSums JointRank::sums(const Transition &transition, const JointLoops &joint) {
  RankSums result{0, 0};
  JointLoops none(joint.size(), false);
  forSums(transition, joint, none, [&](RankSums sums, Checked number) {
    result.all += number * sums.all;
    result.kept += number * sums.kept;
  });
  return result;
}

void JointRank::forElements(const JointLane &lane, llvm::ArrayRef<Interval> windows,
                            llvm::function_ref<void(int64_t element)> visit) {
  Intervals set;
  appendDifference(set, *lane.needed, lane.start, {}, 0);
  if (!windows.empty())
    set = numbers.clipped(set, windows);
  if (!spend(sizeOf(set)))
    return;
  for (const Interval &one : set)
    for (int64_t element = one.low; element < one.high; ++element)
      visit(element);
}

int64_t JointRank::tileSize(llvm::ArrayRef<int64_t> lengths, llvm::ArrayRef<int64_t> starts) {
  if (work < 0)
    return 0;
  const Intervals &set = tile(lengths);
  if (starts.empty())
    return sizeOf(set);
  std::vector<CutSearch::List> lists;
  llvm::SmallVector<IndexRange, 4> ranges;
  for (size_t k = 0; k < lengths.size(); ++k) {
    lists.push_back({starts.slice(k, 1), 0, lengths[k] - 1});
    ranges.push_back({0, 1});
  }
  std::map<std::vector<Interval>, Checked> cuts;
  CutSearch(group, lists, work, cuts).visit(ranges);
  spend(static_cast<int64_t>(set.size()));
  return cuts.empty() ? 0 : sizeOf(numbers.clipped(set, cuts.begin()->first));
}
