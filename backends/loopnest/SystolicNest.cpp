// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/SystolicNest.h"

#include "backends/loopnest/TakenCounts.h"
#include "backends/loopnest/analysis/Checked.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

llvm::Optional<SystolicPlace> loopnest::findSystolic(const AdaptedNest &adapted) {
  for (size_t p = 0; p < adapted.places.size(); ++p) {
    auto array = ir::as<target::ArrayOp>(adapted.places[p]);
    if (!array || array.systolic().empty())
      continue;
    const auto &axes = adapted.nest.places[p].axes;
    llvm::Optional<Stationary> stationary = parseStationary(array.systolic());
    if (axes.size() == 2 && stationary)
      return SystolicPlace{p, {axes[1].size, axes[0].size, *stationary, array.overlapsFolds()}};
  }
  return llvm::None;
}

/// The operand that stays in the elements: the tensor of that role; nothing when none has it.
static llvm::Optional<unsigned> stationaryTensor(const AdaptedNest &adapted,
                                                 const SystolicPlace &place) {
  for (unsigned t = 0; t < adapted.tensors.size(); ++t) {
    bool isOutput = adapted.nest.tensors[t].isOutput;
    bool isWeight = adapted.tensors[t].role() == "weight";
    if (place.array.stationary == Stationary::Output   ? isOutput
        : place.array.stationary == Stationary::Weight ? isWeight
                                                       : !isOutput && !isWeight)
      return t;
  }
  return llvm::None;
}

/// The first place in the array that keeps `tensor`; the number of places when there is none.
static size_t holderOf(const AdaptedNest &adapted, const SystolicPlace &place, unsigned tensor) {
  size_t p = place.position + 1;
  while (p < adapted.places.size() && !llvm::is_contained(adapted.nest.places[p].keep, tensor))
    ++p;
  return p;
}

void loopnest::holdStationary(AdaptedNest &adapted) {
  llvm::Optional<SystolicPlace> systolic = findSystolic(adapted);
  llvm::Optional<unsigned> tensor;
  if (systolic)
    tensor = stationaryTensor(adapted, *systolic);
  if (!tensor || holderOf(adapted, *systolic, *tensor) < adapted.places.size())
    return;
  auto at = static_cast<ptrdiff_t>(systolic->position) + 1;
  bool goesOn =
      systolic->position + 1 < adapted.places.size() && !adapted.places[systolic->position + 1];
  if (goesOn) // loops in time between the lanes
    return;
  Place element;
  element.name = adapted.nest.places[systolic->position].name;
  element.keep = {*tensor};
  adapted.nest.places.insert(adapted.nest.places.begin() + at, std::move(element));
  adapted.places.insert(adapted.places.begin() + at, nullptr);
}

/// Links that `entering` words of the stationary operand travel down the columns to their rows.
static int64_t linksToRows(const AdaptedNest &adapted, const SystolicPlace &place,
                           int64_t entering) {
  double rows = 1, mean = 1;
  const Loop *only = nullptr;
  for (const Loop &loop : adapted.nest.places[place.position].loops)
    if (loop.axis == 1) {
      rows *= static_cast<double>(loop.factor);
      only = &loop;
    }
  mean = (rows + 1) / 2;
  if (only && static_cast<double>(only->factor) == rows && only->drives.size() == 1) {
    // The last fold of a ragged index has fewer rows.
    auto size = static_cast<double>(adapted.nest.dims[only->drives.front().dim].size);
    double whole = std::floor(size / rows), rest = size - whole * rows;
    mean = (whole * rows * (rows + 1) / 2 + rest * (rest + 1) / 2) / size;
  }
  return std::llround(static_cast<double>(entering) * mean);
}

/// What crosses the array, when all its words pass through the elements.
static void passThrough(const AdaptedNest &adapted, const SystolicPlace &place, unsigned stationary,
                        int64_t entering, Counts &counts) {
  size_t memories = 0, arrays = 0;
  for (size_t p = 0; p < place.position; ++p)
    ++(adapted.nest.places[p].kind == PlaceKind::Memory ? memories : arrays);
  if (arrays == 0 && counts.arrays.size() == 1)
    for (MemoryCounts &memory : llvm::makeMutableArrayRef(counts.memories.data(), memories))
      for (llvm::Optional<TensorCounts> &tensor : memory.tensors)
        if (tensor) {
          tensor->reads = NetworkCount::same(tensor->reads.shared);
          tensor->updates = NetworkCount::same(tensor->updates.shared);
        }
  ArrayCounts &array = counts.arrays[arrays];
  array.hopEstimates.clear();
  for (unsigned t = 0; t < array.hops.size(); ++t)
    array.hops[t] =
        NetworkCount::same(t == stationary ? linksToRows(adapted, place, entering) : counts.macs);
}

/// Cycles of the array for a nest that steps `steps` times: a fold is a stretch of loops in time,
/// innermost, that do not change the stationary tensor. Nothing on overflow.
static llvm::Optional<int64_t> foldedSteps(const AdaptedNest &adapted, const SystolicPlace &place,
                                           unsigned stationary, int64_t steps) {
  auto changes = [&](const Loop &loop) {
    return llvm::any_of(loop.drives, [&](const Drive &drive) {
      return llvm::any_of(adapted.nest.tensors[stationary].ranks, [&](const Subscript &rank) {
        return llvm::any_of(rank.terms, [&](const Term &term) { return term.dim == drive.dim; });
      });
    });
  };
  Checked folds = 1, stream = 1;
  bool inside = true;
  for (size_t p = adapted.nest.places.size(); p-- > 0;)
    if (adapted.nest.places[p].kind == PlaceKind::Memory)
      for (const Loop &loop : llvm::reverse(adapted.nest.places[p].loops)) {
        inside &= loop.factor == 1 || !changes(loop);
        (inside ? stream : folds) *= loop.factor;
      }
  const SystolicArray &array = place.array;
  bool isOutput = array.stationary == Stationary::Output;
  Checked fill = Checked(array.rows) + array.columns - 2 + (isOutput ? 0 : array.rows);
  Checked idle = Checked(std::max<int64_t>(0, array.rows - stream.value())) * (folds - 1);
  Checked total = array.overlapFolds ? Checked(steps) + fill + idle : Checked(steps) + folds * fill;
  if (total.overflowed() || stream.overflowed())
    return llvm::None;
  return total.value();
}

llvm::Optional<Counts> loopnest::takeMappedCounts(AdaptedNest &adapted, AnalysisResult result) {
  llvm::Optional<SystolicPlace> systolic = findSystolic(adapted);
  llvm::Optional<unsigned> stationary;
  if (systolic)
    stationary = stationaryTensor(adapted, *systolic);
  if (!stationary)
    return takeCounts(adapted, std::move(result));
  size_t holder = holderOf(adapted, *systolic, *stationary);
  int64_t entering = result.counts->macs;
  if (holder < adapted.places.size()) {
    auto number =
        llvm::count_if(llvm::makeArrayRef(adapted.nest.places.data(), holder),
                       [](const Place &place) { return place.kind == PlaceKind::Memory; });
    const TensorCounts &held = *result.counts->memories[number].tensors[*stationary];
    entering = held.fills + held.writebacks;
  }
  Counts counts = takeCounts(adapted, std::move(result));
  passThrough(adapted, *systolic, *stationary, entering, counts);
  llvm::Optional<int64_t> steps = foldedSteps(adapted, *systolic, *stationary, counts.steps);
  if (!steps)
    return llvm::None;
  counts.steps = *steps;
  return counts;
}
