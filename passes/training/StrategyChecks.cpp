// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a strategy goes with its system and its batch.
#include "ir/common/diagnostics/Training.h"
#include "ir/op/OpOps.h"
#include "passes/analysis/Experts.h"
#include "passes/training/StepPlan.h"
#include "passes/training/StrategyPlace.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// Reports strategies that do not go with the system or the batch.
static bool checkRanks(const Operation &train, Strategy &strategy, SystemPaths &system,
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
  if (strategy.ranks() != system.chips()) {
    diagnostics
        .report(rangeOf(train, "parallel", diagnostics), diag::RanksAndChips,
                factors.empty() ? "no parallelism" : llvm::join(factors, " * "), strategy.ranks(),
                on, counted(system.chips(), "chip"))
        .help(system.chips() % (strategy.ranks() / strategy.data) == 0
                  ? fmt::format("data = {} would use all chips",
                                system.chips() / (strategy.ranks() / strategy.data))
                  : "the product of the degrees is the number of chips");
    return false;
  }
  for (const auto &entry : strategy.over)
    if (!system.rangeOf(entry.second)) {
      diagnostics.report(rangeOf(train, entry.second, diagnostics), diag::NoSuchAxisGroup, on,
                         entry.second);
      return false;
    }
  std::string problem;
  if (!placeAxes(strategy, system, problem)) {
    diagnostics.report(rangeOf(train, problem, diagnostics), diag::BadTrainValue, problem);
    return false;
  }
  return true;
}

static bool checkBatch(const Operation &train, const Strategy &strategy,
                       DiagnosticEngine &diagnostics) {
  auto refuse = [&](const std::string &what, const std::string &of) {
    diagnostics.report(rangeOf(train, what, diagnostics), diag::DoesNotDivide, what, of);
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

bool passes::checkStrategy(const Operation &train, Strategy &strategy, SystemPaths &system,
                           DiagnosticEngine &diagnostics) {
  return checkRanks(train, strategy, system, diagnostics) &&
         checkBatch(train, strategy, diagnostics);
}

bool passes::hasExperts(const Operation &graph) {
  bool found = false;
  graph.walk([&](const Operation &op) {
    auto tensor = as<op::TensorOp>(op);
    found |= tensor && tensor.isExpert();
    if (auto apply = as<op::ApplyOp>(op); apply && !found)
      found = expertsOf(Kernel(op::KernelOp(resolve(op, apply.kernel())))).hasValue();
  });
  return found;
}

bool passes::checkExperts(const Operation &statement, int64_t ranks, const Operation &graph,
                          llvm::StringRef subject, DiagnosticEngine &diagnostics) {
  if (ranks <= 1 || hasExperts(graph))
    return true;
  diagnostics.report(
      rangeOf(statement, "expert", diagnostics), diag::BadTrainValue,
      fmt::format("`expert = {}`, but the data choose no weights of `{}`", ranks, subject));
  return false;
}
