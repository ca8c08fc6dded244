// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/Strategy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

int64_t Strategy::degreeOf(RankAxis axis) const {
  switch (axis) {
  case RankAxis::Tensor:
    return tensor;
  case RankAxis::Context:
    return context;
  case RankAxis::Expert:
    return expert;
  case RankAxis::Data:
    return llvm::is_contained(nesting, RankAxis::Expert) ? data / expert : data;
  case RankAxis::Pipeline:
    return pipeline;
  }
  return 1;
}

llvm::SmallVector<std::pair<RankAxis, int64_t>, 6> Strategy::nested() const {
  llvm::SmallVector<std::pair<RankAxis, int64_t>, 6> result = factors;
  if (factors.empty())
    for (RankAxis axis : nesting)
      result.emplace_back(axis, degreeOf(axis));
  return result;
}

/// The word that `text` begins with.
static llvm::StringRef firstWord(llvm::StringRef text) {
  return text.ltrim('`').take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

SourceRange passes::rangeOf(const Operation &train, llvm::StringRef text,
                            const DiagnosticEngine &diagnostics) {
  for (SourceRange range : train.location().ranges().drop_front())
    if (firstWord(diagnostics.sourceManager().text(range)) == firstWord(text))
      return range;
  return train.range();
}

std::string passes::forwardSymbol(llvm::StringRef train) { return train.str() + "__forward"; }
std::string passes::stepSymbol(llvm::StringRef statement) { return statement.str() + "__program"; }
std::string passes::backwardSymbol(llvm::StringRef train) { return train.str() + "__backward"; }

Strategy passes::readDegrees(study::StrategyOp strategy) {
  Strategy result;
  result.tensor = strategy.degree("tensor");
  result.pipeline = strategy.degree("pipeline");
  result.data = strategy.degree("data");
  result.context = strategy.degree("context");
  result.expert = strategy.degree("expert");
  result.samples = strategy.samples();
  result.sequence = strategy.degree("sequence") > 1;
  result.anySequence = strategy.degree("sequence") == 0;
  for (const AttrDict::Entry &entry : strategy.over().entries())
    result.over[entry.first] = entry.second.asString().str();
  return result;
}

int64_t passes::pipelineStages(study::EvaluateOp evaluate) {
  return evaluate->hasAttr("whole") ? study::partOf<study::StrategyOp>(*evaluate).degree("pipeline")
                                    : 1;
}

Strategy passes::readStrategy(study::TrainOp train) {
  auto strategy = study::partOf<study::StrategyOp>(*train);
  auto optimizer = study::partOf<study::OptimizerOp>(*train);
  auto experts = study::partOf<study::ExpertsOp>(*train);
  auto adapters = study::partOf<study::AdaptersOp>(*train);
  Strategy result = readDegrees(strategy);
  for (const std::string &name : strategy.order()) {
    result.anyOrder |= name == "any";
    if (auto axis = parseAxis(name))
      result.order.push_back(*axis);
  }
  result.batch = train.batch();
  result.microbatch = strategy.microbatch();
  result.schedule = strategy.schedule();
  result.chunks = strategy.chunks();
  result.recompute = strategy.recompute();
  result.recomputeLayers = strategy.recomputeLayers();
  result.stages = strategy.stages();
  std::vector<std::string> shared = strategy.shard();
  result.shard = {llvm::is_contained(shared, "optimizer"), llvm::is_contained(shared, "gradients"),
                  llvm::is_contained(shared, "parameters"), strategy.shardRanks()};
  result.optimizer = optimizer.kind().str();
  result.master = optimizer.master();
  result.offload = optimizer.offload().str();
  result.dtype = train.dtype();
  result.adapterRank = adapters.rank();
  result.adaptersOfAttention = adapters.ofAttention();
  result.routing = {experts.routing(), experts.theta(), experts.seed(), experts.imbalance(),
                    experts.capacity()};
  return result;
}

int64_t Strategy::recomputedLayers(int64_t layers) const {
  if (recomputeLayers < 0)
    return layers;
  if (stages.empty())
    return std::min(layers, recomputeLayers * pipeline);
  int64_t sum = 0;
  for (int64_t count : stages)
    sum += std::min(count, recomputeLayers);
  return sum;
}

std::vector<llvm::StringRef> Sharding::names() const {
  std::vector<llvm::StringRef> list;
  if (optimizer)
    list.push_back("optimizer");
  if (gradients)
    list.push_back("gradients");
  if (parameters)
    list.push_back("parameters");
  return list;
}

void passes::writeStrategy(const Strategy &strategy, Operation &train) {
  Operation &part = study::partToWrite(train, study::StrategyOp::opName);
  part.setAttr("tensor", strategy.tensor);
  part.setAttr("pipeline", strategy.pipeline);
  part.setAttr("data", strategy.data);
  part.setAttr("context", strategy.context);
  part.setAttr("expert", strategy.expert);
  part.setAttr("sequence", strategy.sequence ? strategy.tensor : 1);
  part.setAttr("microbatch", strategy.microbatch);
  part.setAttr("schedule", scheduleName(strategy.schedule));
  part.setAttr("chunks", strategy.chunks);
  part.setAttr("recompute", recomputeName(strategy.recompute));
  AttrList order;
  for (RankAxis axis : strategy.order)
    order.push_back(axisName(axis).str());
  if (part.hasAttr("order"))
    part.setAttr("order", std::move(order));
  AttrList shared;
  for (llvm::StringRef name : strategy.shard.names())
    shared.push_back(name.str());
  part.setAttr("shard", std::move(shared));
  if (strategy.shard.ranks >= 0 || part.hasAttr("shard_ranks"))
    part.setAttr("shard_ranks", strategy.shard.ranks >= 0 ? strategy.shard.ranks
                                                          : strategy.data * strategy.context);
  if (!strategy.stages.empty())
    part.setAttr("stages", Attribute::ints(strategy.stages));
}
