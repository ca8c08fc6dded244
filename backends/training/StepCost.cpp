// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step as a cost: a line per kernel and per kind of communication, and what stages wait for.
#include "backends/core/AlikeRanks.h"
#include "backends/core/Evaluate.h"
#include "backends/training/Train.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::training;
using passes::Strategy;

/// "24, 2 * 23, 9": equal stages in a row are counted.
static std::string stagesText(llvm::ArrayRef<int64_t> stages) {
  std::vector<std::string> parts;
  for (size_t i = 0, end; i < stages.size(); i = end) {
    for (end = i; end < stages.size() && stages[end] == stages[i];)
      ++end;
    parts.push_back(end - i > 1 ? fmt::format("{} * {}", end - i, stages[i])
                                : std::to_string(stages[i]));
  }
  return llvm::join(parts, ", ");
}

static std::string describe(const Strategy &strategy) {
  std::string text = fmt::format("tensor {}, pipeline {}, data {}", strategy.tensor,
                                 strategy.pipeline, strategy.data);
  if (strategy.context > 1)
    text += fmt::format(", context {}", strategy.context);
  if (strategy.expert > 1)
    text += fmt::format(", expert {}", strategy.expert);
  if (strategy.sequence)
    text += fmt::format(", sequence {}", strategy.tensor);
  if (!strategy.stages.empty())
    text += ", stages " + stagesText(strategy.stages);
  if (strategy.nesting != Strategy().nesting || !strategy.factors.empty()) {
    std::vector<std::string> axes;
    for (auto [axis, degree] : strategy.nested())
      if (degree > 1)
        axes.push_back(passes::axisName(axis).str());
    text += ", order " + llvm::join(axes, " ");
  }
  text += fmt::format(", microbatch {}", strategy.microbatch);
  if (strategy.pipeline > 1)
    text += fmt::format(", {}", passes::scheduleName(strategy.schedule).str());
  if (strategy.pipeline > 1 && strategy.chunks > 1)
    text += fmt::format("({})", strategy.chunks);
  text += fmt::format(", recompute {}", passes::recomputeName(strategy.recompute).str());
  std::vector<llvm::StringRef> shared = strategy.shard.names();
  if (!shared.empty())
    text += ", shard " + llvm::join(shared, " and ");
  if (!shared.empty() && strategy.shard.ranks > 0)
    text += fmt::format(" among {}", strategy.shard.ranks);
  return text;
}

/// ", with double_binary_tree" where the statement chooses how its collectives run.
static std::string algorithmsText(const ir::Operation &train) {
  std::string text;
  for (study::AlgorithmOp algorithm : ir::as<study::TrainOp>(train).algorithms())
    text += fmt::format("{}{}", text.empty() ? ", with " : " and ", algorithm.name());
  return text;
}

/// The errors of a step: where runs with its runtime were measured, these have all others in them.
static MeasuredErrors errorsOf(const ir::Operation &train, const MeasuredErrors &collectives) {
  auto runtime = study::partOf<study::RuntimeOp>(train);
  MeasuredErrors errors;
  for (const std::string &what : collectives.known)
    errors.addKnown(what);
  if (!runtime->quantityAttr("measured")->toUncertain().isCertain()) {
    errors.addKnown("steps with runtime `" + runtime.label().str() + "`");
    return errors;
  }
  errors.addUnknown("kernels");
  errors.add(collectives);
  return errors;
}

/// The step as an outcome: kernels of a mean stage, collectives that are exposed, waiting,
/// optimizer.
Outcome training::stepOutcome(const ir::Operation &train, const ModelCosts &costs, Step step,
                              const StepModel &model, const Strategy &strategy) {
  Outcome outcome;
  outcome.kind = ResultKind::Training;
  outcome.price = priceOf(train);
  Cost &cost = outcome.cost;
  step.summary.strategy = describe(strategy) + algorithmsText(train);
  TrainingSummary &summary = step.summary;
  cost.latency = summary.stepTime;
  cost.energy = step.energy;
  cost.energy.isPartial = costs.sources.isEnergyPartial;
  cost.area = model.chipArea();
  cost.exposed = summary.exposed();
  cost.work = llvm::None; // kernels of ranks and microbatches overlap
  cost.idle = std::max(0.0, summary.bubble * summary.stepTime);
  cost.chips = outcome.kernelChips = summary.chips;
  cost.utilization = summary.hfu();
  for (const std::string &note : costs.sources.notes)
    cost.addNote(note);
  for (std::string &note : step.notes)
    cost.addNote(std::move(note));
  if (!study::findPart(train, study::RuntimeOp::opName))
    cost.addNote("the times are ideal: kernels reach the peaks of the chip and the host takes no "
                 "time, since no `runtime` is given");
  if (outcome.price && outcome.price->joule > 0 && !cost.energy.isGiven())
    cost.addNote("the cost has that part of the energy which is known: that of " +
                 llvm::join(cost.energy.missing, ", ") + " is not given");
  cost.errors = errorsOf(train, step.errors);
  double peakMemory = 0;
  for (const StageMemory &stage : summary.stages)
    peakMemory = std::max(peakMemory, stage.total());
  cost.peakMemory = static_cast<int64_t>(peakMemory);
  if (model.capacity() > 0)
    cost.memoryCapacity = model.capacity();
  double microbatches = static_cast<double>(strategy.batch) /
                        static_cast<double>(strategy.data * strategy.microbatch);
  double share = microbatches / static_cast<double>(summary.stages.size());
  double ranks = static_cast<double>(strategy.tensor * strategy.context * strategy.data);
  for (const KernelTime &kernel : step.work.kernels) {
    CostPart part(PartKind::Kernel, kernel.label, kernel.location, kernel.seconds * share);
    part.count = static_cast<int64_t>(std::llround(kernel.count * share));
    part.flops = kernel.flops * share;
    part.macs = kernel.macs * share;
    part.utilization = kernel.seconds > 0 ? kernel.peakSeconds / kernel.seconds : 0;
    part.bound = kernel.bound;
    part.alike = kernel.alike;
    part.energy = kernel.energy.times(microbatches * ranks);
    part.energy.known = part.energy.known.central(); // as all of the breakdown
    cost.breakdown.children.push_back(std::move(part));
    cost.addBound(kernel.bound, kernel.seconds * share);
  }
  for (const CommunicationTime &entry : summary.communication) {
    CostPart part(PartKind::Collective, entry.name, train.range(), entry.exposed);
    part.count = static_cast<int64_t>(std::llround(entry.count));
    part.bound = "network";
    part.energy = Figure(Uncertain(std::max(0.0, entry.energy)));
    if (entry.energy < 0)
      part.energy.missing.push_back("the network");
    cost.breakdown.children.push_back(std::move(part));
    cost.addBound("network " + llvm::StringRef(entry.name).split(' ').second.str(), entry.exposed);
  }
  auto rest = [&](const char *label, double seconds, llvm::Optional<Figure> energy = llvm::None) {
    if (seconds == 0)
      return;
    CostPart part(PartKind::Phase, label, train.range(), seconds);
    if (energy)
      part.energy = std::move(*energy);
    else
      part.energy.missing.push_back(label);
    part.energy.known = part.energy.known.central();
    cost.breakdown.children.push_back(std::move(part));
    cost.addBound(label, seconds);
  };
  rest("power", summary.powerTime);
  rest("bubble", cost.idle.central());
  rest("optimizer", summary.optimizerTime, step.optimizerEnergy);
  rest("other", summary.otherTime);
  auto degree = [&](llvm::StringRef axis) {
    return axis == "tensor" ? strategy.tensor : axis == "data" ? strategy.data : strategy.context;
  };
  noteAlikeRanks(cost, cost.breakdown.children, cost.latency.central(), degree);
  std::vector<std::string> used = costs.sources.providers;
  if (!summary.communication.empty())
    used.push_back("network");
  cost.provenance = {llvm::join(used, ", "), summary.strategy,
                     "step = pipeline + exposed gradients + optimizer; pipeline by its schedule"};
  outcome.tokens = summary.tokens;
  outcome.training = std::make_shared<const TrainingSummary>(std::move(summary));
  cost.describe(PartKind::Program, train.symbol(), train.range());
  return outcome;
}
