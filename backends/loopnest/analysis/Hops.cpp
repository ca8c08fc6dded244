// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Hops.h"
#include "backends/loopnest/analysis/Delivery.h"
#include "backends/loopnest/analysis/HopFactors.h"
#include <memory>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// Hops of one tensor on the way between one level and its parent, in one array.
class Crossing {
public:
  Crossing(llvm::ArrayRef<LevelDigits> levels, const Factors &factors, unsigned tensor,
           unsigned level, unsigned array);
  /// Trees to all that enters the level; for the output, of all that leaves it.
  Flow trees();
  /// Ways of the sums that are read back.
  Checked readBacks();

private:
  Checked trees(const JointLoops &joint);
  Checked ways(unsigned level, bool shared);
  Checked waysOfAll();
  Footprints counted(Checked count) const { return {{columnsOf({{Spot(), true}}), count}}; }
  llvm::SmallVector<unsigned, 4> keepersAbove(unsigned level) const;
  TreeSum emptySum() const;

  llvm::ArrayRef<LevelDigits> levels;
  const FlatNest &flat;
  const Factors &factors;
  unsigned tensor, level, above, array;
  HopFactors hops;
  std::vector<std::unique_ptr<WindowRank>> windows;
};

} // namespace

Crossing::Crossing(llvm::ArrayRef<LevelDigits> levels, const Factors &factors, unsigned tensor,
                   unsigned level, unsigned array)
    : levels(levels), flat(*levels.front().flat), factors(factors), tensor(tensor), level(level),
      above(flat.parent(level, tensor)), array(array), hops(levels[level], above, array) {
  for (const Rank &rank : factors.ranks)
    windows.push_back(rank.terms.size() > 1 ? std::make_unique<WindowRank>(levels[level], rank)
                                            : nullptr);
}

TreeSum Crossing::emptySum() const {
  const FlatArray &a = flat.arrays[array];
  return TreeSum(a.place->axes.size() > 1 ? entryPosition(a, 1) : 0);
}

llvm::SmallVector<unsigned, 4> Crossing::keepersAbove(unsigned of) const {
  llvm::SmallVector<unsigned, 4> result;
  if (tensor == flat.output)
    for (unsigned other = 0; other < of; ++other)
      if (flat.levels[other].keeps[tensor])
        result.push_back(other);
  return result;
}

Checked Crossing::trees(const JointLoops &joint) {
  Checked sum = 0;
  for (const Transition &transition : transitionsOf(flat, level)) {
    TreeSum tree = emptySum();
    for (unsigned dim : factors.unused)
      tree.multiply(hops.unusedDim(dim, transition, joint));
    for (unsigned r = 0; r < windows.size(); ++r)
      tree.multiply(windows[r]
                        ? hops.windowRank(*windows[r], factors.ranks[r].terms, transition, joint)
                        : hops.plainRank(factors.ranks[r], transition, keepersAbove(level)));
    sum += tree.total();
  }
  return sum;
}

Flow Crossing::trees() {
  Networks networks = networksBetween(flat, above, level, tensor);
  Flow flow;
  flow.shared = trees(networks.shared);
  flow.separate = trees(networks.separate);
  flow.declared = networks.declared == networks.shared     ? flow.shared
                  : networks.declared == networks.separate ? flow.separate
                                                           : trees(networks.declared);
  return flow;
}

/// Ways to the first reader below of each element of the output that enters `at`, a level that
/// keeps it at or above this one.
Checked Crossing::ways(unsigned at, bool shared) {
  Networks networks = networksBetween(flat, flat.parent(at, tensor), at, tensor);
  Checked sum = 0;
  for (const Transition &transition : transitionsOf(flat, at)) {
    TreeSum tree = emptySum();
    for (unsigned dim : factors.unused)
      tree.multiply(counted(loopnest::unusedDim(levels[at].dims[dim], transition,
                                                shared ? networks.shared : networks.separate)
                                .all));
    for (const Rank &rank : factors.ranks)
      tree.multiply(hops.plainRank(rank, transition, keepersAbove(at)));
    sum += tree.total();
  }
  return sum;
}

/// The same for each element of the output once.
Checked Crossing::waysOfAll() {
  TreeSum tree = emptySum();
  for (const Rank &rank : factors.ranks)
    tree.multiply(hops.plainRank(rank, {Transition::First, 0, 0}, {}));
  return tree.total();
}

/// Read back is what enters less what starts from zero: of that there is as much as in the parent,
/// where it is what enters all instances less what is read back there, and so on outward.
Checked Crossing::readBacks() {
  Checked fromZero = waysOfAll(), back = 0;
  for (unsigned at = 1; at <= level; ++at) {
    if (!flat.levels[at].keeps[tensor])
      continue;
    back = ways(at, true) - fromZero;
    fromZero = ways(at, false) - back;
  }
  return back;
}

/// Whether all writers of a sum that enter together also leave together, whatever is ragged: no
/// parallel loop that the output does not use, between a memory and its parent, has a loop in time
/// of the same dimension outside that some lanes run through less often than others.
static bool leavesTogether(const LevelDigits &digits, const Factors &factors, unsigned above) {
  const FlatNest &flat = *digits.flat;
  if (digits.level == flat.lanes())
    return true;
  for (unsigned dim : factors.unused) {
    const Digits &list = digits.dims[dim];
    bool inTime = false;
    llvm::SmallVector<unsigned, 4> between;
    Digits::Choices choices;
    for (unsigned i = 0; i < list.list().size(); ++i) {
      const Digit &digit = list.list()[i];
      inTime |= !digit.parallel;
      if (digit.parallel && digit.loop >= flat.levels[above].parallel)
        between.push_back(i);
      choices.push_back(Choice::any(digit.factor));
    }
    if (!inTime || between.empty())
      continue;
    llvm::Optional<int64_t> common;
    bool alike = true;
    forSettings(list, between, [&](llvm::ArrayRef<FixedDigit> setting) {
      for (const FixedDigit &digit : setting)
        choices[digit.position] = Choice::only(digit.value);
      int64_t count = list.countBelow(list.size(), choices);
      alike &= count == 0 || !common || *common == count;
      if (!common)
        common = count;
    });
    if (!alike)
      return false;
  }
  return true;
}

static bool reaches(const FlatArray &array, const FlatNest &flat, unsigned above, unsigned level) {
  return array.begin < array.end && array.begin >= flat.levels[above].parallel &&
         array.end <= flat.levels[level].parallel;
}

static bool isFlat(const FlatArray &array, const FlatNest &flat) {
  for (unsigned i = array.begin; i < array.end; ++i)
    if (flat.parallel[i].axis > 1)
      return false;
  return true;
}

bool loopnest::countHops(llvm::ArrayRef<LevelDigits> levels, const Factors &factors,
                         unsigned tensor, std::vector<ArrayCounts> &arrays) {
  const FlatNest &flat = *levels.front().flat;
  for (unsigned a = 0; a < arrays.size(); ++a)
    arrays[a].hops[tensor] = NetworkCount();
  bool fits = true;
  for (unsigned level = 1; level < levels.size(); ++level) {
    if (!flat.levels[level].keeps[tensor])
      continue;
    unsigned above = flat.parent(level, tensor);
    for (unsigned a = 0; a < arrays.size(); ++a) {
      if (!reaches(flat.arrays[a], flat, above, level))
        continue;
      bool output = tensor == flat.output;
      if (!isFlat(flat.arrays[a], flat) ||
          (output && !leavesTogether(levels[level], factors, above))) {
        arrays[a].hops[tensor] = llvm::None;
        continue;
      }
      Crossing crossing(levels, factors, tensor, level, a);
      Flow flow = crossing.trees();
      Checked back = output && level < flat.lanes() ? crossing.readBacks() : Checked(0);
      Checked shared = flow.shared + back, separate = flow.separate + back;
      Checked declared = flow.declared + back;
      arrays[a].hops[tensor] = NetworkCount{shared.value(), separate.value(), declared.value()};
      fits &= !shared.overflowed() && !separate.overflowed() && !declared.overflowed();
    }
  }
  return fits;
}
