// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Latency of what has been moved: that of the slowest resource (docs/cost-model.md). Most resources
// are far from the slowest, so all are compared in floating point first, and only those that may be
// the slowest are rounded up to whole cycles exactly.
#include "backends/loopnest/search/MappingEvaluator.h"
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

/// Times that differ by less relatively may be in another order than they seem.
static constexpr double rounding = 1e-13;

void MappingEvaluator::addResource(const Rate &rate, unsigned first, int second, unsigned slot) {
  if (rate.given)
    resources.push_back({&rate, first, second, slot, rate.isExact() && weights.clock != 0});
}

/// Memories and networks; the bits of a mapping are those of memories first, then of networks.
void MappingEvaluator::listResources() {
  size_t number = 2 * space.lanes();
  for (const ArrayWeights &array : weights.arrays) {
    firstNetwork.push_back(number);
    number += array.networks.size();
  }
  bits.resize(number);
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    const Slot &slot = space.slots[s];
    if (!slot.isAxis) {
      const MemoryWeights &memory = weights.memories[slot.number];
      addResource(memory.bandwidth, 2 * slot.number, int(2 * slot.number + 1), s);
      addResource(memory.readBandwidth, 2 * slot.number, -1, s);
      addResource(memory.writeBandwidth, 2 * slot.number + 1, -1, s);
    } else if (slot.axis == 0) {
      const ArrayWeights &array = weights.arrays[slot.number];
      for (unsigned n = 0; n < array.networks.size(); ++n)
        addResource(array.networks[n].bandwidth, firstNetwork[slot.number] + n, -1, s);
    }
  }
  instances.resize(resources.size());
  perBit.resize(resources.size());
}

/// The least whole number that is not below amount * rate.denominator / (rate.numerator * on).
static double wholeCycles(const Rate &rate, int64_t amount, int64_t on) {
  __int128 above = static_cast<__int128>(amount) * rate.denominator;
  __int128 below = static_cast<__int128>(rate.numerator) * on;
  if (above <= INT64_MAX && below <= INT64_MAX) {
    auto a = static_cast<uint64_t>(above), b = static_cast<uint64_t>(below);
    return static_cast<double>((a + b - 1) / b);
  }
  return static_cast<double>((above + below - 1) / below);
}

/// Loops that are not decided are on as many lanes as there are; these need not divide the points.
void MappingEvaluator::countInstances(unsigned decided) {
  int64_t lanes = 1, left = space.points;
  if (decided < space.slots.size())
    for (unsigned s = 0; s < decided; ++s)
      left /= views.product(s);
  size_t r = 0;
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    for (; r < resources.size() && resources[r].slot == s; ++r) {
      const Rate &rate = *resources[r].rate;
      auto copies = static_cast<double>(lanes);
      instances[r] = lanes;
      perBit[r] = resources[r].exact ? static_cast<double>(rate.denominator) /
                                           (static_cast<double>(rate.numerator) * copies)
                                     : 1 / (rate.perSecond * copies);
    }
    if (!space.slots[s].isAxis)
      continue;
    if (s >= decided) {
      int64_t most = std::min(left, space.slots[s].size);
      left = (left - 1) / most + 1;
      lanes *= most;
    } else {
      lanes *= views.product(s);
    }
  }
  double steps = std::ceil(static_cast<double>(space.points) / static_cast<double>(lanes));
  const Rate &compute = weights.compute;
  bool exact = compute.isExact() && weights.clock != 0;
  computeCycles = compute.given && exact ? wholeCycles(compute, static_cast<int64_t>(steps), 1) : 0;
  computeSeconds = compute.given && !exact ? steps / compute.perSecond : 0;
}

Score MappingEvaluator::scoreOf(double energy, const int64_t *allBits) const {
  double slowest = computeSeconds, cycles = computeCycles, longest = 0;
  auto amount = [&](const Resource &resource) {
    int64_t sum = allBits[resource.first];
    sum += resource.second >= 0 ? allBits[resource.second] : 0;
    return resource.first == 0 ? sum + weights.extraBits : sum;
  };
  for (size_t r = 0; r < resources.size(); ++r) {
    double time = static_cast<double>(amount(resources[r])) * perBit[r];
    double &most = resources[r].exact ? longest : slowest;
    most = std::max(most, time);
  }
  if (longest >= cycles * (1 - rounding))
    for (size_t r = 0; r < resources.size(); ++r) {
      const Resource &resource = resources[r];
      int64_t moved = amount(resource);
      if (resource.exact && static_cast<double>(moved) * perBit[r] >= longest * (1 - rounding))
        cycles = std::max(cycles, wholeCycles(*resource.rate, moved, instances[r]));
    }
  double seconds = weights.clock > 0 ? cycles / weights.clock : cycles;
  Score score;
  score.latency = std::max(slowest, seconds) + weights.launch;
  score.energy = weights.constantEnergy + energy + weights.leak * score.latency;
  return score;
}
