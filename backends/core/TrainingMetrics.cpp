// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/OutcomeMetrics.h"

using namespace perfc;

using Of = const Outcome &;

/// What is lost and done again takes energy as well, of which what is known counts.
static MetricValue moneyOfRun(Of of) {
  if (!of.price)
    return metricUnknown("no `price` is given");
  const TrainingSummary &run = *of.training;
  double chips = run.runTime * static_cast<double>(run.chips) * of.price->chipSecond;
  double joule = of.price->joule * run.steps / run.availability;
  return metricNumber(chips + joule * of.cost.energy.known.central());
}

static MetricValue runEnergy(Of of) {
  MetricValue step = *metric(of, "energy");
  if (step.hasNumber())
    step.value = step.value * (of.training->runTime / of.training->stepTime);
  return step;
}

/// Of the stage that has most of it.
template <double StageMemory::*part> static MetricValue largest(Of of) {
  double most = 0;
  for (const StageMemory &stage : of.training->stages)
    most = std::max(most, stage.*part);
  return metricNumber(most);
}

StatementMetrics perfc::trainingMetrics() {
  static const MetricEntry table[] = {
      {"flops", [](Of of) { return metricNumber(of.training->executedFlops); }},
      {"macs", [](Of of) { return metricNumber(of.training->executedFlops / 2); }},
      {"run_time", [](Of of) { return metricNumber(of.training->runTime); }},
      {"cost", moneyOfRun},
      {"cost_per_token",
       [](Of of) { return metricPerToken(moneyOfRun(of), of.tokens * of.training->steps); }},
      {"samples_per_s",
       [](Of of) { return metricRate(metricNumber(of.training->samples), of.cost.latency); }},
      {"step_time", [](Of of) { return metricNumber(of.training->stepTime); }},
      {"effective_step_time", [](Of of) { return metricNumber(of.training->effectiveStep()); }},
      {"mfu", [](Of of) { return metricNumber(of.training->mfu()); }},
      {"hfu", [](Of of) { return metricNumber(of.training->hfu()); }},
      {"bubble", [](Of of) { return metricNumber(of.training->bubble); }},
      {"memory.parameters", largest<&StageMemory::parameters>},
      {"memory.gradients", largest<&StageMemory::gradients>},
      {"memory.optimizer", largest<&StageMemory::optimizer>},
      {"memory.activations", largest<&StageMemory::activations>},
      {"run_energy", runEnergy},
  };
  return {table, nullptr, nullptr};
}
