// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/exact/ExactCounts.h"
#include "backends/loopnest/analysis/CaseJson.h"
#include "backends/loopnest/exact/Sums.h"
#include "passes/analysis/SetCount.h"

using namespace perfc;
using namespace perfc::loopnest;

namespace {

class Counter {
public:
  Counter(const NestSets &sets) : sets(sets), flat(sets.nest()), held(flat.memories.size()) {}

  llvm::Optional<ExactCounts> run(const ExactLimits &limits);

private:
  void prepare();
  int64_t count(const IslSet &set);
  NetworkCount messages(const IslSet &moved, unsigned level, unsigned tensor);
  void countInput(unsigned tensor);
  void countSums(unsigned level, const Residence &here, int64_t &fromZero,
                 llvm::Optional<Entries> &entries);
  void countOutput();
  void countPeaks(const ExactLimits &limits);
  TensorCounts &of(unsigned memory, unsigned tensor) {
    return *result.counts.memories[memory].tensors[tensor];
  }

  const NestSets &sets;
  const FlatNest &flat;
  std::vector<std::vector<IslSet>> held; ///< by memory and tensor
  bool isTooLarge = false;
  ExactCounts result;
};

} // namespace

void Counter::prepare() {
  Counts &counts = result.counts;
  size_t tensors = flat.nest->tensors.size();
  for (unsigned m = 0; m < flat.memories.size(); ++m) {
    counts.memories.push_back({flat.memories[m]->name, {}});
    counts.memories[m].tensors.resize(tensors);
    held[m].resize(tensors);
    for (unsigned t = 0; t < tensors; ++t)
      if (flat.levels[m].keeps[t])
        counts.memories[m].tensors[t] = TensorCounts();
  }
  for (const FlatArray &array : flat.arrays)
    counts.arrays.push_back(
        {array.place->name, std::vector<llvm::Optional<NetworkCount>>(tensors), {}});
}

int64_t Counter::count(const IslSet &set) {
  llvm::Optional<int64_t> number = isTooLarge ? llvm::None : countPoints(set);
  isTooLarge |= !number;
  return number.getValueOr(0);
}

/// What crosses from the parent to `level`, or back: (e, i, x).
NetworkCount Counter::messages(const IslSet &moved, unsigned level, unsigned tensor) {
  unsigned begin = flat.levels[flat.parent(level, tensor)].parallel;
  unsigned end = flat.levels[level].parallel, epochs = sets.epochDims(level), sharing = 0;
  NetworkCount result;
  result.separate = result.shared = result.declared = count(moved);
  IslSet declared = moved;
  for (unsigned loop = end; loop-- > begin;)
    if (flat.shares(loop, tensor)) {
      declared = without(declared, epochs + loop, 1);
      ++sharing;
    }
  if (end > begin)
    result.shared = count(without(moved, epochs + begin, end - begin));
  if (sharing > 0)
    result.declared = sharing == end - begin ? result.shared : count(declared);
  return result;
}

static void add(NetworkCount &sum, const NetworkCount &more, int64_t change) {
  sum.shared += more.shared + change;
  sum.separate += more.separate + change;
  sum.declared += more.declared + change;
}

void Counter::countInput(unsigned tensor) {
  for (unsigned level = 1; level <= flat.lanes(); ++level) {
    if (!flat.levels[level].keeps[tensor])
      continue;
    TensorCounts &above = of(flat.parent(level, tensor), tensor);
    if (level == flat.lanes()) {
      add(above.reads, messages(sets.tile(level, tensor), level, tensor), 0);
      continue;
    }
    Residence residence = residenceIn(sets, level, tensor, nullptr);
    NetworkCount reads = messages(residence.entering, level, tensor);
    of(level, tensor).fills = reads.separate;
    add(above.reads, reads, 0);
    held[level][tensor] = std::move(residence.held);
  }
}

/// Whether an instance of the parent serves several of `level` with the output, of which each may
/// hold a sum of the same element.
static bool hasSiblings(const FlatNest &flat, unsigned level) {
  return flat.levels[level].parallel > flat.levels[flat.parent(level, flat.output)].parallel;
}

/// Whether it matters inside `level` which of its entries come with a sum, not only how many.
static bool needsEntries(const FlatNest &flat, unsigned level) {
  for (unsigned inner = level + 1; inner < flat.lanes(); ++inner)
    if (flat.levels[inner].keeps[flat.output] && hasSiblings(flat, inner))
      return true;
  return false;
}

/// What moves between memory `level`, where the output has `here`, and its parent. `fromZero`
/// counts the entries from zero into the parent, then those into `level`.
void Counter::countSums(unsigned level, const Residence &here, int64_t &fromZero,
                        llvm::Optional<Entries> &entries) {
  unsigned tensor = flat.output;
  TensorCounts &mine = of(level, tensor), &outer = of(flat.parent(level, tensor), tensor);
  NetworkCount updates = messages(here.leaving, level, tensor);
  mine.writebacks = updates.separate; // what enters leaves once
  int64_t merges = 0;
  if (hasSiblings(flat, level) || needsEntries(flat, level)) {
    SumFlow flow = sumFlow(sets, level, here, entries ? entries.getPointer() : nullptr);
    mine.fills = count(flow.entries.withSum);
    merges = count(flow.merges);
    entries = std::move(flow.entries);
  } else {
    // Entries and leavings take turns: only the first after an entry from zero finds no sum.
    mine.fills = mine.writebacks - fromZero;
  }
  fromZero = mine.writebacks - mine.fills;
  add(outer.updates, updates, 0);
  add(outer.reads, updates, mine.fills + merges - updates.shared);
}

void Counter::countOutput() {
  unsigned tensor = flat.output;
  llvm::Optional<Residence> residence;
  llvm::Optional<Entries> entries;
  int64_t fromZero = count(sets.tile(0, tensor)); // the outermost memory begins without sums
  for (unsigned level = 1; level < flat.lanes(); ++level) {
    if (!flat.levels[level].keeps[tensor])
      continue;
    Residence here = residenceIn(sets, level, tensor, residence ? residence.getPointer() : nullptr);
    countSums(level, here, fromZero, entries);
    held[level][tensor] = here.held;
    residence = std::move(here);
  }
  // Lanes hold nothing: what meets no sum is the first update after an entry from zero.
  NetworkCount updates = messages(sets.tile(flat.lanes(), tensor), flat.lanes(), tensor);
  TensorCounts &outer = of(flat.parent(flat.lanes(), tensor), tensor);
  add(outer.updates, updates, 0);
  add(outer.reads, updates, -fromZero);
}

void Counter::countPeaks(const ExactLimits &limits) {
  Counts &counts = result.counts;
  result.hasPeaks = true;
  auto most = [&](const std::vector<IslSet> &several, const std::vector<int64_t> &weights,
                  unsigned prefix) {
    llvm::Optional<int64_t> number = mostInFibre(several, weights, prefix, limits.walked);
    result.hasPeaks &= number.hasValue();
    return number.getValueOr(0);
  };
  counts.maxActiveLanes = most({sets.points()}, {1}, sets.epochDims(flat.lanes()));
  for (unsigned m = 0; m < flat.memories.size() && result.hasPeaks; ++m) {
    std::vector<IslSet> kept;
    std::vector<int64_t> bits;
    unsigned prefix = sets.epochDims(m) + sets.instanceDims(m);
    for (unsigned t = 0; t < flat.nest->tensors.size(); ++t) {
      if (!flat.levels[m].keeps[t])
        continue;
      kept.push_back(m == 0 ? sets.tile(0, t) : held[m][t]);
      bits.push_back(flat.nest->tensors[t].bitsPerWord);
      of(m, t).maxResident = most({kept.back()}, {1}, prefix);
    }
    counts.memories[m].maxResident = most(kept, std::vector<int64_t>(kept.size(), 1), prefix);
    counts.memories[m].maxResidentBits = most(kept, bits, prefix);
  }
}

llvm::Optional<ExactCounts> Counter::run(const ExactLimits &limits) {
  prepare();
  unsigned loops = unsigned(flat.temporal.size());
  result.counts.macs = count(sets.points());
  result.counts.steps = count(without(sets.points(), loops, unsigned(flat.parallel.size())));
  for (unsigned t = 0; t < flat.nest->tensors.size(); ++t)
    if (t != flat.output)
      countInput(t);
  countOutput();
  if (isTooLarge)
    return llvm::None;
  countPeaks(limits);
  return std::move(result);
}

llvm::Optional<ExactCounts> loopnest::countExactly(const FlatNest &flat,
                                                   const ExactLimits &limits) {
  IslContext context(limits.operations);
  NestSets sets(context.get(), flat);
  return Counter(sets).run(limits);
}

/// Counts that are written as JSON, without the largest amounts.
static llvm::json::Object withoutPeaks(const llvm::json::Object &object) {
  llvm::json::Object result;
  for (const auto &entry : object) {
    if (entry.first == "max_active_lanes" || entry.first == "max_resident")
      continue;
    const llvm::json::Object *inner = entry.second.getAsObject();
    result[entry.first] = inner ? llvm::json::Value(withoutPeaks(*inner)) : entry.second;
  }
  return result;
}

std::vector<std::string> loopnest::disagreements(const Nest &nest, const ExactCounts &exact,
                                                 const Counts &counts) {
  llvm::json::Object expected = writeCounts(nest, exact.counts);
  return differences(exact.hasPeaks ? expected : withoutPeaks(expected), nest, counts);
}
