// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/maestro/LevelSums.h"

#include "ir/common/Rational.h"

using namespace perfc;
using namespace perfc::maestro;
using dataflow::Sizes;

void DelaySum::add(int64_t delay, Checked times) {
  smallest = std::min(smallest.getValueOr(delay), delay);
  largest = std::max(largest.getValueOr(delay), delay);
  sum += Checked(delay) * times;
}

Delay DelaySum::average(int64_t steps) const {
  return {smallest.getValueOr(0), largest.getValueOr(0), steps ? sum.value() / steps : 0};
}

LevelSums::LevelSums(const dataflow::Layer &layer, const dataflow::Hardware &hardware,
                     const std::vector<Level> &levels)
    : hardware(hardware), levels(levels), tensors(layer.tensors()) {
  for (const Level &level : levels)
    levelExtents.push_back(extentsOf(layer, level));
}

/// A transfer of at most one cycle's bandwidth is free but for the hops.
int64_t LevelSums::networkDelay(int64_t words) const {
  return hardware.nocHops * hardware.hopLatency + ceilDivide(words, hardware.nocBandwidth) - 1;
}

LevelSums::Work LevelSums::computeTime(size_t depth, const Step &step, int64_t criticalMacs) {
  if (depth + 1 == levels.size())
    return {ceilDivide(criticalMacs, hardware.simd), double(step.activeClusters())};
  Work work{0, 0};
  for (const Step::Group &group : step.groups()) {
    const Sums &inner = ofLevel(depth + 1, group.sizes);
    work.cycles = std::max(work.cycles, exact(inner.runtime));
    work.activePes += inner.activePes * double(group.count);
  }
  return work;
}

/// The first step waits for its data, the others overlap with the transfers. At the top every step
/// pays a reload of the first step's tiles from memory, whatever is reused.
int64_t LevelSums::stepTime(Sums &sums, size_t depth, const Step &step, int64_t ingress,
                            int64_t egress, int64_t compute) const {
  int64_t time = step.isFirst() ? compute + ingress : std::max({compute, ingress, egress});
  if (depth != 0)
    return time;
  int64_t bandwidth = hardware.offchipBandwidth, busy = compute ? compute : 1;
  // The tool halves the largest need so far at every combination.
  sums.offchipBandwidth =
      std::max({sums.offchipBandwidth, sums.firstOutputs / busy, sums.firstInputs / busy}) / 2;
  return std::max({time, sums.firstInputs / bandwidth / 2, sums.firstOutputs / bandwidth / 2});
}

void LevelSums::add(Sums &sums, size_t depth, const Step &step) {
  Checked times = step.occurrences(), inputs = step.inputIngress(), filters = step.filterIngress();
  int64_t egress = exact(step.egress()), ingress = exact(inputs + filters);
  Checked macs = step.macs();
  if (sums.firstInputs == 0 && sums.firstOutputs == 0) {
    sums.firstInputs = exact(Checked(2) * (inputs + filters));
    sums.firstOutputs = exact(Checked(2) * egress);
  }
  sums.outputWrite += times * egress;
  sums.outputMacs += times * macs;
  int64_t critical = exact(step.criticalMacs());
  if (critical <= 0)
    return;
  sums.inputRead += times * inputs;
  sums.filterRead += times * filters;
  Work work = computeTime(depth, step, critical);
  int64_t ingressDelay = networkDelay(ingress), egressDelay = networkDelay(egress);
  sums.ingress.add(ingressDelay, times);
  sums.egress.add(egressDelay, times);
  sums.compute.add(work.cycles, times);
  sums.runtime += times * stepTime(sums, depth, step, ingressDelay, egressDelay, work.cycles);
  sums.macs += times * macs;
  sums.lastIntensity = llvm::None;
  if (ingress > 0)
    sums.lastIntensity = double(exact(macs)) / double(ingress);
  sums.activePes += work.activePes * double(times.value());
  int64_t busy = work.cycles ? work.cycles : 1, words = std::max(ingress, egress);
  sums.peakBandwidth = std::max(sums.peakBandwidth, words / busy);
  sums.bandwidthSum += exact(times * words) / busy;
  sums.steps += times;
}

const Sums &LevelSums::ofLevel(size_t depth, const Sizes &sizes) {
  auto [entry, isNew] = known.try_emplace({depth, sizes});
  if (!isNew)
    return entry->second;
  const Level &level = levels[depth];
  std::vector<std::vector<Phase>> choices;
  std::vector<int64_t> strides(level.maps.size(), 1);
  for (const Map &map : level.maps)
    choices.push_back(phasesOf(map, sizes.at(map.dim), level.fanout));
  for (size_t i = choices.size(); i-- > 1;)
    strides[i - 1] = strides[i] * static_cast<int64_t>(choices[i].size());
  int64_t combinations = strides[0] * static_cast<int64_t>(choices[0].size());
  Sums sums;
  // The tool's order, on which the off-chip bandwidth and the intensity depend.
  for (int64_t number = 0; number < combinations; ++number) {
    std::vector<Phase> phases;
    for (size_t i = 0; i < choices.size(); ++i) {
      int64_t position = ceilDivide(number, strides[i]);
      phases.push_back(choices[i][position % static_cast<int64_t>(choices[i].size())]);
    }
    add(sums, depth, Step(tensors, level, levelExtents[depth], std::move(phases)));
  }
  int64_t steps = exact(sums.steps);
  if (steps)
    sums.activePes /= double(steps);
  return entry->second = std::move(sums);
}
