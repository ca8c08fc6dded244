// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a strategy goes with its system, its batch and the memory of its chips.
#include "backends/training/Reliability.h"
#include "backends/training/Train.h"
#include "ir/common/diagnostics/Training.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::training;
using passes::Strategy;

/// Reports strategies that do not go with the system or the batch.
static bool checkRanks(const ir::Operation &train, Strategy &strategy, RankNetwork &network,
                       DiagnosticEngine &diagnostics) {
  std::vector<std::string> factors;
  auto axis = [&](llvm::StringRef name, int64_t degree) {
    if (degree > 1)
      factors.push_back(fmt::format("{} {}", name, degree));
  };
  axis("tensor", strategy.tensor);
  axis("context", strategy.context);
  axis("pipeline", strategy.pipeline);
  axis("data", strategy.data);
  llvm::StringRef on = train.symbolAttr("on");
  if (strategy.ranks() != network.chips()) {
    diagnostics
        .report(passes::rangeOf(train, "parallel", diagnostics), diag::RanksAndChips,
                factors.empty() ? "no parallelism" : llvm::join(factors, " * "), strategy.ranks(),
                on, counted(network.chips(), "chip"))
        .help(network.chips() % (strategy.ranks() / strategy.data) == 0
                  ? fmt::format("data = {} would use all chips",
                                network.chips() / (strategy.ranks() / strategy.data))
                  : "the product of the degrees is the number of chips");
    return false;
  }
  for (const auto &entry : strategy.over)
    if (!network.places().rangeOf(entry.second)) {
      diagnostics.report(passes::rangeOf(train, entry.second, diagnostics), diag::NoSuchAxisGroup,
                         on, entry.second);
      return false;
    }
  std::string problem;
  if (!placeAxes(strategy, network.places(), problem)) {
    diagnostics.report(passes::rangeOf(train, problem, diagnostics), diag::BadTrainValue, problem);
    return false;
  }
  return true;
}

static bool checkBatch(const ir::Operation &train, const Strategy &strategy,
                       DiagnosticEngine &diagnostics) {
  auto refuse = [&](const std::string &what, const std::string &of) {
    diagnostics.report(passes::rangeOf(train, what, diagnostics), diag::DoesNotDivide, what, of);
    return false;
  };
  if (strategy.batch % strategy.data)
    return refuse(fmt::format("data = {}", strategy.data),
                  fmt::format("the batch of {}", strategy.batch));
  int64_t each = strategy.batch / strategy.data;
  if (each < strategy.microbatch || (strategy.pipeline > 1 && each % strategy.microbatch))
    return refuse(fmt::format("microbatch = {}", strategy.microbatch),
                  fmt::format("the {} of a data-parallel rank", counted(each, "sample")));
  if (strategy.expertDomain() % strategy.expert)
    return refuse(
        fmt::format("expert = {}", strategy.expert),
        fmt::format("{} = {}",
                    strategy.wholeExperts() ? "tensor * data * context" : "data * context",
                    strategy.expertDomain()));
  if (strategy.shard.ranks > 0 && strategy.data * strategy.context % strategy.shard.ranks)
    return refuse(fmt::format("`shard` among ranks = {}", strategy.shard.ranks),
                  fmt::format("data * context = {}", strategy.data * strategy.context));
  if (int64_t owners = strategy.expertDomain() / strategy.expert; owners % strategy.shardGroups())
    return refuse(fmt::format("`shard` in {}", counted(strategy.shardGroups(), "group")),
                  fmt::format("the {} with the same experts", counted(owners, "rank")));
  int64_t microbatches = each / strategy.microbatch;
  if (!hasWholeRounds(strategy.schedule, strategy.pipeline, microbatches, strategy.chunks))
    return refuse(
        fmt::format("pipeline = {}", strategy.pipeline),
        fmt::format("the {} of an interleaved schedule", counted(microbatches, "microbatch")));
  return true;
}

bool training::checkStrategy(const ir::Operation &train, Strategy &strategy, RankNetwork &network,
                             DiagnosticEngine &diagnostics) {
  return checkRanks(train, strategy, network, diagnostics) &&
         checkBatch(train, strategy, diagnostics);
}

/// The part of the memory that is largest, and what makes it smaller.
static std::string knobFor(const StageMemory &use, const Strategy &strategy) {
  double state = use.parameters + use.gradients + use.optimizer;
  if (use.activations + use.temporary >= state) {
    if (use.temporary > use.activations)
      return fmt::format("what a microbatch has at a time takes most: {} it",
                         strategy.microbatch > 1
                             ? "a smaller `microbatch` shrinks"
                             : "more `tensor` or `context` parallelism divides");
    if (strategy.recompute != passes::Recompute::Full)
      return "activations take most: `recompute full` keeps only the input of each layer";
    if (strategy.tensor > 1 && !strategy.sequence)
      return fmt::format("activations take most: `parallel sequence = {}` divides them",
                         strategy.tensor);
    if (strategy.microbatch > 1)
      return "activations take most: a smaller `microbatch` shrinks them";
    return "activations take most: more `tensor` or `context` parallelism divides them";
  }
  if (strategy.data * strategy.context > 1 && strategy.shard.names().empty())
    return "weights and their state take most: `shard optimizer` divides the optimizer's part "
           "among "
           "the data-parallel ranks";
  if (strategy.data * strategy.context > 1 && !strategy.shard.parameters)
    return "parameters and gradients take most: `shard parameters` divides them among the "
           "data-parallel ranks";
  if (strategy.shardGroups() > 1)
    return "weights and their state take most: `shard` among more `ranks` divides them further";
  return "weights and their state take most: more `tensor` or `pipeline` parallelism divides them";
}

/// False, reported with what helps, when the step does not fit into the memory.
bool training::checkMemory(const ir::Operation &train, const Step &step, const Strategy &strategy,
                           DiagnosticEngine &diagnostics) {
  if (step.fits)
    return true;
  SizeBase base = writtenBase(step.capacity);
  auto bytes = [&](double value) { return formatSize(std::round(value), base); };
  const StageMemory &use = step.summary.stages[step.worstStage];
  diagnostics
      .report(train.range(), diag::TrainingDoesNotFit, step.worstStage, bytes(use.total()),
              step.memory, bytes(step.capacity), bytes(step.missing))
      .note(fmt::format("parameters {}, gradients {}, optimizer {}, activations {}, temporary {}",
                        bytes(use.parameters), bytes(use.gradients), bytes(use.optimizer),
                        bytes(use.activations), bytes(use.temporary)))
      .help(knobFor(use, strategy));
  return false;
}

bool training::checkRun(const ir::Operation &train, const TrainingSummary &summary,
                        DiagnosticEngine &diagnostics) {
  if (summary.goodput > Reliability::leastGoodput)
    return true;
  Reliability reliability = Reliability::read(train, summary.chips);
  auto seconds = [](double value) { return formatEngineering(value, BaseUnit::Second); };
  diagnostics.report(passes::rangeOf(train, "checkpoint", diagnostics), diag::BadTrainValue,
                     fmt::format("a run gets nowhere: failures come every {}, but a checkpoint "
                                 "after {} of work takes {} and a restart {}",
                                 seconds(reliability.mtbf), seconds(summary.checkpointInterval),
                                 seconds(summary.checkpointTime), seconds(reliability.restart)));
  return false;
}
