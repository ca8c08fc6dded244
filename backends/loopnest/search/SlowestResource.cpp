// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/SlowestResource.h"

#include "backends/loopnest/analysis/PartialWords.h"
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

/// What rounding may make of a sum of times, relatively: whole cycles are not exceeded by it.
static constexpr double rounding = 1e-11;

namespace {

/// One chip for each rate of the chip at hand.
class TimedChips {
public:
  TimedChips(const MapSpace &space, const CostWeights &weights) : space(space), weights(weights) {
    timeless = weights;
    for (MemoryWeights &memory : timeless.memories) {
      for (auto *energies : {&memory.read, &memory.write, &memory.update})
        std::fill(energies->begin(), energies->end(), 0);
      memory.sparedRead = memory.sparedUpdate = 0;
    }
    for (ArrayWeights &array : timeless.arrays)
      for (auto *energies : {&array.word, &array.hop, &array.copy})
        std::fill(energies->begin(), energies->end(), 0);
    timeless.leak = timeless.constantEnergy = timeless.spared = 0;
    addAll();
  }
  std::vector<TimedChip> chips;

private:
  void addAll();
  double perBit(const Rate &rate) const;
  void addMemory(const Rate &rate, unsigned memory, bool reads, bool writes);
  void addNetwork(const ArrayWeights::Network &network, unsigned array);
  void add(CostWeights timed, const Rate &rate);

  const MapSpace &space;
  const CostWeights &weights;
  CostWeights timeless; ///< all energies are 0
  double lanes = 1;     ///< instances of the place at hand, at most
};

} // namespace

void TimedChips::addAll() {
  for (const Slot &slot : space.slots) {
    if (!slot.isAxis) {
      const MemoryWeights &memory = weights.memories[slot.number];
      addMemory(memory.bandwidth, slot.number, true, true);
      addMemory(memory.readBandwidth, slot.number, true, false);
      addMemory(memory.writeBandwidth, slot.number, false, true);
      continue;
    }
    if (slot.axis == 0)
      for (const ArrayWeights::Network &network : weights.arrays[slot.number].networks)
        addNetwork(network, slot.number);
    lanes *= static_cast<double>(slot.size);
  }
}

/// s per bit when all instances are busy.
double TimedChips::perBit(const Rate &rate) const {
  if (rate.isExact() && weights.clock > 0)
    return static_cast<double>(rate.denominator) /
           (static_cast<double>(rate.numerator) * weights.clock * lanes);
  return 1 / (rate.perSecond * lanes);
}

/// The bits are those of MappingEvaluator::addCrossing.
void TimedChips::addMemory(const Rate &rate, unsigned m, bool reads, bool writes) {
  CostWeights timed = timeless;
  MemoryWeights &memory = timed.memories[m];
  double bit = perBit(rate);
  for (unsigned t = 0; t < space.tensors.size(); ++t) {
    int64_t moved = movedBits(space.nest, memoryOf(space.nest, m), t);
    double word = bit * static_cast<double>(moved);
    double spared = bit * static_cast<double>(moved - space.tensors[t].bits);
    memory.read[t] = reads ? word : 0;
    memory.write[t] = memory.update[t] = writes ? word : 0;
    if (t != space.output)
      continue;
    memory.sparedRead = reads ? spared : 0;
    memory.sparedUpdate = writes ? spared : 0;
  }
  if (m == 0 && reads)
    timed.constantEnergy = bit * static_cast<double>(weights.extraBits);
  add(std::move(timed), rate);
}

void TimedChips::addNetwork(const ArrayWeights::Network &network, unsigned array) {
  CostWeights timed = timeless;
  for (unsigned t : network.tensors)
    timed.arrays[array].word[t] =
        perBit(network.bandwidth) * static_cast<double>(space.tensors[t].bits);
  add(std::move(timed), network.bandwidth);
}

void TimedChips::add(CostWeights timed, const Rate &rate) {
  if (!rate.given)
    return;
  double launch = weights.launch;
  if (!rate.isExact() || weights.clock <= 0)
    chips.push_back({std::move(timed), [launch](const Score &score) {
                       return std::max(score.latency, score.energy + launch);
                     }});
  else
    chips.push_back({std::move(timed), [launch, clock = weights.clock](const Score &score) {
                       double cycles = std::ceil(score.energy * clock * (1 - rounding));
                       return std::max(score.latency, cycles / clock + launch);
                     }});
}

/// s of the steps.
static double stepTime(const MapSpace &space, const CostWeights &weights, const Mapping &mapping) {
  if (!weights.compute.given)
    return 0;
  auto steps = static_cast<double>(space.points);
  for (unsigned s = 0; s < space.slots.size(); ++s)
    for (unsigned d = 0; space.slots[s].isAxis && d < space.dims(); ++d)
      steps /= static_cast<double>(mapping.factor[s][d]);
  return steps / weights.compute.perSecond;
}

llvm::Optional<TimedChip> loopnest::slowestResource(const MapSpace &space,
                                                    const CostWeights &weights,
                                                    const Mapping &mapping) {
  llvm::Optional<TimedChip> slowest;
  double longest = stepTime(space, weights, mapping);
  for (TimedChip &chip : TimedChips(space, weights).chips) {
    double time = MappingEvaluator(space, chip.weights).evaluate(mapping).energy;
    if (time <= longest)
      continue;
    longest = time;
    slowest = std::move(chip);
  }
  return slowest;
}
