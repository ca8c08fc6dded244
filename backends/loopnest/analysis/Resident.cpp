// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Resident.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include "backends/loopnest/analysis/ValueSet.h"
#include <algorithm>
#include <memory>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// A rank of a kept tensor, or ranks that share dimensions, with the sizes of its sets.
struct SizedRank {
  const Rank *rank; ///< null for a group
  ValueSets sets;
  std::unique_ptr<JointRank> group;
  llvm::SmallVector<unsigned, 4> dims;
  bool isCut;       ///< by padding
  int64_t size = 1; ///< in the choice under evaluation; windows under padding only
};

/// One choice of starts in dimensions that padding ties together, as what matters of it: lengths of
/// the dimensions, then sizes of the ranks that padding cuts.
using Candidate = std::vector<int64_t>;

struct Component {
  std::vector<unsigned> dims;
  std::vector<SizedRank *> ranks;
  std::vector<Candidate> front; ///< candidates that no other beats everywhere
};

class ResidentCount {
public:
  ResidentCount(const LevelDigits &digits, llvm::ArrayRef<Factors> factors, MemoryCounts &memory,
                SetWork &work);
  bool run();

private:
  void makeComponents();
  void fillFront(Component &component);
  int64_t cutSize(SizedRank &rank, llvm::ArrayRef<int64_t> starts);
  Checked uncutSize(SizedRank &rank);
  Checked sizeOf(SizedRank &rank);
  void combine(unsigned component);
  void evaluate();

  const LevelDigits &digits;
  MemoryCounts &memory;
  SetWork &work;
  std::vector<int64_t> wordBits;               ///< by tensor
  std::vector<std::vector<SizedRank>> tensors; ///< empty where not kept
  std::vector<Component> components;
  std::vector<int64_t> lengths; ///< by dimension, in the choice under evaluation
  bool overflow = false;
};

} // namespace

ResidentCount::ResidentCount(const LevelDigits &digits, llvm::ArrayRef<Factors> factors,
                             MemoryCounts &memory, SetWork &work)
    : digits(digits), memory(memory), work(work),
      wordBits(heldBits(*digits.flat->nest, *digits.flat->memories[digits.level], memory)),
      tensors(factors.size()) {
  for (unsigned t = 0; t < factors.size(); ++t) {
    if (!memory.tensors[t])
      continue;
    for (const Rank &rank : factors[t].ranks) {
      tensors[t].push_back({&rank, ValueSets(rank.terms), nullptr, {}, rank.extent.hasValue()});
      for (const Term &term : rank.terms)
        tensors[t].back().dims.push_back(term.dim);
    }
    for (const RankGroup &group : factors[t].groups) {
      bool isCut = llvm::any_of(group.ranks, [](const Rank &r) { return r.extent.hasValue(); });
      tensors[t].push_back({nullptr, ValueSets({}),
                            std::make_unique<JointRank>(digits, group, work), group.dims, isCut});
    }
  }
  for (const Digits &dim : digits.dims)
    lengths.push_back(std::min(dim.tile(), dim.size()));
}

void ResidentCount::makeComponents() {
  std::vector<unsigned> leader(lengths.size());
  std::iota(leader.begin(), leader.end(), 0u);
  std::vector<SizedRank *> cut;
  for (std::vector<SizedRank> &ranks : tensors)
    for (SizedRank &rank : ranks)
      if (rank.isCut && !rank.dims.empty())
        cut.push_back(&rank);
  for (SizedRank *rank : cut)
    for (unsigned dim : rank->dims) {
      unsigned from = leader[dim], to = leader[rank->dims.front()];
      std::replace(leader.begin(), leader.end(), from, to);
    }
  for (unsigned dim = 0; dim < leader.size(); ++dim) {
    Component component;
    for (SizedRank *rank : cut)
      if (leader[rank->dims.front()] == dim)
        component.ranks.push_back(rank);
    for (unsigned d = 0; d < leader.size(); ++d)
      if (leader[d] == dim)
        component.dims.push_back(d);
    if (!component.ranks.empty())
      components.push_back(std::move(component));
  }
}

/// Elements of a window that are not padding, with its dimensions starting at `starts`.
int64_t ResidentCount::cutSize(SizedRank &rank, llvm::ArrayRef<int64_t> starts) {
  llvm::SmallVector<int64_t, 4> sizes, own;
  for (unsigned d : rank.dims) {
    const Digits &dim = digits.dims[d];
    own.push_back(starts[d]);
    sizes.push_back(std::min(dim.tile(), dim.size() - starts[d]));
  }
  if (rank.group)
    return rank.group->tileSize(sizes, own);
  int64_t base = rank.rank->constant;
  for (const Term &term : rank.rank->terms)
    base += term.coefficient * starts[term.dim];
  if (rank.rank->terms.size() > 1)
    return rank.sets.of(sizes).countWithin(-base, *rank.rank->extent - base);
  unsigned dim = rank.rank->terms.front().dim;
  IndexRange range = unpadded(*rank.rank, digits.dims[dim].size());
  return std::max<int64_t>(0, std::min(starts[dim] + sizes.front(), range.high) -
                                  std::max(starts[dim], range.low));
}

static bool covers(const Candidate &a, const Candidate &b) {
  for (unsigned i = 0; i < a.size(); ++i)
    if (a[i] < b[i])
      return false;
  return true;
}

static void addToFront(std::vector<Candidate> &front, Candidate candidate) {
  if (llvm::any_of(front, [&](const Candidate &other) { return covers(other, candidate); }))
    return;
  llvm::erase_if(front, [&](const Candidate &other) { return covers(candidate, other); });
  front.push_back(std::move(candidate));
}

void ResidentCount::fillFront(Component &component) {
  Candidate best;
  for (unsigned dim : component.dims)
    best.push_back(lengths[dim]);
  for (SizedRank *rank : component.ranks)
    best.push_back(uncutSize(*rank).value());
  std::vector<int64_t> starts(lengths.size(), 0);
  for (unsigned k = component.dims.size();;) {
    Candidate candidate;
    for (unsigned dim : component.dims)
      candidate.push_back(std::min(digits.dims[dim].tile(), digits.dims[dim].size() - starts[dim]));
    for (SizedRank *rank : component.ranks)
      candidate.push_back(cutSize(*rank, starts));
    bool done = candidate == best || --work < 0;
    addToFront(component.front, std::move(candidate));
    for (k = component.dims.size(); k > 0; --k) {
      unsigned dim = component.dims[k - 1];
      if ((starts[dim] += digits.dims[dim].tile()) < digits.dims[dim].size())
        break;
      starts[dim] = 0;
    }
    if (done || k == 0)
      return;
  }
}

/// In a tile of the lengths under evaluation.
Checked ResidentCount::uncutSize(SizedRank &rank) {
  llvm::SmallVector<int64_t, 4> sizes;
  for (unsigned dim : rank.dims)
    sizes.push_back(lengths[dim]);
  return rank.group ? Checked(rank.group->tileSize(sizes)) : countValues(rank.rank->terms, sizes);
}

Checked ResidentCount::sizeOf(SizedRank &rank) {
  if (rank.isCut)
    return rank.dims.empty() ? 0 : rank.size;
  return rank.dims.empty() ? 1 : uncutSize(rank);
}

void ResidentCount::evaluate() {
  Checked words = 0, bits = 0;
  for (unsigned t = 0; t < tensors.size(); ++t) {
    if (!memory.tensors[t])
      continue;
    Checked size = 1;
    for (SizedRank &rank : tensors[t])
      size *= sizeOf(rank);
    words += size;
    bits += size * Checked(wordBits[t]);
    int64_t &most = memory.tensors[t]->maxResident;
    most = std::max(most, size.value());
  }
  overflow |= words.overflowed() || bits.overflowed();
  memory.maxResident = std::max(memory.maxResident, words.value());
  memory.maxResidentBits = std::max(memory.maxResidentBits, bits.value());
}

void ResidentCount::combine(unsigned index) {
  if (index == components.size())
    return evaluate();
  Component &component = components[index];
  for (const Candidate &candidate : component.front) {
    unsigned i = 0;
    for (unsigned dim : component.dims)
      lengths[dim] = candidate[i++];
    for (SizedRank *rank : component.ranks)
      rank->size = candidate[i++];
    combine(index + 1);
  }
}

bool ResidentCount::run() {
  makeComponents();
  for (Component &component : components)
    fillFront(component);
  combine(0);
  return !overflow;
}

bool loopnest::countResident(const LevelDigits &digits, llvm::ArrayRef<Factors> factors,
                             MemoryCounts &memory, SetWork &work) {
  return ResidentCount(digits, factors, memory, work).run();
}
