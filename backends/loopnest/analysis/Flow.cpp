// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Flow.h"
#include "backends/loopnest/analysis/Decouple.h"
#include "backends/loopnest/analysis/WindowRank.h"
#include <algorithm>
#include <memory>

using namespace perfc;
using namespace perfc::loopnest;

/// Puts a rank last that has a dimension of its own: rows are long along it.
static void orderRanks(RankGroup &group) {
  auto isOwn = [&](const Term &term) {
    return llvm::count_if(group.ranks, [&](const Rank &rank) {
             return llvm::any_of(rank.terms, [&](const Term &t) { return t.dim == term.dim; });
           }) == 1;
  };
  auto last =
      llvm::find_if(group.ranks, [&](const Rank &rank) { return llvm::any_of(rank.terms, isOwn); });
  if (last != group.ranks.end())
    std::rotate(last, last + 1, group.ranks.end());
}

/// A window whose elements are too many to be marked one by one; intervals of them are not. Strides
/// leave gaps, and so nearly as many intervals: only the longest are worth them.
static bool isLongWindow(const Nest &nest, const Rank &rank) {
  bool hasGaps =
      llvm::any_of(rank.terms, [](const Term &term) { return std::abs(term.coefficient) > 1; });
  int64_t most = int64_t(1) << (hasGaps ? 30 : 26);
  Checked span = 0;
  for (const Term &term : rank.terms)
    span += Checked(std::abs(term.coefficient)) * (nest.dims[term.dim].size - 1);
  return rank.terms.size() > 1 && (span.overflowed() || span.value() > most);
}

Factors loopnest::factorsOf(const Nest &nest, unsigned tensor) {
  Factors factors;
  llvm::SmallVector<bool, 8> used(nest.dims.size(), false);
  std::vector<Rank> ranks;
  std::vector<llvm::SmallVector<unsigned, 4>> dims;
  for (const Subscript &subscript : nest.tensors[tensor].ranks) {
    ranks.push_back(normalise(nest, subscript));
    dims.emplace_back();
    for (const Term &term : ranks.back().terms) {
      dims.back().push_back(term.dim);
      used[term.dim] = true;
    }
  }
  for (const std::vector<unsigned> &group : coupledRanks(dims)) {
    if (group.size() == 1 && !isLongWindow(nest, ranks[group.front()])) {
      factors.ranks.push_back(ranks[group.front()]);
      continue;
    }
    RankGroup &joint = factors.groups.emplace_back();
    for (unsigned rank : group) {
      joint.ranks.push_back(ranks[rank]);
      for (unsigned dim : dims[rank])
        if (!llvm::is_contained(joint.dims, dim))
          joint.dims.push_back(dim);
    }
    orderRanks(joint);
  }
  for (unsigned dim = 0; dim < used.size(); ++dim)
    if (!used[dim])
      factors.unused.push_back(dim);
  return factors;
}

Networks loopnest::networksBetween(const FlatNest &flat, unsigned above, unsigned below,
                                   unsigned tensor) {
  JointLoops none(flat.parallel.size(), false);
  Networks result{none, none, none};
  for (unsigned i = flat.levels[above].parallel; i < flat.levels[below].parallel; ++i) {
    result.shared[i] = true;
    result.declared[i] = flat.shares(i, tensor);
  }
  return result;
}

namespace {

/// The factors of one tensor at one level, ready to be summed.
class Product {
public:
  Product(const LevelDigits &digits, const Factors &factors, llvm::ArrayRef<unsigned> outer,
          SetWork &work)
      : digits(digits), factors(factors), outer(outer) {
    for (const RankGroup &group : factors.groups)
      groups.push_back(std::make_unique<JointRank>(digits, group, work));
    for (const Rank &rank : factors.ranks)
      windows.push_back(rank.terms.size() > 1 ? std::make_unique<WindowRank>(digits, rank, work)
                                              : nullptr);
  }

  Checked moved(const Transition &transition, const JointLoops &joint) {
    RankSums product;
    auto multiply = [&](const RankSums &sums) {
      product.all *= sums.all;
      product.kept *= sums.kept;
    };
    for (unsigned dim : factors.unused)
      multiply(unusedDim(digits.dims[dim], transition, joint));
    for (unsigned r = 0; r < windows.size(); ++r)
      multiply(windows[r] ? windows[r]->sums(transition, joint)
                          : plainRank(digits, factors.ranks[r], transition, outer));
    for (const std::unique_ptr<JointRank> &group : groups)
      multiply(group->sums(transition, joint));
    return transition.hasPrevious() ? product.all - product.kept : product.all;
  }

private:
  const LevelDigits &digits;
  const Factors &factors;
  llvm::ArrayRef<unsigned> outer;
  std::vector<std::unique_ptr<WindowRank>> windows;
  std::vector<std::unique_ptr<JointRank>> groups;
};

} // namespace

Flow loopnest::entering(const LevelDigits &digits, const Factors &factors, unsigned tensor,
                        SetWork &work) {
  const FlatNest &flat = *digits.flat;
  unsigned above = flat.parent(digits.level, tensor);
  llvm::SmallVector<unsigned, 4> outer;
  if (tensor == flat.output)
    for (unsigned level = 0; level <= above; ++level)
      if (flat.levels[level].keeps[tensor])
        outer.push_back(level);
  Networks networks = networksBetween(flat, above, digits.level, tensor);
  Product product(digits, factors, outer, work);
  Flow flow;
  for (const Transition &transition : transitionsOf(flat, digits.level)) {
    Checked shared = product.moved(transition, networks.shared);
    bool alone = networks.shared == networks.separate;
    Checked separate = alone ? shared : product.moved(transition, networks.separate);
    flow.shared += shared;
    flow.separate += separate;
    flow.declared += networks.declared == networks.shared ? shared
                     : networks.declared == networks.separate
                         ? separate
                         : product.moved(transition, networks.declared);
  }
  return flow;
}

Checked loopnest::touchedElements(const LevelDigits &outermost, const Factors &factors,
                                  SetWork &work) {
  JointLoops none(outermost.flat->parallel.size(), false);
  return Product(outermost, factors, {}, work).moved({Transition::First, 0, 0}, none);
}
