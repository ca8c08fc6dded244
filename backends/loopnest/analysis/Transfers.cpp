// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Transfers.h"

#include "backends/loopnest/analysis/TransferFactors.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// Transfers before they are known to fit.
using Sizes = std::map<std::pair<int64_t, int64_t>, Checked>;

/// The transfers of one tensor.
class TransferSums {
public:
  TransferSums(llvm::ArrayRef<LevelDigits> levels, const Factors &factors, unsigned tensor,
               const std::vector<bool> &wanted, SetWork &work)
      : levels(levels), flat(*levels.front().flat), factors(factors), tensor(tensor),
        wanted(wanted), kinds(levels, factors, work), sums(flat.memories.size()) {}

  void countInput();
  void countOutput();
  /// Tiles of the output do not overlap, and sums come and go with whole tiles.
  bool hasOutputForm() const;
  /// False where a number does not fit.
  bool store(std::vector<MemoryCounts> &memories) const;

private:
  struct Sums {
    Sizes fills, reads, updates, writebacks;
  };

  Receivers childrenOf(unsigned level) const;
  Receivers each(unsigned level) const;
  std::map<int64_t, Checked> moved(const Receivers &to, const Transition &transition) const;
  bool alwaysWork(unsigned level) const;
  bool alwaysLeaves(unsigned level) const;
  unsigned stay(unsigned level) const;
  Kinds startFromZero(unsigned level, const Receivers &to, const Transition &transition) const;
  bool hasLanesOutside(unsigned level) const;
  void finish(const Receivers &from, int64_t parts, Sizes &sizes);
  void addExchange(unsigned level);
  void addOwn(unsigned level);
  bool isWanted(unsigned level) const {
    return level < std::min<size_t>(wanted.size(), flat.lanes()) && wanted[level];
  }
  bool reduces(unsigned dim) const { return llvm::is_contained(factors.unused, dim); }

  llvm::ArrayRef<LevelDigits> levels;
  const FlatNest &flat;
  const Factors &factors;
  unsigned tensor;
  const std::vector<bool> &wanted; ///< by memory
  TransferFactors kinds;
  std::vector<Sums> sums; ///< by memory
};

} // namespace

static void add(Sizes &sizes, int64_t words, Checked number, int64_t finished = 0) {
  if (words > 0)
    sizes[{words, finished}] += number;
}

/// The instances of `level` under one of the memory that serves it.
Receivers TransferSums::childrenOf(unsigned level) const {
  Networks networks = networksBetween(flat, flat.parent(level, tensor), level, tensor);
  Receivers result{level, networks.shared, networks.separate};
  for (unsigned i = 0; i < result.apart.size(); ++i)
    result.apart[i] = networks.shared[i] && !networks.declared[i];
  return result;
}

/// One instance of `level` alone.
Receivers TransferSums::each(unsigned level) const {
  JointLoops none(flat.parallel.size(), false);
  return {level, none, none};
}

//===-- Inputs ------------------------------------------------------------------------------===//

void TransferSums::countInput() {
  for (unsigned level = 1; level <= flat.lanes(); ++level) {
    if (!flat.levels[level].keeps[tensor])
      continue;
    auto count = [&](const Receivers &to, Sizes &sizes) {
      for (const Transition &transition : transitionsOf(flat, level))
        for (const auto &[kind, number] :
             product(kinds.used(to, transition), kinds.unused(to, transition, {})))
          add(sizes, kind.first - (transition.hasPrevious() ? kind.second : 0), number);
    };
    unsigned above = flat.parent(level, tensor);
    if (isWanted(above))
      count(childrenOf(level), sums[above].reads);
    if (isWanted(level))
      count(each(level), sums[level].fills);
  }
}

//===-- The output --------------------------------------------------------------------------===//

/// Whether all instances of `level` work in every epoch, and leave their tiles together.
bool TransferSums::alwaysWork(unsigned level) const {
  return llvm::all_of(levels[level].dims, [](const Digits &dim) {
    Digits::Choices any, first;
    Checked lanes = 1;
    for (const Digit &digit : dim.list()) {
      any.push_back(Choice::any(digit.factor));
      first.push_back(digit.parallel ? Choice::only(0) : any.back());
      lanes *= digit.parallel ? digit.factor : 1;
    }
    Checked all = lanes * dim.countBelow(dim.size(), first);
    return !all.overflowed() && all.value() == dim.countBelow(dim.size(), any);
  });
}

/// Whether a loop that reduces, outside the last one that moves the tile of `level`, always finds
/// another tile when it advances: a ragged loop may have one index left, and then the tile stays.
bool TransferSums::alwaysLeaves(unsigned level) const {
  unsigned last = stay(level);
  bool hasReduction = false;
  for (unsigned loop = 0; loop < last; ++loop)
    hasReduction |= reduces(flat.temporal[loop].drives.front().dim);
  if (!hasReduction)
    return true;
  const Digits &dim = levels[level].dims[flat.temporal[last - 1].drives.front().dim];
  Digits::Choices zero, one;
  for (const Digit &digit : dim.list()) {
    bool isLast = !digit.parallel && digit.loop == last - 1;
    zero.push_back(isLast ? Choice::only(0) : Choice::any(digit.factor));
    one.push_back(isLast ? Choice::only(1) : zero.back());
  }
  return dim.countBelow(dim.size(), zero) == dim.countBelow(dim.size(), one);
}

bool TransferSums::hasOutputForm() const {
  if (!factors.groups.empty() ||
      llvm::any_of(factors.ranks, [](const Rank &rank) { return rank.terms.size() > 1; }))
    return false;
  for (unsigned level = 1; level < flat.lanes(); ++level)
    if (flat.levels[level].keeps[tensor] && !(alwaysWork(level) && alwaysLeaves(level)))
      return false;
  return true;
}

/// Words of the output that instances newly hold, with the number of epochs.
std::map<int64_t, Checked> TransferSums::moved(const Receivers &to,
                                               const Transition &transition) const {
  std::map<int64_t, Checked> result;
  for (const auto &[kind, number] : kinds.used(to, transition))
    result[kind.first - (transition.hasPrevious() ? kind.second : 0)] += number;
  return result;
}

/// Loops in time, from the outermost, up to the last one that moves the tile of a level: the tile
/// stays while those after them run. The outermost memory keeps its tile, a lane none.
unsigned TransferSums::stay(unsigned level) const {
  if (level == 0)
    return 0;
  unsigned outside = flat.levels[level].temporal;
  if (level == flat.lanes())
    return outside;
  for (unsigned loop = outside; loop-- > 0;) {
    const FlatDrive &drive = flat.temporal[loop].drives.front();
    if (!reduces(drive.dim) && drive.step < flat.nest->dims[drive.dim].size)
      return loop + 1;
  }
  return 0;
}

/// Settings of the loops that reduce in which what enters `level` has no sum in the memory that
/// serves it. A sum is given back only to the first of the instances that reduce, all others start
/// anew with each stay: so it is looked for as far out as instances are the first, and the
/// settings are summed over how far that is.
Kinds TransferSums::startFromZero(unsigned level, const Receivers &to,
                                  const Transition &transition) const {
  unsigned above = flat.parent(level, tensor);
  int64_t end = stay(level);
  Kinds result;
  for (unsigned at = above;; at = flat.parent(at, tensor)) {
    Pins pins;
    pins.time = {stay(at), end};
    pins.space = {flat.levels[at].parallel, flat.levels[above].parallel};
    for (const auto &[kind, number] : kinds.unused(to, transition, pins))
      result[kind] += number;
    if (at == 0)
      return result;
    // Without those that are the first there, too.
    pins.space.low = flat.levels[flat.parent(at, tensor)].parallel;
    for (const auto &[kind, number] : kinds.unused(to, transition, pins))
      result[kind] -= number;
  }
}

bool TransferSums::hasLanesOutside(unsigned level) const {
  for (unsigned i = 0; i < flat.levels[level].parallel; ++i) {
    const FlatDrive &drive = flat.parallel[i].drives.front();
    if (reduces(drive.dim) && drive.step < flat.nest->dims[drive.dim].size)
      return true;
  }
  return false;
}

/// Among `sizes`, the last transfers of all elements are of finished words: one of each message
/// that is added up.
void TransferSums::finish(const Receivers &from, int64_t parts, Sizes &sizes) {
  if (!flat.nest->hasPartial())
    return;
  Transition every{Transition::Every, from.level, flat.levels[from.level].temporal};
  for (const auto &[words, number] : moved(from, every)) {
    if (words == 0)
      continue;
    sizes[{words * parts, 0}] -= number;
    sizes[{words * parts, words}] += number;
  }
}

/// What the memory outside `level` receives and reads.
void TransferSums::addExchange(unsigned level) {
  bool isLane = level == flat.lanes();
  Receivers children = childrenOf(level);
  unsigned above = flat.parent(level, tensor);
  for (const Transition &transition : transitionsOf(flat, level)) {
    Kinds all = kinds.unused(children, transition, {});
    Kinds fromZero = startFromZero(level, children, transition);
    for (const auto &[words, epochs] : moved(children, transition))
      for (const auto &[kind, number] : all) {
        int64_t messages = words * kind.first;
        Checked zero = epochs * fromZero[kind], back = epochs * (number - fromZero[kind]);
        add(sums[above].updates, messages, epochs * number);
        // Of messages that arrive together one is kept where there is no sum: always where the sum
        // went inside before, as read backs.
        add(sums[above].reads, messages - words, isLane ? zero : zero + back);
        add(sums[above].reads, isLane ? messages : words, back);
      }
  }
  if (!hasLanesOutside(above))
    finish(children, kinds.lastParts(children), sums[above].updates);
}

/// What `level` takes in and sends up.
void TransferSums::addOwn(unsigned level) {
  Receivers alone = each(level);
  Receivers first{level, childrenOf(level).joint, alone.apart};
  for (const Transition &transition : transitionsOf(flat, level)) {
    Kinds visits = kinds.unused(first, transition, {});
    Kinds fromZero = startFromZero(level, first, transition);
    Kinds leaving = kinds.unused(alone, transition, {});
    for (const auto &[words, epochs] : moved(alone, transition)) {
      add(sums[level].fills, words, epochs * (visits[{1, 1}] - fromZero[{1, 1}]));
      add(sums[level].writebacks, words, epochs * leaving[{1, 1}]);
    }
  }
  if (!hasLanesOutside(level))
    finish(alone, 1, sums[level].writebacks);
}

void TransferSums::countOutput() {
  for (unsigned level = 1; level <= flat.lanes(); ++level) {
    if (!flat.levels[level].keeps[tensor])
      continue;
    if (isWanted(flat.parent(level, tensor)))
      addExchange(level);
    if (isWanted(level))
      addOwn(level);
  }
}

//===-- Results -----------------------------------------------------------------------------===//

static bool fits(const Sizes &sizes, TransferSizes &result) {
  for (const auto &[size, number] : sizes) {
    if (number.overflowed())
      return false;
    if (number.value() != 0)
      result.push_back({size.first, size.second, number.value()});
  }
  return true;
}

bool TransferSums::store(std::vector<MemoryCounts> &memories) const {
  std::vector<TensorTransfers> all(memories.size());
  for (size_t m = 0; m < memories.size(); ++m)
    if (!fits(sums[m].fills, all[m].fills) || !fits(sums[m].reads, all[m].reads) ||
        !fits(sums[m].updates, all[m].updates) || !fits(sums[m].writebacks, all[m].writebacks))
      return false;
  for (size_t m = 0; m < memories.size(); ++m)
    if (auto &counts = memories[m].tensors[tensor]; counts && isWanted(m))
      counts->transfers = std::move(all[m]);
  return true;
}

void loopnest::countTransfers(llvm::ArrayRef<LevelDigits> levels, llvm::ArrayRef<Factors> factors,
                              const AnalysisOptions &options, std::vector<MemoryCounts> &memories) {
  if (!llvm::is_contained(options.transfers, true))
    return;
  SetWork work = options.transferSetWork;
  for (unsigned t = 0; t < factors.size(); ++t) {
    TransferSums sums(levels, factors[t], t, options.transfers, work);
    bool isOutput = t == levels.front().flat->output;
    if (isOutput && !sums.hasOutputForm())
      continue;
    if (isOutput)
      sums.countOutput();
    else
      sums.countInput();
    if (work < 0)
      return;
    sums.store(memories);
  }
}
