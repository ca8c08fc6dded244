// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/HopFactors.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

HopFactors::HopFactors(const LevelDigits &digits, unsigned above, unsigned array)
    : digits(digits), begin(digits.flat->levels[above].parallel),
      unit(digits.flat->parallel.size()) {
  const FlatNest &flat = *digits.flat;
  int64_t copies = 1;
  for (unsigned i = flat.arrays[array].begin; i-- > begin;) {
    unit[i].copy = copies;
    copies *= flat.parallel[i].factor;
  }
  for (unsigned i = flat.arrays[array].begin; i < flat.arrays[array].end; ++i)
    (flat.parallel[i].axis == 0 ? unit[i].x : unit[i].y) = flat.parallel[i].stride;
}

llvm::SmallVector<unsigned, 4> HopFactors::between(unsigned dim) const {
  llvm::SmallVector<unsigned, 4> positions;
  llvm::ArrayRef<Digit> list = digits.dims[dim].list();
  for (unsigned i = 0; i < list.size(); ++i)
    if (list[i].parallel && list[i].loop >= begin)
      positions.push_back(i);
  return positions;
}

Spot HopFactors::spot(unsigned dim, llvm::ArrayRef<FixedDigit> setting) const {
  Spot sum;
  for (const FixedDigit &digit : setting) {
    const Spot &one = unit[digits.dims[dim].list()[digit.position].loop];
    sum.copy += digit.value * one.copy;
    sum.x += digit.value * one.x;
    sum.y += digit.value * one.y;
  }
  return sum;
}

/// Active lanes are the first few settings of the joint loops: a lane is active in a group only if
/// those before it are, so groups with exactly n lanes are those where lane n is the last.
Footprints HopFactors::raggedGroups(unsigned dim, const Transition &transition,
                                    const JointLoops &joint) const {
  const Digits &list = digits.dims[dim];
  llvm::SmallVector<unsigned, 4> together, apart;
  for (unsigned position : between(dim))
    (joint[list.list()[position].loop] ? together : apart).push_back(position);
  Digits::Choices choices;
  for (const Digit &digit : list.list())
    choices.push_back(digit.parallel ? Choice::any(digit.factor)
                                     : transition.choice(digit.loop, digit.factor));
  auto fix = [&](llvm::ArrayRef<FixedDigit> setting) {
    for (const FixedDigit &digit : setting)
      choices[digit.position] = Choice::only(digit.value);
  };
  Footprints result;
  forSettings(list, apart, [&](llvm::ArrayRef<FixedDigit> own) {
    fix(own);
    Spot base = spot(dim, own);
    std::vector<Reader> readers;
    int64_t groups = 0;
    forSettings(list, together, [&](llvm::ArrayRef<FixedDigit> lane) {
      fix(lane);
      int64_t active = list.countBelow(list.size(), choices);
      if (!readers.empty() && groups > active)
        result[columnsOf(readers)] += groups - active;
      groups = active;
      Spot at = spot(dim, lane);
      readers.push_back({{base.copy + at.copy, base.x + at.x, base.y + at.y}, true});
    });
    if (groups > 0)
      result[columnsOf(readers)] += groups;
  });
  return result;
}

/// The settings of one digit as readers of one word each, or `together` of the same word.
Footprints HopFactors::digitReaders(unsigned dim, const DigitRange &range, bool together) const {
  Footprints result;
  std::vector<Reader> readers;
  for (int64_t value = range.first; value < range.end; ++value) {
    readers.push_back({spot(dim, FixedDigit{range.position, value}), true});
    if (together && value + 1 < range.end)
      continue;
    result[columnsOf(std::move(readers))] += 1;
    readers.clear();
  }
  return result;
}

FootprintSum HopFactors::unusedDim(unsigned dim, const Transition &transition,
                                   const JointLoops &joint) const {
  const Digits &list = digits.dims[dim];
  llvm::SmallVector<unsigned, 4> positions = between(dim);
  std::vector<LaneBlock> blocks = laneBlocks(list, positions, {0, list.size()});
  bool uniform = blocks.size() == 1 && llvm::all_of(blocks[0].digits, [&](const DigitRange &r) {
                   return r.end - r.first == list.list()[r.position].factor;
                 });
  if (!uniform)
    return {{raggedGroups(dim, transition, joint)}};
  Digits::Choices choices;
  for (const Digit &digit : list.list())
    choices.push_back(digit.parallel ? Choice::any(digit.factor)
                                     : transition.choice(digit.loop, digit.factor));
  for (unsigned position : positions)
    choices[position] = Choice::only(0);
  std::vector<Footprints> product = {
      {{columnsOf({{Spot(), true}}), list.countBelow(list.size(), choices)}}};
  for (const DigitRange &range : blocks[0].digits)
    product.push_back(digitReaders(dim, range, joint[list.list()[range.position].loop]));
  return {product};
}

static Footprints oneReader(const Spot &at, const RankSums &sums, bool hasPrevious) {
  Footprints result;
  Checked kept = hasPrevious ? sums.kept : 0;
  result[columnsOf({{at, false}})] = sums.all - kept;
  if (hasPrevious)
    result[columnsOf({{at, true}})] = kept;
  return result;
}

FootprintSum HopFactors::plainRank(const Rank &rank, const Transition &transition,
                                   llvm::ArrayRef<unsigned> outer) const {
  bool previous = transition.hasPrevious();
  if (rank.terms.empty())
    return {{oneReader(Spot(), loopnest::plainRank(digits, rank, transition, outer), previous)}};
  unsigned dim = rank.terms.front().dim;
  const Digits &list = digits.dims[dim];
  FootprintSum result;
  for (const LaneBlock &block : laneBlocks(list, between(dim), unpadded(rank, list.size()))) {
    llvm::SmallVector<FixedDigit, 4> lane, single;
    std::vector<Footprints> product(1);
    for (const DigitRange &range : block.digits) {
      lane.push_back({range.position, range.first});
      if (range.end - range.first == 1)
        single.push_back(lane.back());
      else
        product.push_back(digitReaders(dim, range, false));
    }
    product.front() = oneReader(
        spot(dim, single), loopnest::plainRank(digits, rank, transition, outer, lane), previous);
    result.push_back(std::move(product));
  }
  return result;
}

bool HopFactors::leaveTogether(unsigned dim) const {
  const Digits &list = digits.dims[dim];
  if (llvm::all_of(list.list(), [](const Digit &digit) { return digit.parallel; }))
    return true;
  std::vector<LaneBlock> blocks = laneBlocks(list, between(dim), {0, list.size()});
  return llvm::all_of(blocks, [&](const LaneBlock &b) { return b.tiles == blocks[0].tiles; });
}

FootprintSum HopFactors::inPlace(const RankSums &sums, const Transition &transition) const {
  return {{oneReader(Spot(), sums, transition.hasPrevious())}};
}

/// Where the lane with these tiles of `dims` stands.
Spot HopFactors::spotOf(llvm::ArrayRef<unsigned> dims,
                        llvm::ArrayRef<const LaneTile *> tiles) const {
  Spot at;
  for (unsigned k = 0; k < dims.size(); ++k) {
    unsigned i = 0;
    for (unsigned position : between(dims[k])) {
      Spot part = spot(dims[k], FixedDigit{position, tiles[k]->setting[i++]});
      at = {at.copy + part.copy, at.x + part.x, at.y + part.y};
    }
  }
  return at;
}

FootprintSum HopFactors::jointRank(JointRank &rank, llvm::ArrayRef<unsigned> dims,
                                   const Transition &transition, const JointLoops &joint) const {
  Footprints result;
  rank.forGroups(transition, joint, begin, [&](const JointGroup &group) {
    for (const auto &[windows, count] : group.cuts) {
      std::map<int64_t, std::vector<Reader>> readers;
      for (const JointLane &lane : group.lanes) {
        Spot at = spotOf(dims, lane.tiles);
        rank.forElements(lane, windows, [&](int64_t element) {
          readers[element].push_back(
              {at, lane.held && contains(*lane.held, element - lane.heldStart)});
        });
      }
      for (auto &entry : readers)
        result[columnsOf(std::move(entry.second))] += count;
    }
  });
  return {{std::move(result)}};
}

/// Where elements begin or end to be needed or held by some lane, padding left out.
static std::vector<int64_t> cutsOf(const WindowGroup &group) {
  std::vector<int64_t> cuts;
  auto add = [&](const ValueSet &set, int64_t start) {
    for (const Interval &one : set.intervals())
      for (int64_t end : {one.low, one.high})
        cuts.push_back(std::min(std::max(end + start, group.low), group.high));
  };
  for (const WindowLane &lane : group.lanes) {
    add(*lane.needed, lane.start);
    if (lane.held)
      add(*lane.held, lane.heldStart);
  }
  llvm::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

FootprintSum HopFactors::windowRank(WindowRank &rank, llvm::ArrayRef<Term> terms,
                                    const Transition &transition, const JointLoops &joint) const {
  llvm::SmallVector<unsigned, 4> dims;
  for (const Term &term : terms)
    dims.push_back(term.dim);
  Footprints result;
  rank.forGroups(transition, joint, begin, [&](const WindowGroup &group) {
    // Between these all elements have the same readers.
    std::vector<int64_t> cuts = cutsOf(group);
    std::vector<std::vector<Reader>> readers(cuts.size());
    for (const WindowLane &lane : group.lanes) {
      Spot at = spotOf(dims, lane.tiles);
      for (const Interval &one : lane.needed->intervals())
        for (size_t i = llvm::lower_bound(cuts, one.low + lane.start) - cuts.begin();
             i < cuts.size() && cuts[i] < std::min(one.high + lane.start, group.high); ++i)
          readers[i].push_back(
              {at, lane.held && contains(lane.held->intervals(), cuts[i] - lane.heldStart)});
    }
    for (size_t i = 0; i + 1 < cuts.size(); ++i)
      if (!readers[i].empty())
        result[columnsOf(std::move(readers[i]))] += group.count * Checked(cuts[i + 1] - cuts[i]);
  });
  return {{std::move(result)}};
}
