// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shard: the part of a training step's graphs (or of a served model) that one rank runs on one
// microbatch, with the collectives that this needs. What is divided follows from how kernels use
// their tensors:
//   batch      microbatches, and data parallelism: the batch rank
//   context    the sequence rank; the keys of attention are gathered
//   tensor     a product with a weight that gets whole activations is divided along a rank of its
//              result that the kernels behind it keep, until a product with a weight sums over it
//              (Shoeybi et al., Megatron-LM, 2019); the sums are partial then, and added up
//   sequence   what is not divided by tensor is divided along the sequence: an all_gather before, a
//              reduce_scatter behind (Korthikanti et al., MLSys 2023)
//   expert     the rank of a weight that the data choose; tokens go to their experts and back
//              by all_to_all (ShardExperts.cpp)
// The same rules divide the backward graph, where weights and kept values are as in the forward
// one.
#include "ir/common/diagnostics/Training.h"
#include "ir/study/ServeOps.h"
#include "passes/Names.h"
#include "passes/training/AdapterBuckets.h"
#include "passes/training/ServingGraphs.h"
#include "passes/training/Sharder.h"
#include "passes/training/StrategyPlace.h"
#include "passes/training/TrainingGraph.h"
#include <cmath>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// Reports `what` when `factor` does not divide `extent`.
static bool checkDivides(Operation &train, DiagnosticEngine &diagnostics, llvm::StringRef what,
                         int64_t factor, llvm::StringRef of, int64_t extent) {
  if (factor > 0 && extent % factor == 0)
    return true;
  diagnostics.report(rangeOf(train, what, diagnostics), diag::DoesNotDivide,
                     fmt::format("{} = {}", what, factor), fmt::format("{} of {}", of, extent));
  return false;
}

/// Says that `what` cannot share out the samples of a graph that is one, and why it is.
static bool refuseOneSample(Operation &statement, const RankLabels &labels, llvm::StringRef what,
                            int64_t factor, DiagnosticEngine &diagnostics) {
  diagnostics
      .report(rangeOf(statement, what, diagnostics), diag::DoesNotDivide,
              fmt::format("{} = {}", what, factor),
              fmt::format("`{}`, which is one sample", statement.stringAttr("subject_label")))
      .help(labels.whyOne().str());
  return false;
}

static bool checkStrategy(Operation &train, const Strategy &strategy, const RankLabels &labels,
                          DiagnosticEngine &diagnostics) {
  if (labels.batch() == 0 && strategy.microbatch > 1)
    return refuseOneSample(train, labels, "microbatch", strategy.microbatch, diagnostics);
  int64_t batch = std::max<int64_t>(1, labels.batch());
  bool good =
      checkDivides(train, diagnostics, "microbatch", strategy.microbatch, "the batch", batch);
  if (strategy.context > 1 && labels.sequences().empty() && labels.attended().empty()) {
    diagnostics.report(rangeOf(train, "context", diagnostics), diag::DoesNotDivide,
                       fmt::format("context = {}", strategy.context),
                       "a model without positions: no input is `token[batch, T]`, and no attention "
                       "relates a rank to itself");
    return false;
  }
  auto isShared = [&](int64_t extent) {
    return Strategy::sharesOut(extent, strategy.sequenceRanks());
  };
  if (strategy.context > 1 && labels.sequences().empty() &&
      llvm::none_of(labels.attended(), isShared))
    good &= checkDivides(train, diagnostics, "context", strategy.context, "the sequence",
                         labels.attended().front());
  for (int64_t sequence : labels.sequences()) {
    if (strategy.context > 1)
      good &=
          checkDivides(train, diagnostics, "context", strategy.context, "the sequence", sequence);
    if (good && strategy.sequence)
      good &= checkDivides(train, diagnostics, "tensor * context",
                           strategy.tensor * strategy.context, "the sequence", sequence);
  }
  return good;
}

/// Experts are chosen as the statement's `routing` has it.
static void setRouting(Module &module, const Routing &routing) {
  if (routing.kind != Routing::Zipf)
    return;
  Quantity theta(*Rational::make(std::llround(routing.theta * 1e6), 1000000));
  module.walk([&](Operation &op) {
    auto operand = as<op::OperandOp>(op);
    if (!operand || !operand.distinct() || operand.draw() != "uniform")
      return;
    op.setAttr("draw", "zipf");
    op.setAttr("theta", theta);
  });
}

/// Divides the subject of `evaluate` among its ranks: a copy takes its place.
static bool shardEvaluation(Module &module, PassContext &context, study::EvaluateOp evaluate) {
  Operation *subject = module.lookup(evaluate.subject());
  if (!study::findPart(*evaluate, study::StrategyOp::opName) || evaluate->hasAttr("whole") ||
      study::findPart(*evaluate, study::UnsupportedOp::opName) || !subject->is(op::GraphOp::opName))
    return true;
  Strategy strategy = readDegrees(study::partOf<study::StrategyOp>(*evaluate));
  RankLabels given(*subject, strategy.samples);
  SystemPaths system(*module.lookup(evaluate.on()));
  strategy.batch = std::max<int64_t>(1, given.batch());
  if (strategy.data > 1 && given.batch() == 0)
    return refuseOneSample(*evaluate, given, "data", strategy.data, context.diagnostics);
  if (!checkStrategy(*evaluate, strategy, system, context.diagnostics) ||
      !checkStrategy(*evaluate, strategy, given, context.diagnostics))
    return false;
  if (strategy.ranks() == 1)
    return true;
  strategy.microbatch = strategy.batch / strategy.data;
  std::string symbol = module.uniqueName(evaluate.subject().str() + "__rank");
  Operation *graph =
      TrainingGraph(module, context, strategy).copy(*subject, symbol, /*keepsCaches=*/true);
  if (!graph)
    return false;
  RankLabels labels(*graph, strategy.samples);
  evaluate->setAttr("whole", Attribute::symbol(evaluate.subject()));
  evaluate->setAttr("subject", Attribute::symbol(symbol));
  return Sharder(module, context, strategy, labels).run(*graph) &&
         checkExperts(*evaluate, strategy.expert, *graph, evaluate.subjectLabel(),
                      context.diagnostics);
}

static bool runShard(Module &module, PassContext &context) {
  for (study::EvaluateOp evaluate : studiesOf<study::EvaluateOp>(module))
    if (!shardEvaluation(module, context, evaluate))
      return false;
  for (study::ServeOp serve : studiesOf<study::ServeOp>(module))
    if (!shardServing(module, context, serve))
      return false;
  for (study::TrainOp train : studiesOf<study::TrainOp>(module)) {
    Operation *forward = module.lookup(forwardSymbol(train.symbol()));
    Operation *backward = module.lookup(backwardSymbol(train.symbol()));
    Strategy strategy = readStrategy(train);
    if (!forward || !backward || forward->hasAttr("sharded"))
      continue;
    setRouting(module, strategy.routing);
    RankLabels labels(*forward, strategy.samples, strategy.batch);
    if (!checkStrategy(*train, strategy, labels, context.diagnostics))
      return false;
    Sharder sharder(module, context, strategy, labels);
    if (!sharder.run(*forward) || !sharder.run(*backward))
      return false;
    sharder.dropUnusedSaves(*forward, *backward);
    for (Operation *graph : {forward, backward}) {
      graph->setAttr("sharded", Attribute::unit());
      if (strategy.adapterRank > 0)
        bucketAdapters(*graph);
    }
  }
  return true;
}

const PassInfo passes::shardPass = {
    "shard", "divide the graphs of statements among their ranks",
    "Precondition: autodiff. Before (tensor = 2):\n"
    "    op.graph @t__forward { %h = op.apply %x, %w0 (kernel = @matmul) : tensor<4x8xfp16>\n"
    "      %y = op.apply %h, %w1 (kernel = @matmul_1) : tensor<4x8xfp16> … }\n"
    "After, with kernels of the divided extents:\n"
    "    op.graph @t__forward { %h = op.apply %x, %w0 (kernel = @matmul_shard) : tensor<4x4xfp16>\n"
    "      %y = op.apply %h, %w1 (kernel = @matmul_1_shard) : tensor<4x8xfp16>\n"
    "      %z = op.collective %y (kind = \"all_reduce\", axis = \"tensor\", ranks = 2) : … }",
    runShard};
