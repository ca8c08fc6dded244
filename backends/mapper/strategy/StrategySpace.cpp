// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/strategy/StrategySpace.h"

#include "backends/gpu/TileSearch.h"
#include "backends/loopnest/search/SlotRules.h"
#include "backends/training/Train.h"
#include "ir/collective/CollectiveOps.h"
#include "ir/study/AllOps.h"
#include "passes/PassManager.h"
#include "passes/training/RankLabels.h"
#include "passes/training/StepPlan.h"
#include "llvm/ADT/STLExtras.h"
#include <iterator>

using namespace perfc;
using namespace perfc::mapper;
using loopnest::divisors;
using passes::Recompute;
using passes::Strategy;

std::unique_ptr<ir::Module> mapper::withStrategy(const ir::Module &module, llvm::StringRef train,
                                                 const Strategy &strategy,
                                                 DiagnosticEngine &diagnostics,
                                                 bool withSchedules) {
  auto copy = std::make_unique<ir::Module>();
  ir::ValueMap map;
  for (const ir::Operation &op : module.body()) {
    bool isOther = op.name().startswith("study.") && op.symbol() != train;
    if (!isOther && (withSchedules || !op.is(collective::ScheduleOp::opName)))
      op.clone(copy->body(), map);
  }
  ir::Operation *filled = copy->lookup(train);
  passes::writeStrategy(strategy, *filled);
  if (!withSchedules)
    for (study::AlgorithmOp algorithm : study::TrainOp(filled).algorithms())
      algorithm->erase();
  passes::PassContext context{diagnostics, allOps()};
  passes::PassManager manager(*passes::pipelineTo(withSchedules ? "collective" : "phase"));
  bool good = manager.run(*copy, context) && gpu::chooseTiles(*copy, diagnostics);
  return good ? std::move(copy) : nullptr;
}

/// What may be computed again: as asked, or all that differ. Without scores in memory `selective`
/// has nothing to compute again and is the same as `none`.
std::vector<Recompute> StrategySpace::recomputations() const {
  if (asked.recompute != Recompute::Any)
    return {asked.recompute};
  Strategy plain;
  plain.batch = asked.batch;
  bool hasScores = true;
  size_t reported = diagnostics.all().size();
  if (auto lowered = withStrategy(module, train.symbol(), plain, diagnostics, false)) {
    const ir::Operation &forward = *lowered->lookup(passes::forwardSymbol(train.symbol()));
    passes::RankLabels labels(forward, asked.samples, asked.batch);
    hasScores = false;
    forward.walk([&](const ir::Operation &op) {
      for (size_t i = 0; i < op.resultCount(); ++i)
        hasScores |= labels.sequenceRanks(op.result(i)) >= 2;
    });
  }
  diagnostics.truncate(reported);
  if (hasScores)
    return {Recompute::None, Recompute::Selective, Recompute::Cheap, Recompute::Full};
  return {Recompute::None, Recompute::Cheap, Recompute::Full};
}

/// How the model may be divided: tensor, expert, context, microbatch and recomputation.
std::vector<Strategy> StrategySpace::divisions() const {
  std::vector<int64_t> all = divisors(network.chips());
  auto choices = [&](int64_t degree, int64_t limit) {
    std::vector<int64_t> list;
    if (degree > 0)
      list.push_back(degree);
    else
      llvm::copy_if(all, std::back_inserter(list), [&](int64_t value) { return value <= limit; });
    return list;
  };
  std::vector<int64_t> microbatches =
      asked.microbatch > 0 ? std::vector<int64_t>{asked.microbatch} : divisors(asked.batch);
  std::vector<Strategy> list;
  for (Recompute mode : recomputations())
    for (int64_t microbatch : microbatches)
      for (int64_t context : choices(asked.context, study::mostSearchedRanks))
        for (int64_t tensor : choices(asked.tensor, study::mostSearchedRanks))
          for (int64_t expert : choices(asked.expert, study::mostSearchedExperts)) {
            Strategy strategy = asked;
            strategy.recompute = mode;
            strategy.microbatch = microbatch;
            strategy.context = context;
            strategy.tensor = tensor;
            strategy.sequence = asked.sequence && tensor > 1;
            strategy.anySequence = false;
            strategy.expert = expert;
            list.push_back(strategy);
            strategy.sequence = asked.anySequence && tensor > 1;
            if (strategy.sequence)
              list.push_back(std::move(strategy));
          }
  return list;
}

/// The ranks that may divide what is sharded: as asked, or all that leave whole groups.
std::vector<int64_t> StrategySpace::shardGroups(const Strategy &strategy) const {
  int64_t all = strategy.data * strategy.context;
  std::vector<int64_t> list = {asked.shard.ranks};
  if (asked.shard.ranks == 0)
    list = divisors(all);
  llvm::erase_if(list, [&](int64_t ranks) {
    return ranks > 0 && (all % ranks || strategy.expertDomain() / strategy.expert % (all / ranks));
  });
  return list;
}

const passes::StrategyVariants &StrategySpace::variantsOf(Strategy strategy) {
  std::array<int64_t, 6> key = {strategy.tensor, strategy.context,  strategy.expert,
                                strategy.data,   strategy.pipeline, strategy.wholeExperts()};
  auto known = variants.find(key);
  if (known != variants.end())
    return known->second;
  std::vector<Strategy> list;
  for (int64_t ranks : shardGroups(strategy)) {
    strategy.shard.ranks = ranks;
    llvm::append_range(list, passes::nestingsOf(strategy, network.places()));
  }
  return variants.try_emplace(key, std::move(list)).first->second;
}

std::vector<StrategySpace::Family> StrategySpace::families(const Strategy &division,
                                                           int64_t layers) {
  std::vector<Family> list;
  int64_t inner = division.tensor * division.context;
  if (network.chips() % inner)
    return list;
  // The first and the last stage may do without layers.
  int64_t mostStages = layers > 0 ? layers + 2 : 1;
  for (int64_t pipeline : divisors(network.chips() / inner)) {
    if (pipeline > mostStages || (asked.pipeline > 0 && pipeline != asked.pipeline))
      continue;
    Strategy strategy = division;
    strategy.pipeline = pipeline;
    strategy.data = network.chips() / inner / pipeline;
    bool matches = asked.data == 0 || strategy.data == asked.data;
    bool divides = strategy.expertDomain() % strategy.expert == 0 &&
                   strategy.batch % strategy.data == 0 &&
                   (strategy.batch / strategy.data) % strategy.microbatch == 0 &&
                   passes::hasWholeRounds(strategy.schedule, pipeline,
                                          strategy.batch / (strategy.data * strategy.microbatch),
                                          strategy.chunks);
    if (!matches || !divides)
      continue;
    const passes::StrategyVariants &all = variantsOf(strategy);
    if (all.size() > 0)
      list.push_back({all.fill(std::move(strategy), all.size() - 1), &all});
  }
  return list;
}
