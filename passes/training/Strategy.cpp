// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/Strategy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static constexpr llvm::StringLiteral recomputeNames[] = {"none", "selective", "cheap", "full",
                                                         "any"};
static constexpr llvm::StringLiteral scheduleNames[] = {"gpipe", "one_f_one_b", "interleaved_1f1b",
                                                        "zero_bubble"};

static constexpr llvm::StringLiteral axisNames[] = {"tensor", "context", "expert", "data",
                                                    "pipeline"};

llvm::StringRef passes::recomputeName(Recompute mode) {
  return recomputeNames[static_cast<unsigned>(mode)];
}

llvm::Optional<Recompute> passes::parseRecompute(llvm::StringRef name) {
  for (unsigned i = 0; i < std::size(recomputeNames); ++i)
    if (recomputeNames[i] == name)
      return static_cast<Recompute>(i);
  return llvm::None;
}

llvm::StringRef passes::axisName(RankAxis axis) { return axisNames[static_cast<unsigned>(axis)]; }

llvm::Optional<RankAxis> passes::parseAxis(llvm::StringRef name) {
  for (unsigned i = 0; i < std::size(axisNames); ++i)
    if (axisNames[i] == name)
      return static_cast<RankAxis>(i);
  return llvm::None;
}

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

llvm::StringRef passes::scheduleName(ScheduleKind kind) {
  return scheduleNames[static_cast<unsigned>(kind)];
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
std::string passes::backwardSymbol(llvm::StringRef train) { return train.str() + "__backward"; }

static int64_t numberIn(const AttrDict &settings, llvm::StringRef key, int64_t otherwise) {
  const Attribute *value = settings.find(key);
  return value && value->is(AttrKind::Int) ? value->asInt() : otherwise;
}

static llvm::StringRef textIn(const AttrDict &settings, llvm::StringRef key) {
  const Attribute *value = settings.find(key);
  return value && value->is(AttrKind::String) ? value->asString() : llvm::StringRef();
}

static std::vector<std::string> namesIn(const AttrDict &settings, llvm::StringRef key) {
  const Attribute *value = settings.find(key);
  return value && value->is(AttrKind::List) ? value->asStrings() : std::vector<std::string>();
}

static double realIn(const AttrDict &settings, llvm::StringRef key) {
  const Attribute *value = settings.find(key);
  return value ? value->asQuantity().toDouble() : 0; // a whole number is an integer
}

static Routing readRouting(const AttrDict &settings) {
  Routing result;
  if (textIn(settings, "routing") == "uniform")
    result.kind = Routing::Uniform;
  if (textIn(settings, "routing") == "zipf")
    result.kind = Routing::Zipf;
  result.theta = realIn(settings, "theta");
  result.seed = static_cast<int64_t>(realIn(settings, "seed"));
  result.imbalance = realIn(settings, "imbalance");
  result.capacity = realIn(settings, "capacity");
  return result;
}

Strategy passes::readStrategy(study::TrainOp train) {
  const AttrDict &settings = train.settings();
  Strategy result;
  result.tensor = numberIn(settings, "tensor", 1);
  result.pipeline = numberIn(settings, "pipeline", 1);
  result.data = numberIn(settings, "data", 1);
  result.context = numberIn(settings, "context", 1);
  result.expert = numberIn(settings, "expert", 1);
  int64_t sequence = numberIn(settings, "sequence", 1);
  result.sequence = sequence > 1;
  result.anySequence = sequence == 0;
  if (const Attribute *over = settings.find("over"))
    for (const AttrDict::Entry &entry : over->asDict().entries())
      result.over[entry.first] = entry.second.asString().str();
  for (const std::string &name : namesIn(settings, "order")) {
    result.anyOrder |= name == "any";
    if (auto axis = parseAxis(name))
      result.order.push_back(*axis);
  }
  result.batch = numberIn(settings, "batch", 1);
  result.microbatch = numberIn(settings, "microbatch", 1);
  for (unsigned i = 0; i < std::size(scheduleNames); ++i)
    if (scheduleNames[i] == textIn(settings, "schedule"))
      result.schedule = static_cast<ScheduleKind>(i);
  result.chunks = numberIn(settings, "chunks", 1);
  if (auto mode = parseRecompute(textIn(settings, "recompute")))
    result.recompute = *mode;
  result.recomputeLayers = numberIn(settings, "recompute_layers", -1);
  if (const Attribute *stages = settings.find("stages"))
    result.stages = stages->asInts();
  std::vector<std::string> shared = namesIn(settings, "shard");
  result.shard = {llvm::is_contained(shared, "optimizer"), llvm::is_contained(shared, "gradients"),
                  llvm::is_contained(shared, "parameters"), numberIn(settings, "shard_ranks", -1)};
  if (!textIn(settings, "optimizer").empty())
    result.optimizer = textIn(settings, "optimizer").str();
  result.master = parseDType(textIn(settings, "master"));
  result.offload = textIn(settings, "offload").str();
  result.dtype = parseDType(textIn(settings, "dtype")).getValueOr(DType::BF16);
  result.adapterRank = numberIn(settings, "adapter_rank", 0);
  if (const Attribute *only = settings.find("adapters_of_attention"))
    result.adaptersOfAttention = only->asBool();
  if (const Attribute *experts = settings.find("experts"))
    result.routing = readRouting(experts->asDict());
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
  AttrDict settings = train.dictAttr("settings");
  settings.set("tensor", strategy.tensor);
  settings.set("pipeline", strategy.pipeline);
  settings.set("data", strategy.data);
  settings.set("context", strategy.context);
  settings.set("expert", strategy.expert);
  settings.set("sequence", strategy.sequence ? strategy.tensor : 1);
  settings.set("microbatch", strategy.microbatch);
  settings.set("schedule", scheduleName(strategy.schedule));
  settings.set("chunks", strategy.chunks);
  settings.set("recompute", recomputeName(strategy.recompute));
  settings.set("recompute_layers", strategy.recomputeLayers);
  AttrList order;
  for (RankAxis axis : strategy.order)
    order.push_back(axisName(axis).str());
  if (settings.find("order"))
    settings.set("order", std::move(order));
  AttrList shared;
  for (llvm::StringRef name : strategy.shard.names())
    shared.push_back(name.str());
  settings.set("shard", std::move(shared));
  if (strategy.shard.ranks >= 0 || settings.find("shard_ranks"))
    settings.set("shard_ranks", strategy.shard.ranks >= 0 ? strategy.shard.ranks
                                                          : strategy.data * strategy.context);
  if (!strategy.stages.empty())
    settings.set("stages", Attribute::ints(strategy.stages));
  train.setAttr("settings", std::move(settings));
}
