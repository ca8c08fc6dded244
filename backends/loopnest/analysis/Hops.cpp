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
           unsigned level, unsigned array, SetWork &work);
  /// Trees to all that enters the level; for the output, of all that leaves it.
  Flow trees();
  /// Ways of the sums that are read back.
  Checked readBacks();
  /// Trees run along two axes at most, and words enter at the one lane in use of any other.
  bool hasTrees() const;
  /// Writers of a sum leave it together, so that the trees are exact.
  bool leavesTogether() const;

private:
  Checked trees(const JointLoops &joint);
  Checked ways(unsigned level, bool shared);
  Checked waysOfAll();
  llvm::SmallVector<unsigned, 4> keepersAbove(unsigned level) const;
  TreeSum emptySum() const;

  llvm::ArrayRef<LevelDigits> levels;
  const FlatNest &flat;
  const Factors &factors;
  unsigned tensor, level, above, array;
  HopFactors hops;
  SetWork &work;
  std::vector<std::unique_ptr<WindowRank>> windows;
  std::vector<std::unique_ptr<JointRank>> groups;
};

} // namespace

Crossing::Crossing(llvm::ArrayRef<LevelDigits> levels, const Factors &factors, unsigned tensor,
                   unsigned level, unsigned array, SetWork &work)
    : levels(levels), flat(*levels.front().flat), factors(factors), tensor(tensor), level(level),
      above(flat.parent(level, tensor)), array(array), hops(levels[level], above, array),
      work(work) {
  for (const RankGroup &group : factors.groups)
    groups.push_back(std::make_unique<JointRank>(levels[level], group, work));
  for (const Rank &rank : factors.ranks)
    windows.push_back(
        rank.terms.size() > 1 ? std::make_unique<WindowRank>(levels[level], rank, work) : nullptr);
}

bool Crossing::hasTrees() const {
  for (unsigned i = flat.arrays[array].begin; i < flat.arrays[array].end; ++i)
    if (flat.parallel[i].axis > 1)
      return false;
  for (unsigned axis = 2; axis < flat.arrays[array].place->axes.size(); ++axis)
    if (entryPosition(flat.arrays[array], axis) > 0)
      return false;
  return true;
}

bool Crossing::leavesTogether() const {
  return tensor != flat.output || level == flat.lanes() ||
         llvm::all_of(factors.unused, [&](unsigned dim) { return hops.leaveTogether(dim); });
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
    std::vector<FootprintSum> product;
    for (unsigned dim : factors.unused)
      product.push_back(hops.unusedDim(dim, transition, joint));
    for (unsigned r = 0; r < windows.size(); ++r)
      product.push_back(
          windows[r] ? hops.windowRank(*windows[r], factors.ranks[r].terms, transition, joint)
                     : hops.plainRank(factors.ranks[r], transition, keepersAbove(level)));
    for (unsigned g = 0; g < groups.size(); ++g)
      product.push_back(hops.jointRank(*groups[g], factors.groups[g].dims, transition, joint));
    sum += emptySum().totalWith(product);
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
/// keeps it at or above this one. No array between memories is along windows of the output.
Checked Crossing::ways(unsigned at, bool shared) {
  Networks networks = networksBetween(flat, flat.parent(at, tensor), at, tensor);
  const JointLoops &none = networks.separate;
  Checked sum = 0;
  for (const Transition &transition : transitionsOf(flat, at)) {
    std::vector<FootprintSum> product;
    Checked settings = 1;
    for (unsigned dim : factors.unused)
      settings *= loopnest::unusedDim(levels[at].dims[dim], transition,
                                      shared ? networks.shared : networks.separate)
                      .all;
    for (const Rank &rank : factors.ranks)
      product.push_back(
          rank.terms.size() > 1
              ? hops.inPlace(WindowRank(levels[at], rank, work).sums(transition, none), transition)
              : hops.plainRank(rank, transition, keepersAbove(at)));
    for (const RankGroup &group : factors.groups)
      product.push_back(
          hops.inPlace(JointRank(levels[at], group, work).sums(transition, none), transition));
    sum += settings * emptySum().totalWith(product);
  }
  return sum;
}

/// The same for each element of the output once.
Checked Crossing::waysOfAll() {
  std::vector<FootprintSum> product;
  const Transition first{Transition::First, 0, 0};
  Factors coupled;
  for (const Rank &rank : factors.ranks) {
    if (rank.terms.size() > 1)
      coupled.ranks.push_back(rank);
    else
      product.push_back(hops.plainRank(rank, first, {}));
  }
  coupled.groups = factors.groups;
  product.push_back(hops.inPlace({touchedElements(levels.front(), coupled, work), 0}, first));
  return emptySum().totalWith(product);
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

static bool reaches(const FlatArray &array, const FlatNest &flat, unsigned above, unsigned level) {
  return array.begin < array.end && array.begin >= flat.levels[above].parallel &&
         array.end <= flat.levels[level].parallel;
}

bool loopnest::countHops(llvm::ArrayRef<LevelDigits> levels, const Factors &factors,
                         unsigned tensor, std::vector<ArrayCounts> &arrays, SetWork &work) {
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
      Crossing crossing(levels, factors, tensor, level, a, work);
      if (!crossing.hasTrees()) {
        arrays[a].hops[tensor] = llvm::None;
        continue;
      }
      Flow flow = crossing.trees();
      bool sums = tensor == flat.output && level < flat.lanes();
      Checked back = sums ? crossing.readBacks() : Checked(0);
      Checked shared = flow.shared + back, separate = flow.separate + back;
      Checked declared = flow.declared + back;
      NetworkCount count{shared.value(), separate.value(), declared.value()};
      bool exact = crossing.leavesTogether();
      arrays[a].hops[tensor] = exact ? llvm::Optional<NetworkCount>(count) : llvm::None;
      if (!exact) {
        arrays[a].hopEstimates.resize(arrays[a].hops.size());
        arrays[a].hopEstimates[tensor] = count;
      }
      fits &= !shared.overflowed() && !separate.overflowed() && !declared.overflowed();
    }
  }
  return fits;
}
