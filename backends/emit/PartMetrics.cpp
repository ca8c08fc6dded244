// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/PartMetrics.h"

#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using emit::KernelLine;

static MetricValue numberOf(Uncertain value, Dimension dimension) {
  MetricValue result;
  result.value = std::move(value);
  result.dimension = dimension;
  return result;
}

static MetricValue energyOf(const Figure &energy, double share, Dimension dimension) {
  MetricValue result = numberOf(energy.known.central() * share, dimension);
  if (!energy.isGiven())
    result.notGiven = "energy of " + llvm::join(energy.missing, ", ") + " is not given";
  return result;
}

llvm::Optional<MetricValue> emit::metric(const KernelLine &line, llvm::StringRef name,
                                         const Outcome &of) {
  using enum BaseUnit;
  double latency = line.latency.central();
  auto chips = static_cast<double>(of.kernelChips);
  MetricValue word;
  if (name == "latency")
    return numberOf(latency, Second);
  if (name == "bottleneck") {
    word.text = line.part->bound.empty() ? "-" : line.part->bound;
    return word;
  }
  if (of.isTimesOnly)
    return llvm::None;
  if (name == "energy")
    return energyOf(line.energy, 1, Joule);
  if (name == "edp")
    return energyOf(line.energy, latency, Dimension(Joule) * Second);
  if (name == "power" && latency > 0)
    return energyOf(line.energy, 1 / (chips * latency), Dimension(Joule) / Second);
  if (name == "macs")
    return numberOf(line.macs, {});
  if (name == "flops")
    return numberOf(line.flops, Flop);
  if (name == "utilization" && line.macs > 0)
    return numberOf(line.part->utilization, {});
  if (name == "throughput" && latency > 0)
    return numberOf(line.flops / latency, Dimension(Flop) / Second);
  return llvm::None;
}

llvm::Optional<MetricValue> emit::metric(const MemoryTraffic &memory, llvm::StringRef name) {
  using enum BaseUnit;
  if (name == "latency")
    return numberOf(memory.latency.central(), Second);
  if (name == "energy")
    return energyOf(memory.energy, 1, Joule);
  if (name == "traffic")
    return numberOf(memory.bytes(), Byte);
  return llvm::None;
}
