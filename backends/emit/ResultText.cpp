// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/ResultText.h"

using namespace perfc;

std::string emit::percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string emit::latencyText(const Uncertain &latency) {
  return formatEngineering(latency, BaseUnit::Second);
}

std::string emit::metricText(const Outcome &of, const llvm::Twine &name) {
  llvm::Optional<MetricValue> found = metric(of, name.str());
  return found->hasNumber() ? formatEngineering(found->value, found->dimension)
                            : "not given: " + found->notGiven;
}

std::string emit::memoryText(const Cost &cost) {
  SizeBase base = capacityBase(cost);
  std::string used = formatSize(static_cast<double>(cost.peakMemory), base);
  return cost.memoryCapacity ? used + " of " + formatSize(*cost.memoryCapacity, base) : used;
}
