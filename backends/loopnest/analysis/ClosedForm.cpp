// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/ClosedForm.h"
#include "backends/loopnest/analysis/Finished.h"
#include "backends/loopnest/analysis/Hops.h"
#include "backends/loopnest/analysis/Resident.h"
#include "backends/loopnest/analysis/Transfers.h"
#include "llvm/ADT/StringRef.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Where tiles of the output overlap, what a memory reads back follows from what enters only if the
/// memories that hold an element take it and give it up together: they do unless an array between
/// memories is along the windows, or leaves some of them idle.
static bool leaveTogether(const FlatNest &flat) {
  Factors factors = factorsOf(*flat.nest, flat.output);
  llvm::SmallVector<unsigned, 8> windows;
  for (const Rank &rank : factors.ranks)
    if (rank.terms.size() > 1)
      for (const Term &term : rank.terms)
        windows.push_back(term.dim);
  for (const RankGroup &group : factors.groups)
    windows.append(group.dims.begin(), group.dims.end());
  if (windows.empty())
    return true;
  unsigned innermost = flat.parent(flat.lanes(), flat.output);
  for (unsigned i = 0; i < flat.levels[innermost].parallel; ++i)
    if (llvm::is_contained(windows, flat.parallel[i].drives.front().dim))
      return false;
  return canStretch(flat);
}

bool loopnest::hasClosedForm(const FlatNest &flat) {
  return flat.plainLoops && leaveTogether(flat);
}

namespace {

/// Sums of one tensor in one memory before they are known to fit.
struct Sums {
  Checked fills, writebacks;
  Flow reads, updates;
};

class ClosedForm {
public:
  ClosedForm(const FlatNest &flat, SetWork work);
  llvm::Optional<Counts> run(const AnalysisOptions &options, const OutputCounts *output);
  bool isTooMuch() const { return work < 0; }
  /// Finished words are asked for and have no closed form.
  bool lacksFinished = false;
  llvm::Optional<AnalysisError> overflow; ///< the first count that does not fit

private:
  void countWork();
  void countInput(unsigned tensor);
  void countOutput(unsigned tensor);
  bool countFinished();
  void require(bool fits, llvm::StringRef what, llvm::StringRef place = "") {
    if (!fits && !overflow)
      overflow = {AnalysisErrorKind::CountOverflow, what.str(), place.str()};
  }
  int64_t checked(Checked number, llvm::StringRef what, llvm::StringRef place = "") {
    require(!number.overflowed(), what, place);
    return number.value();
  }
  NetworkCount checked(const Flow &flow, llvm::StringRef what, llvm::StringRef place) {
    return {checked(flow.shared, what, place), checked(flow.separate, what, place),
            checked(flow.declared, what, place)};
  }
  void store(unsigned tensor);
  void take(const OutputCounts &output);

  const FlatNest &flat;
  std::vector<LevelDigits> levels;
  std::vector<Factors> factors; ///< by tensor
  std::vector<Sums> sums;       ///< by memory, of the tensor at hand
  Counts counts;
  SetWork work;
};

} // namespace

ClosedForm::ClosedForm(const FlatNest &flat, SetWork work) : flat(flat), work(work) {
  for (unsigned level = 0; level <= flat.lanes(); ++level) {
    levels.push_back({&flat, level, {}});
    for (unsigned dim = 0; dim < flat.nest->dims.size(); ++dim)
      levels.back().dims.emplace_back(flat, dim, level);
  }
  for (unsigned t = 0; t < flat.nest->tensors.size(); ++t)
    factors.push_back(factorsOf(*flat.nest, t));
  for (unsigned m = 0; m < flat.memories.size(); ++m) {
    counts.memories.push_back({flat.memories[m]->name, {}});
    counts.memories[m].tensors.resize(factors.size());
    for (unsigned t = 0; t < factors.size(); ++t)
      if (flat.levels[m].keeps[t])
        counts.memories[m].tensors[t] = TensorCounts();
  }
  for (const FlatArray &array : flat.arrays)
    counts.arrays.push_back(
        {array.place->name, std::vector<llvm::Optional<NetworkCount>>(factors.size())});
}

/// Points, steps and lanes are products over dimensions; the first step has most lanes.
void ClosedForm::countWork() {
  Checked macs = 1, steps = 1, lanes = 1;
  for (const Digits &dim : levels[flat.lanes()].dims) {
    Digits::Choices inTime, inSpace;
    for (const Digit &digit : dim.list()) {
      Choice any = Choice::any(digit.factor), zero = Choice::only(0);
      inTime.push_back(digit.parallel ? zero : any);
      inSpace.push_back(digit.parallel ? any : zero);
    }
    macs *= dim.size();
    steps *= dim.countBelow(dim.size(), inTime);
    lanes *= dim.countBelow(dim.size(), inSpace);
  }
  counts.macs = checked(macs, "the points");
  counts.steps = checked(steps, "the steps");
  counts.maxActiveLanes = checked(lanes, "the lanes");
}

static void add(Flow &sum, const Flow &flow) {
  sum.shared += flow.shared;
  sum.separate += flow.separate;
  sum.declared += flow.declared;
}

void ClosedForm::countInput(unsigned tensor) {
  for (unsigned level = 1; level <= flat.lanes(); ++level) {
    if (!flat.levels[level].keeps[tensor])
      continue;
    Flow flow = entering(levels[level], factors[tensor], tensor, work);
    add(sums[flat.parent(level, tensor)].reads, flow);
    if (level < flat.lanes())
      sums[level].fills = flow.separate;
  }
}

/// What enters a level leaves it again, so `entering` counts the updates of the parent, too. Of the
/// sums that enter, those that start from zero are as many as those that started so in the parent:
/// one per stay of an element there. The others are read back. Siblings leave together with the
/// first of them, so the parent holds no sum when theirs arrive and merges read only what did not
/// meet on the way. A lane's product finds a sum except at first.
void ClosedForm::countOutput(unsigned tensor) {
  Checked fromZero = touchedElements(levels.front(), factors[tensor], work);
  for (unsigned level = 1; level <= flat.lanes(); ++level) {
    if (!flat.levels[level].keeps[tensor])
      continue;
    Flow flow = entering(levels[level], factors[tensor], tensor, work);
    Sums &above = sums[flat.parent(level, tensor)];
    add(above.updates, flow);
    add(above.reads, flow);
    if (level < flat.lanes()) {
      sums[level].fills = flow.shared - fromZero;
      sums[level].writebacks = flow.separate;
      Checked merged = sums[level].fills - flow.shared;
      add(above.reads, {merged, merged, merged});
      fromZero = flow.separate - sums[level].fills;
    } else {
      Checked first = Checked(0) - fromZero;
      add(above.reads, {first, first, first});
    }
  }
}

void ClosedForm::store(unsigned tensor) {
  for (unsigned m = 0; m < flat.memories.size(); ++m) {
    if (!flat.levels[m].keeps[tensor])
      continue;
    TensorCounts &result = *counts.memories[m].tensors[tensor];
    const std::string &place = flat.memories[m]->name;
    std::string of = " of " + flat.nest->tensors[tensor].name;
    result.fills = checked(sums[m].fills, "the fills" + of, place);
    result.writebacks = checked(sums[m].writebacks, "the writebacks" + of, place);
    result.reads = checked(sums[m].reads, "the reads" + of, place);
    result.updates = checked(sums[m].updates, "the updates" + of, place);
  }
}

void ClosedForm::take(const OutputCounts &output) {
  for (unsigned m = 0; m < flat.memories.size(); ++m)
    counts.memories[m].tensors[flat.output] = output.memories[m];
  counts.finishedPoints = output.finishedPoints;
}

bool ClosedForm::countFinished() {
  llvm::Optional<std::vector<int64_t>> finished =
      finishedByLevel(levels, factors[flat.output], work);
  for (unsigned m = 0; finished && m < flat.memories.size(); ++m)
    if (flat.levels[m].keeps[flat.output])
      counts.memories[m].tensors[flat.output]->finished = (*finished)[m];
  if (finished)
    counts.finishedPoints = finished->back();
  return finished.hasValue();
}

llvm::Optional<Counts> ClosedForm::run(const AnalysisOptions &options, const OutputCounts *output) {
  countWork();
  if (output)
    take(*output);
  for (unsigned t = 0; t < factors.size(); ++t) {
    if (output && t == flat.output)
      continue;
    sums.assign(flat.memories.size(), Sums());
    if (t == flat.output)
      countOutput(t);
    else
      countInput(t);
    store(t);
    require(!options.hops || countHops(levels, factors[t], t, counts.arrays, work),
            "the hops of " + flat.nest->tensors[t].name);
  }
  lacksFinished = flat.nest->hasPartial() && !output && !overflow && !countFinished();
  for (unsigned m = 0; m < flat.memories.size(); ++m)
    require(countResident(levels[m], factors, counts.memories[m], work), "the elements held",
            flat.memories[m]->name);
  if (!overflow && work >= 0)
    countTransfers(levels, factors, options, counts.memories);
  return overflow ? llvm::None : llvm::Optional<Counts>(counts);
}

llvm::Optional<Counts> loopnest::closedForm(const FlatNest &flat, const AnalysisOptions &options,
                                            std::vector<AnalysisError> &errors,
                                            const OutputCounts *output) {
  ClosedForm form(flat, options.setWork);
  llvm::Optional<Counts> counts = form.run(options, output);
  if (form.lacksFinished || form.isTooMuch())
    return llvm::None;
  if (!counts)
    errors.push_back(*form.overflow);
  return counts;
}
