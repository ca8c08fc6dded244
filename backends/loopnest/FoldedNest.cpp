// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/FoldedNest.h"

#include "backends/loopnest/analysis/Checked.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include "backends/loopnest/systolic/Product.h"
#include "passes/analysis/Dependences.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// What one operand asks of the memories that serve it, in words.
struct Demand {
  ProductOperand operand;
  int64_t fed = 0;      ///< words that enter the array, or results that leave it
  int64_t streamed = 0; ///< words that enter a memory that the operand does not fit
  int64_t resident = 0; ///< words that a memory has to hold so that none enters twice
};

/// Fills in the counts of one product.
class FoldCounter {
public:
  FoldCounter(const AdaptedNest &adapted, const SystolicPlace &place, const Product &product,
              const FoldPlan &plan)
      : adapted(adapted), place(place), product(product), plan(plan),
        points(product.gemm.m * product.gemm.n * product.gemm.k * product.batches) {}

  Counts run();
  /// What a tiling of the streamed rows would keep of the partial sums that leave a memory; "" when
  /// none leave, or none could stay.
  std::string spillNote;

private:
  Demand inputDemand() const;
  Demand weightDemand() const;
  TensorCounts &countsOf(size_t memory, unsigned tensor);
  /// Words of `tensor` that half of memory `place` has room for.
  int64_t roomFor(size_t placeNumber, unsigned tensor) const;
  /// The reduction takes several folds, whose sums are added outside the array.
  bool waitsForFolds() const {
    return plan.rowFolds > 1 && place.array.stationary != Stationary::Output;
  }
  void countInput(const Demand &demand);
  void countOutput();
  void noteSpill(size_t at, unsigned tensor, int64_t waiting);
  void countElements(unsigned tensor, bool stays, int64_t entering);
  void countHops();
  int64_t linksOfLoading(int64_t columns) const;

  const AdaptedNest &adapted;
  const SystolicPlace &place;
  const Product &product;
  const FoldPlan &plan;
  int64_t points;
  Counts counts;
  std::vector<size_t> memoryPlaces; ///< by memory: its place
};

} // namespace

static int64_t scaled(int64_t count, double share) {
  return share >= 1 ? count
                    : static_cast<int64_t>(std::llround(static_cast<double>(count) * share));
}

TensorCounts &FoldCounter::countsOf(size_t memory, unsigned tensor) {
  auto &entry = counts.memories[memory].tensors[tensor];
  if (!entry)
    entry.emplace();
  return *entry;
}

int64_t FoldCounter::roomFor(size_t placeNumber, unsigned tensor) const {
  auto memory = ir::as<target::MemoryOp>(adapted.places[placeNumber]);
  llvm::Optional<Quantity> capacity = memory.capacity();
  if (!capacity)
    return INT64_MAX;
  // Sums that wait for the next fold are partial ones.
  const Place &held = adapted.nest.places[placeNumber];
  int64_t bits = waitsForFolds() ? movedBits(adapted.nest, held, tensor)
                                 : adapted.nest.tensors[tensor].bitsPerWord;
  bits = std::max<int64_t>(1, bits);
  auto sharers = static_cast<double>(adapted.nest.places[placeNumber].keep.size());
  return static_cast<int64_t>(capacity->toDouble() / 2 / sharers / bytesOf(adapted.nest, bits));
}

/// The left operand. With stationary weights each fold streams all rows of some columns of the
/// window matrix, so one that does not fit is read for every fold.
Demand FoldCounter::inputDemand() const {
  Demand demand{product.input, 0, 0, 0};
  int64_t whole = scaled(product.gemm.m * product.gemm.k, product.input.inside);
  int64_t times = place.array.stationary == Stationary::Input ? 1 : plan.columnFolds;
  int64_t words = product.input.words / (product.input.isShared ? 1 : product.batches);
  int64_t sweep = words;
  if (place.array.stationary == Stationary::Weight &&
      plan.rowFolds < whole / std::max<int64_t>(1, words))
    sweep = words * plan.rowFolds;
  else if (place.array.stationary == Stationary::Weight)
    sweep = std::max(words, whole);
  demand.fed = whole * times * product.batches;
  demand.streamed = sweep * times * product.batches;
  demand.resident = words;
  return demand;
}

/// The right operand. With stationary outputs the columns of one fold are reused in a row.
Demand FoldCounter::weightDemand() const {
  Demand demand{product.weight, 0, 0, 0};
  int64_t whole = scaled(product.gemm.k * product.gemm.n, product.weight.inside);
  int64_t words = product.weight.words / (product.weight.isShared ? 1 : product.batches);
  int64_t times = place.array.stationary == Stationary::Output  ? plan.rowFolds
                  : place.array.stationary == Stationary::Input ? plan.columnFolds
                                                                : 1;
  demand.fed = whole * times * product.batches;
  demand.streamed = words * times * product.batches;
  demand.resident = words;
  if (place.array.stationary == Stationary::Output)
    demand.resident =
        std::min(words, product.gemm.k * std::min(place.array.columns, product.gemm.n));
  return demand;
}

void FoldCounter::countInput(const Demand &demand) {
  unsigned tensor = demand.operand.tensor;
  int64_t asked = demand.fed;
  bool isFirst = true;
  for (size_t memory = memoryPlaces.size(); memory-- > 0;) {
    size_t at = memoryPlaces[memory];
    if (at > place.position || !llvm::is_contained(adapted.nest.places[at].keep, tensor))
      continue;
    TensorCounts &here = countsOf(memory, tensor);
    here.reads = NetworkCount::same(asked);
    if (memory == 0) {
      here.maxResident = demand.operand.words;
      break;
    }
    bool fits = demand.resident <= roomFor(at, tensor);
    int64_t refilled = isFirst ? std::min(asked, demand.streamed) : asked;
    here.fills = fits ? std::min(asked, demand.operand.words) : refilled;
    here.maxResident = std::min(demand.resident, roomFor(at, tensor));
    asked = here.fills;
    isFirst = false;
  }
}

void FoldCounter::noteSpill(size_t at, unsigned tensor, int64_t waiting) {
  int64_t columns = std::min(place.array.columns, plan.columnExtent);
  int64_t rows = roomFor(at, tensor) / columns;
  if (rows < 1 || !spillNote.empty())
    return;
  spillNote = fmt::format(
      "{} partial sums of `{}` wait for the next fold of the reduction and have no room in `{}`: "
      "they leave it and come back; a mapping that streams at most {} rows at a time keeps them",
      waiting, adapted.nest.tensors[tensor].name, adapted.nest.places[at].name, rows);
}

void FoldCounter::countOutput() {
  unsigned tensor = product.output.tensor;
  int64_t results = product.gemm.m * product.gemm.n * product.batches;
  int64_t sums = plan.outputWrites * product.batches; // that leave the array
  // Sums that wait for the next fold of the reduction.
  int64_t waiting = 0;
  if (waitsForFolds())
    waiting = plan.stream * std::min(place.array.columns, plan.columnExtent);
  int64_t arriving = sums, returning = 0;
  bool isFirst = true;
  for (size_t memory = memoryPlaces.size(); memory-- > 0;) {
    size_t at = memoryPlaces[memory];
    if (at > place.position || !llvm::is_contained(adapted.nest.places[at].keep, tensor))
      continue;
    TensorCounts &here = countsOf(memory, tensor);
    here.updates = NetworkCount::same(arriving);
    here.reads = NetworkCount::same(isFirst ? arriving - results : returning);
    if (adapted.nest.hasPartial())
      here.finished = results;
    if (memory == 0) {
      here.maxResident = results;
      break;
    }
    if (waiting <= roomFor(at, tensor)) {
      here.writebacks = results;
      arriving = results;
      returning = 0;
    } else {
      here.writebacks = arriving;
      returning = here.fills = arriving - results;
      noteSpill(at, tensor, waiting);
    }
    here.maxResident = std::min(std::max(waiting, plan.stream), roomFor(at, tensor));
    isFirst = false;
  }
}

/// Memories of the elements: what stays enters once per fold and is read for every point; what
/// streams is latched at every point.
void FoldCounter::countElements(unsigned tensor, bool stays, int64_t entering) {
  bool isOutput = tensor == product.output.tensor;
  for (size_t memory = 0; memory < memoryPlaces.size(); ++memory) {
    size_t at = memoryPlaces[memory];
    if (at < place.position || !llvm::is_contained(adapted.nest.places[at].keep, tensor))
      continue;
    TensorCounts &here = countsOf(memory, tensor);
    here.maxResident = 1;
    if (isOutput) {
      here.updates = NetworkCount::same(points);
      here.reads = NetworkCount::same(points - entering); // the first of each sum starts from zero
      here.writebacks = entering;
      if (adapted.nest.hasPartial()) // the sums of one fold are the last part of no element alone
        here.finished = waitsForFolds() ? 0 : product.gemm.m * product.gemm.n * product.batches;
    } else {
      here.reads = NetworkCount::same(points);
      here.fills = stays ? entering : points;
    }
  }
}

/// Links that the words of all folds travel down the columns to their rows, or back.
int64_t FoldCounter::linksOfLoading(int64_t columns) const {
  int64_t rows = place.array.rows, last = plan.rowExtent - (plan.rowFolds - 1) * rows;
  int64_t links = (plan.rowFolds - 1) * (rows * (rows + 1) / 2) + last * (last + 1) / 2;
  return links * columns * product.batches;
}

/// A word that streams passes one link per point that uses it.
void FoldCounter::countHops() {
  for (size_t p = 0; p < adapted.nest.places.size(); ++p) {
    if (adapted.nest.places[p].kind != PlaceKind::Array)
      continue;
    ArrayCounts array;
    array.name = adapted.nest.places[p].name;
    array.hops.resize(adapted.nest.tensors.size());
    for (const auto &[tensor, stationary] : {std::pair(product.input.tensor, Stationary::Input),
                                             std::pair(product.weight.tensor, Stationary::Weight),
                                             std::pair(product.output.tensor, Stationary::Output)})
      array.hops[tensor] = NetworkCount::same(
          place.array.stationary == stationary ? linksOfLoading(plan.columnExtent) : points);
    counts.arrays.push_back(std::move(array));
  }
}

Counts FoldCounter::run() {
  counts.macs = points;
  counts.steps = cyclesOf(plan, place.array, product.batches);
  if (adapted.nest.hasPartial() && !waitsForFolds()) // what leaves the array
    counts.finishedPoints = product.gemm.m * product.gemm.n * product.batches;
  counts.maxActiveLanes =
      std::min(place.array.rows, plan.rowExtent) * std::min(place.array.columns, plan.columnExtent);
  for (size_t p = 0; p < adapted.nest.places.size(); ++p)
    if (adapted.nest.places[p].kind == PlaceKind::Memory) {
      MemoryCounts memory;
      memory.name = adapted.nest.places[p].name;
      memory.tensors.resize(adapted.nest.tensors.size());
      counts.memories.push_back(std::move(memory));
      memoryPlaces.push_back(p);
    }
  Demand input = inputDemand(), weight = weightDemand();
  countInput(input);
  countInput(weight);
  countOutput();
  Stationary stationary = place.array.stationary;
  countElements(product.input.tensor, stationary == Stationary::Input, input.fed);
  countElements(product.weight.tensor, stationary == Stationary::Weight, weight.fed);
  countElements(product.output.tensor, stationary == Stationary::Output,
                plan.outputWrites * product.batches);
  countHops();
  return std::move(counts);
}

static llvm::StringRef stationaryName(Stationary stationary) {
  switch (stationary) {
  case Stationary::Output:
    return "outputs";
  case Stationary::Weight:
    return "weights";
  case Stationary::Input:
    return "inputs";
  }
  return "";
}

llvm::Optional<Counts> loopnest::foldedCounts(AdaptedNest &adapted, const SystolicPlace &place,
                                              std::string &plan) {
  for (size_t p = 0; p < adapted.nest.places.size(); ++p)
    if (p != place.position && adapted.nest.places[p].kind == PlaceKind::Array)
      return llvm::None;
  llvm::SmallVector<bool, 4> weights;
  for (const TensorOp &tensor : adapted.tensors)
    weights.push_back(tensor.role() == "weight");
  // Folds stream all rows side by side, which a recurrence does not allow.
  if (!adapted.statement.isMac() || passes::readsWhatItSets(adapted.statement))
    return llvm::None;
  llvm::Optional<Product> product = findProduct(adapted.nest, weights);
  llvm::Optional<FoldPlan> folds;
  if (product)
    folds = planFolds(product->gemm, place.array);
  // Every count below is at most one of these, or a sum of a few.
  if (!folds ||
      (Checked(folds->cycles) * product->batches +
       Checked(folds->inputReads) * product->batches * 8 +
       Checked(folds->weightReads) * product->batches * 8 +
       Checked(folds->outputWrites) * product->batches * 8 +
       Checked(product->input.words) * folds->columnFolds * product->batches * folds->rowFolds +
       Checked(product->weight.words) * folds->rowFolds * folds->columnFolds * product->batches +
       Checked(place.array.rows) * place.array.rows * folds->rowFolds * folds->columnExtent *
           product->batches)
          .overflowed())
    return llvm::None;
  for (Place &entry : adapted.nest.places)
    entry.loops.clear();
  Loop loop;
  loop.factor = place.array.rows * place.array.columns;
  adapted.nest.places[place.position].loops.push_back(loop);
  plan = fmt::format("stationary {}", stationaryName(place.array.stationary).str());
  FoldCounter counter(adapted, place, *product, *folds);
  Counts counts = counter.run();
  if (!counter.spillNote.empty())
    adapted.notes.push_back(counter.spillNote);
  return counts;
}
