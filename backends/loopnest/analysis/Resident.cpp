// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Resident.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include "backends/loopnest/analysis/ValueSet.h"
#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// A rank of a kept tensor with the sizes of its sets.
struct SizedRank {
  const Rank *rank;
  ValueSets sets;
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
  ResidentCount(const LevelDigits &digits, llvm::ArrayRef<Factors> factors, MemoryCounts &memory);
  bool run();

private:
  void makeComponents();
  void fillFront(Component &component);
  int64_t cutSize(SizedRank &rank, llvm::ArrayRef<int64_t> starts);
  Checked sizeOf(SizedRank &rank);
  void combine(unsigned component);
  void evaluate();

  const LevelDigits &digits;
  MemoryCounts &memory;
  std::vector<int64_t> wordBits;               ///< by tensor
  std::vector<std::vector<SizedRank>> tensors; ///< empty where not kept
  std::vector<Component> components;
  std::vector<int64_t> lengths; ///< by dimension, in the choice under evaluation
  bool overflow = false;
};

} // namespace

ResidentCount::ResidentCount(const LevelDigits &digits, llvm::ArrayRef<Factors> factors,
                             MemoryCounts &memory)
    : digits(digits), memory(memory),
      wordBits(heldBits(*digits.flat->nest, *digits.flat->memories[digits.level], memory)),
      tensors(factors.size()) {
  for (unsigned t = 0; t < factors.size(); ++t)
    if (memory.tensors[t])
      for (const Rank &rank : factors[t].ranks)
        tensors[t].push_back({&rank, ValueSets(rank.terms)});
  for (const Digits &dim : digits.dims)
    lengths.push_back(std::min(dim.tile(), dim.size()));
}

void ResidentCount::makeComponents() {
  std::vector<unsigned> leader(lengths.size());
  std::iota(leader.begin(), leader.end(), 0u);
  std::vector<SizedRank *> cut;
  for (std::vector<SizedRank> &ranks : tensors)
    for (SizedRank &rank : ranks)
      if (rank.rank->extent && !rank.rank->terms.empty())
        cut.push_back(&rank);
  for (SizedRank *rank : cut)
    for (const Term &term : rank->rank->terms) {
      unsigned from = leader[term.dim], to = leader[rank->rank->terms.front().dim];
      std::replace(leader.begin(), leader.end(), from, to);
    }
  for (unsigned dim = 0; dim < leader.size(); ++dim) {
    Component component;
    for (SizedRank *rank : cut)
      if (leader[rank->rank->terms.front().dim] == dim)
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
  int64_t base = rank.rank->constant;
  llvm::SmallVector<int64_t, 4> sizes;
  for (const Term &term : rank.rank->terms) {
    const Digits &dim = digits.dims[term.dim];
    base += term.coefficient * starts[term.dim];
    sizes.push_back(std::min(dim.tile(), dim.size() - starts[term.dim]));
  }
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
  for (SizedRank *rank : component.ranks) {
    llvm::SmallVector<int64_t, 4> sizes;
    for (const Term &term : rank->rank->terms)
      sizes.push_back(lengths[term.dim]);
    best.push_back(countValues(rank->rank->terms, sizes).value());
  }
  std::vector<int64_t> starts(lengths.size(), 0);
  for (unsigned k = component.dims.size();;) {
    Candidate candidate;
    for (unsigned dim : component.dims)
      candidate.push_back(std::min(digits.dims[dim].tile(), digits.dims[dim].size() - starts[dim]));
    for (SizedRank *rank : component.ranks)
      candidate.push_back(cutSize(*rank, starts));
    bool done = candidate == best;
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

Checked ResidentCount::sizeOf(SizedRank &rank) {
  if (rank.rank->extent)
    return rank.rank->terms.empty() ? 0 : rank.size;
  if (rank.rank->terms.empty())
    return 1;
  llvm::SmallVector<int64_t, 4> sizes;
  for (const Term &term : rank.rank->terms)
    sizes.push_back(lengths[term.dim]);
  return countValues(rank.rank->terms, sizes);
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
                             MemoryCounts &memory) {
  return ResidentCount(digits, factors, memory).run();
}
