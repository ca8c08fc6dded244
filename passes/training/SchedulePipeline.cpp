// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// schedule-pipeline: the program of each training step. Layers are given to stages and chunks; each
// stage has its passes, as the sequences that lower-to-phase has made of the divided graphs and the
// messages to the next stage, and the order in which it runs them. Programs of served models come
// from ServingProgram.
#include "ir/common/diagnostics/Training.h"
#include "passes/Names.h"
#include "passes/Pass.h"
#include "passes/training/GraphParts.h"
#include "passes/training/ServingProgram.h"
#include "passes/training/StepPlan.h"
#include "passes/training/StrategyPlace.h"
#include "passes/training/WeightExchanges.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

class PipelineSchedule {
public:
  PipelineSchedule(Module &module, PassContext &context, study::TrainOp train)
      : module(module), diagnostics(context.diagnostics), builder(context.registry), train(train),
        strategy(readStrategy(train)), system(*module.lookup(train.on())),
        bytes(elementBytes(train)) {}

  bool run();

private:
  void stage(Region &into, int64_t number);
  void pass(Region &into, int64_t stage, int64_t chunk, bool isBackward, const GraphParts &parts);
  void runPart(Region &into, phase::SequenceOp part, bool isBackward, int64_t times = 1);
  HeldWeights weightsOf(phase::SequenceOp part) const;
  HeldWeights weightsOfStage(const GraphParts &parts, int64_t stage) const;
  void exchange(Region &into, const WeightExchange &one);
  void update(Region &into, const HeldWeights &weights);
  void send(Region &into, int64_t stage, int64_t chunk, bool isBackward);

  Module &module;
  DiagnosticEngine &diagnostics;
  Builder builder;
  study::TrainOp train;
  Strategy strategy;
  SystemPaths system;
  StepPlan plan;
  ElementBytes bytes;
  std::map<const Operation *, phase::SequenceOp> forwardPart; ///< of a part of the backward graph
  int64_t boundary = 0; ///< B that a stage hands on of a microbatch
};

} // namespace

//===-- Weights
//---------------------------------------------------------------------------------===//

/// The weights that count with a part: of those that several read, with the first of what stands
/// before and behind the layers.
HeldWeights PipelineSchedule::weightsOf(phase::SequenceOp part) const {
  HeldWeights sum;
  for (const Operation &op : part->body()) {
    auto weight = as<phase::WeightOp>(op);
    if (weight && (weight.readBy().empty() || weight.readBy().front() == 0))
      sum.add(weight);
  }
  return sum;
}

/// All that stage `number` holds; `parts` are those of the forward graph.
HeldWeights PipelineSchedule::weightsOfStage(const GraphParts &parts, int64_t number) const {
  HeldWeights sum;
  bool isFirst = number == 0, isLast = number + 1 == strategy.pipeline;
  std::vector<int64_t> layers(parts.layers.size(), 0);
  for (const std::vector<uint32_t> &chunk : plan.layers[number])
    for (uint32_t kind : chunk)
      ++layers[kind];
  for (size_t kind = 0; kind < layers.size(); ++kind)
    sum.add(weightsOf(parts.layers[kind]), static_cast<double>(layers[kind]));
  if (isFirst)
    sum.add(weightsOf(parts.before));
  if (isLast && parts.after)
    sum.add(weightsOf(parts.after));
  for (const Operation &op : parts.before->body()) {
    auto weight = as<phase::WeightOp>(op);
    std::vector<int64_t> readers = weight ? weight.readBy() : std::vector<int64_t>();
    if (readers.empty() || (isFirst && readers.front() == 0))
      continue; // counted
    auto reads = [&](int64_t reader) {
      if (reader == 0 || reader > static_cast<int64_t>(layers.size()))
        return reader == 0 ? isFirst : isLast;
      return layers[reader - 1] > 0;
    };
    if (llvm::any_of(readers, reads))
      sum.add(weight);
  }
  return sum;
}

void PipelineSchedule::exchange(Region &into, const WeightExchange &one) {
  for (bool ofExperts : {false, true}) {
    std::string axis = (ofExperts ? "expert_" : "") + one.axis.str();
    double size = ofExperts ? one.experts : one.dense;
    AxisPlace place = size > 0 ? placeOf(strategy, axis) : AxisPlace();
    if (place.ranks() <= 1)
      continue;
    Operation *op = builder.create(into, "collective." + one.kind.str(), train->location());
    op->setAttr("bytes", static_cast<int64_t>(std::min(size, 9e18)));
    op->setAttr("group", axis);
    placeCollective(*op, place);
  }
}

/// What happens behind the last microbatch.
void PipelineSchedule::update(Region &into, const HeldWeights &weights) {
  WeightExchanges all = exchangesOf(strategy, weights, bytes);
  const Sharding &shard = strategy.shard;
  if (!shard.parameters)
    exchange(into, all.reduce);
  exchange(into, all.across);
  bool isSharded = shard.parameters || shard.gradients || shard.optimizer;
  double dense = weights.trainedDense, experts = weights.trainedExperts;
  if (isSharded) {
    dense /= static_cast<double>(placeOf(strategy, "shard").ranks());
    experts /= static_cast<double>(placeOf(strategy, "expert_shard").ranks());
  }
  auto made = builder.create<collective::UpdateOp>(into, train->location());
  made->setAttr("elements", static_cast<int64_t>(dense + experts));
  if (!shard.parameters)
    exchange(into, all.gather);
}

//===-- Passes
//----------------------------------------------------------------------------------===//

/// Parameters that ranks have divided among them are gathered for each part, and its gradients
/// scattered.
void PipelineSchedule::runPart(Region &into, phase::SequenceOp part, bool isBackward,
                               int64_t times) {
  Region *region = runSequence(builder, into, part, times);
  if (!region || !strategy.shard.parameters)
    return;
  WeightExchanges all =
      exchangesOf(strategy, weightsOf(isBackward ? forwardPart.at(part.op) : part), bytes);
  Operation &run = region->back();
  exchange(*region, all.gather);
  region->insert(region->take(run));
  if (isBackward)
    exchange(*region, all.reduce);
}

/// A chunk hands on to the same one of the next stage, the last stage to the next chunk of the
/// first; backwards the other way.
void PipelineSchedule::send(Region &into, int64_t stage, int64_t chunk, bool isBackward) {
  int64_t last = strategy.pipeline - 1, end = isBackward ? 0 : last;
  int64_t lastChunk = isBackward ? 0 : strategy.chunksOfStages() - 1;
  if (last == 0 || boundary == 0 || (stage == end && chunk == lastChunk))
    return;
  int64_t to = stage == end ? last - end : stage + (isBackward ? -1 : 1);
  ChipSet chips = stageChips(strategy, stage);
  auto message = builder.create<collective::SendOp>(into, train->location());
  message->setAttr("bytes", boundary);
  message->setAttr("group", "pipeline");
  message->setAttr("ranks", 2);
  message->setAttr("senders", AttrList{chips.first, chips.count, chips.step,
                                       (to - stage) * placeOf(strategy, "pipeline").stride()});
}

/// The backward graph has the parts in the opposite order.
void PipelineSchedule::pass(Region &into, int64_t stage, int64_t chunk, bool isBackward,
                            const GraphParts &parts) {
  auto made = builder.create<collective::PassOp>(into, train->location());
  made->setAttr("direction", isBackward ? "backward" : "forward");
  made->setAttr("chunk", chunk);
  std::vector<uint32_t> kinds = plan.layers[stage][chunk];
  bool isFirst = stage == 0 && chunk == 0;
  bool isLast = stage + 1 == strategy.pipeline && chunk + 1 == strategy.chunksOfStages();
  if (isBackward)
    std::reverse(kinds.begin(), kinds.end());
  if (isBackward ? isLast : isFirst)
    runPart(made->body(), parts.before, isBackward);
  for (size_t i = 0, end; i < kinds.size(); i = end) {
    for (end = i; end < kinds.size() && kinds[end] == kinds[i];)
      ++end;
    size_t kind = isBackward ? parts.layers.size() - 1 - kinds[i] : kinds[i];
    runPart(made->body(), parts.layers[kind], isBackward, static_cast<int64_t>(end - i));
  }
  if (isBackward ? isFirst : isLast)
    runPart(made->body(), parts.after, isBackward);
  send(made->body(), stage, chunk, isBackward);
}

void PipelineSchedule::stage(Region &into, int64_t number) {
  ChipSet chips = stageChips(strategy, number);
  auto made = builder.create<collective::StageOp>(into, train->location());
  made->setAttr("number", number);
  made->setAttr("chips", AttrList{chips.first, chips.count, chips.step});
  // On chips of several kinds a stage runs the same on all: one stands for them.
  llvm::StringRef chip = system.path(system.of(chips).front()).chip->symbol();
  GraphParts forward(module, forwardSymbol(train.symbol()), chip);
  GraphParts backward(module, backwardSymbol(train.symbol()), chip);
  forwardPart = {{backward.before.op, forward.after ? forward.after : forward.before},
                 {backward.after.op, forward.before}};
  for (size_t kind = 0; kind < forward.layers.size(); ++kind)
    forwardPart[backward.layers[forward.layers.size() - 1 - kind].op] = forward.layers[kind];
  for (int64_t chunk = 0; chunk < strategy.chunksOfStages(); ++chunk)
    pass(made->body(), number, chunk, /*isBackward=*/false, forward);
  for (int64_t chunk = strategy.chunksOfStages(); chunk-- > 0;)
    pass(made->body(), number, chunk, /*isBackward=*/true, backward);
  for (const TaskRun &run : plan.order.runs[number]) {
    auto tasks = builder.create<collective::TasksOp>(made->body(), train->location());
    tasks->setAttr("forward", run.forward);
    tasks->setAttr("backward", run.backward);
    tasks->setAttr("times", run.times);
  }
  update(made->body(), weightsOfStage(forward, number));
}

bool PipelineSchedule::run() {
  std::string symbol = stepSymbol(train.symbol());
  if (strategy.hasHoles() || study::findPart(*train, study::UnsupportedOp::opName) ||
      module.lookup(symbol) || !module.lookup(forwardSymbol(train.symbol())))
    return true;
  if (!checkStrategy(*train, strategy, system, diagnostics))
    return false;
  std::vector<LayerKind> kinds;
  for (phase::SequenceOp part :
       layerSequences(module, forwardSymbol(train.symbol()),
                      system.path(system.of(system.all()).front()).chip->symbol())) {
    kinds.push_back({part.layers(), part.isKept()});
    if (kinds.size() == 1)
      boundary = part->intAttr("input_bytes");
  }
  std::string problem;
  auto planned = planStep(strategy, kinds, problem);
  if (!planned) {
    diagnostics.report(rangeOf(*train, problem, diagnostics), diag::StagesAndLayers, problem);
    return false;
  }
  plan = std::move(*planned);
  Operation *top = train.op;
  while (top->parentOp())
    top = top->parentOp();
  Operation *program = builder.createBefore(*top, collective::ProgramOp::opName, train->location());
  program->setSymbol(symbol);
  program->setAttr("system", Attribute::symbol(train.on()));
  program->setAttr("schedule", scheduleName(plan.order.kind));
  program->setAttr("microbatches", plan.order.microbatches);
  program->setAttr("chunks", plan.order.chunks);
  for (int64_t number = 0; number < strategy.pipeline; ++number)
    stage(program->body(), number);
  return true;
}

static bool runSchedulePipeline(Module &module, PassContext &context) {
  bool valid = true;
  for (study::ServeOp serve : studiesOf<study::ServeOp>(module))
    valid &= scheduleServing(module, context, serve);
  for (study::TrainOp train : studiesOf<study::TrainOp>(module))
    valid &= PipelineSchedule(module, context, train).run();
  return valid;
}

const PassInfo passes::schedulePipelinePass = {
    "schedule-pipeline",
    "give the layers of each `train` and `serve` to stages, and these their order",
    "Precondition: autodiff, shard, lower-to-phase. A statement with holes is left alone. Before:\n"
    "    phase.sequence @t__forward__layers (of = @t__forward, part = \"layers\", layers = 4, …)\n"
    "    study.train @t (…) { study.strategy (pipeline = 2, …) }\n"
    "After, in addition:\n"
    "    collective.program @t__program (schedule = \"one_f_one_b\", microbatches = 8, …) {\n"
    "      collective.stage (number = 0, …) {\n"
    "        collective.pass (direction = \"forward\", chunk = 0) { … collective.send (…) }\n"
    "        collective.pass (direction = \"backward\", chunk = 0) { … }\n"
    "        collective.tasks (forward = 1, backward = 0, times = 1)\n"
    "        collective.tasks (forward = 1, backward = 1, times = 7)  …\n"
    "        collective.all_reduce (bytes = …, group = \"data\", ranks = 2, stride = 4)\n"
    "        collective.update (elements = …) } … }",
    runSchedulePipeline};
