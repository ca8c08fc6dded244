// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/TrueCost.h"

#include "backends/core/KernelWork.h"
#include "backends/loopnest/Accesses.h"
#include "backends/loopnest/NestLatency.h"
#include "backends/loopnest/SystolicNest.h"
#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/analysis/PartialWords.h"

using namespace perfc;
using namespace perfc::loopnest;

TrueCost::TrueCost(const ir::Operation &op, int64_t extraBytes)
    : chip(op), clock(ir::as<target::ChipOp>(op).clock()), extraBytes(extraBytes) {
  op.walk([&](const ir::Operation &part) {
    auto network = ir::as<target::NetworkOp>(part);
    hasHops |= network && network.hopEnergy();
  });
}

std::shared_ptr<const TrueCost> TrueCost::make(const ir::Operation &chip, const AdaptedNest &nest,
                                               const ir::Operation *placement) {
  int64_t extraBytes = phase::finishBytes(phase::finishOperands(placement));
  std::shared_ptr<TrueCost> cost(new TrueCost(chip, extraBytes));
  cost->zeros = sparsityOf(nest, placement);
  llvm::Optional<UnitRate> rate = cost->chip.rateFor(nest.statement, nest.unit);
  if (!rate || rate->rate.central() <= 0)
    return nullptr;
  cost->rate = *rate;
  return cost;
}

/// Rows that depend on data count once for each key, but there are no more than the table has.
bool TrueCost::fits(const AdaptedNest &nest, const Counts &counts) const {
  size_t number = 0;
  for (size_t p = 0; p < nest.places.size(); ++p) {
    auto memory = ir::as<target::MemoryOp>(nest.places[p]);
    if (nest.nest.places[p].kind != PlaceKind::Memory)
      continue;
    const MemoryCounts &held = counts.memories[number++];
    auto capacity = memory ? memory.capacity() : llvm::None;
    double needed = bytesOf(nest.nest, held.maxResidentBits);
    if (!capacity || needed <= capacity->toDouble())
      continue;
    for (size_t t = 0; t < held.tensors.size(); ++t) {
      if (!held.tensors[t])
        continue;
      double elements = 1;
      for (int64_t extent : TensorOp(nest.tensors[t]).shape())
        elements *= static_cast<double>(extent);
      auto resident = static_cast<double>(held.tensors[t]->maxResident);
      double wordBytes =
          bytesOf(nest.nest, heldBits(nest.nest, nest.nest.places[p], t, *held.tensors[t]));
      needed -= (resident - std::min(resident, elements)) * wordBytes;
    }
    if (needed > capacity->toDouble())
      return false;
  }
  return true;
}

/// Energy by the counts of `nest`, time by those of `pace`.
Score TrueCost::scoreOf(const CountedNest &nest, const CountedNest &pace) const {
  Score score;
  double computing = computeCost(pace).time.seconds.central(), slowest = computing;
  score.energy = computeCost(nest).part.energy.known.central();
  bool isSame = &nest.counts == &pace.counts;
  auto add = [&](const ResourceCost &powered, const ResourceCost &paced) {
    score.energy += powered.part.energy.known.central();
    slowest = std::max(slowest, paced.time.seconds.central());
  };
  size_t memories = 0, arrays = 0;
  for (const Place &place : nest.adapted.nest.places) {
    MemoryTraffic traffic;
    bool isMemory = place.kind == PlaceKind::Memory;
    size_t number = isMemory ? memories++ : arrays++;
    auto costOf = [&](const CountedNest &counted) {
      return isMemory ? memoryCost(counted, number, traffic) : networkCost(counted, number);
    };
    ResourceCost powered = costOf(nest);
    add(powered, isSame ? powered : costOf(pace));
  }
  for (size_t t = 0; zeros && t < zeros->tensors.size(); ++t)
    if (llvm::Optional<ResourceCost> decoder = decoderCost(nest, pace.counts, *zeros, t))
      add(*decoder, *decoder);
  LatencyTerms terms = latencyTerms(pace, computing);
  double buffered =
      terms.isBuffered ? computing + terms.stalls + terms.load + terms.store : slowest;
  score.latency = std::max(slowest, buffered) + terms.first + terms.last + chip.launch().central();
  if (llvm::Optional<Figure> leaking = leakage(chip, Uncertain(score.latency)))
    score.energy += leaking->known.central();
  return score;
}

llvm::Optional<Score> TrueCost::score(const AdaptedNest &nest, bool &isUnknown) const {
  AnalysisOptions options;
  options.hops = hasHops;
  options.transfers = memoriesWithWidth(nest);
  // One of many mappings: none may take seconds.
  options.workLimit = options.setWork = int64_t(1) << 18;
  options.conditionLimit = int64_t(1) << 15;
  // On a systolic array the elements hold what stays.
  llvm::Optional<AdaptedNest> held;
  if (findSystolic(nest)) {
    held = nest;
    holdStationary(*held);
  }
  AnalysisResult result = analyse(held ? held->nest : nest.nest, options);
  isUnknown = !result.counts || !result.errors.empty();
  if (isUnknown)
    return llvm::None;
  if (held)
    result.counts = takeMappedCounts(*held, std::move(result));
  if (!result.counts)
    return llvm::None;
  llvm::Optional<SparseCounts> expected;
  if (zeros)
    expected = applySparsity(nest.nest, *zeros, *result.counts, &lanes);
  Counts &counts = expected ? expected->powered : *result.counts;
  if (!fits(nest, counts))
    return llvm::None;
  CountedNest counted{nest, counts, rate, clock, extraBytes};
  return scoreOf(counted, {nest, expected ? expected->timed : counts, rate, clock, extraBytes});
}
