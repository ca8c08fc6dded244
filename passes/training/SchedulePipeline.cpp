// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// schedule-pipeline: the program of each training step. Layers are given to stages and chunks; each
// stage has its passes, as the sequences that lower-to-phase has made of the divided graphs and the
// messages to the next stage, and the order in which it runs them.
#include "ir/common/diagnostics/Training.h"
#include "passes/Names.h"
#include "passes/Pass.h"
#include "passes/training/StepPlan.h"
#include "passes/training/StrategyPlace.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

class PipelineSchedule {
public:
  PipelineSchedule(Module &module, PassContext &context, study::TrainOp train)
      : module(module), diagnostics(context.diagnostics), builder(context.registry), train(train),
        strategy(readStrategy(train)), system(*module.lookup(train.on())) {}

  bool run();

private:
  struct Parts {
    phase::SequenceOp before, after;
    std::vector<phase::SequenceOp> layers;
  };

  Parts partsOf(const std::string &graph, llvm::StringRef chip) const;
  void stage(Region &into, int64_t number);
  void pass(Region &into, int64_t stage, int64_t chunk, bool isBackward, const Parts &parts);
  void runPart(Region &into, phase::SequenceOp part, int64_t times = 1);
  void send(Region &into, int64_t stage, int64_t chunk, bool isBackward);

  Module &module;
  DiagnosticEngine &diagnostics;
  Builder builder;
  study::TrainOp train;
  Strategy strategy;
  SystemPaths system;
  StepPlan plan;
  int64_t boundary = 0; ///< B that a stage hands on of a microbatch
};

} // namespace

PipelineSchedule::Parts PipelineSchedule::partsOf(const std::string &graph,
                                                  llvm::StringRef chip) const {
  Parts parts;
  for (const Operation &op : module.body()) {
    auto part = as<phase::SequenceOp>(op);
    if (!part || part.of() != graph || part.target() != chip)
      continue;
    if (part.part() == "layers")
      parts.layers.push_back(part);
    else
      (part.part() == "before" ? parts.before : parts.after) = part;
  }
  return parts;
}

void PipelineSchedule::runPart(Region &into, phase::SequenceOp part, int64_t times) {
  Region *region = &into;
  if (!part || times == 0)
    return;
  if (times > 1) {
    auto repeat = builder.create<collective::RepeatOp>(into, part->location());
    repeat->setAttr("count", times);
    region = &repeat->body();
  }
  auto run = builder.create<collective::RunOp>(*region, part->location());
  run->setAttr("phase", Attribute::symbol(part.symbol()));
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
                            const Parts &parts) {
  auto made = builder.create<collective::PassOp>(into, train->location());
  made->setAttr("direction", isBackward ? "backward" : "forward");
  made->setAttr("chunk", chunk);
  std::vector<uint32_t> kinds = plan.layers[stage][chunk];
  bool isFirst = stage == 0 && chunk == 0;
  bool isLast = stage + 1 == strategy.pipeline && chunk + 1 == strategy.chunksOfStages();
  if (isBackward)
    std::reverse(kinds.begin(), kinds.end());
  if (isBackward ? isLast : isFirst)
    runPart(made->body(), parts.before);
  for (size_t i = 0, end; i < kinds.size(); i = end) {
    for (end = i; end < kinds.size() && kinds[end] == kinds[i];)
      ++end;
    size_t kind = isBackward ? parts.layers.size() - 1 - kinds[i] : kinds[i];
    runPart(made->body(), parts.layers[kind], static_cast<int64_t>(end - i));
  }
  if (isBackward ? isFirst : isLast)
    runPart(made->body(), parts.after);
  send(made->body(), stage, chunk, isBackward);
}

void PipelineSchedule::stage(Region &into, int64_t number) {
  ChipSet chips = stageChips(strategy, number);
  auto made = builder.create<collective::StageOp>(into, train->location());
  made->setAttr("number", number);
  made->setAttr("chips", AttrList{chips.first, chips.count, chips.step});
  // On chips of several kinds a stage runs the same on all: one stands for them.
  llvm::StringRef chip = system.path(system.of(chips).front()).chip->symbol();
  Parts forward = partsOf(forwardSymbol(train.symbol()), chip);
  Parts backward = partsOf(backwardSymbol(train.symbol()), chip);
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
}

bool PipelineSchedule::run() {
  std::string symbol = stepSymbol(train.symbol());
  if (strategy.hasHoles() || module.lookup(symbol) || !module.lookup(forwardSymbol(train.symbol())))
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
  for (study::TrainOp train : operationsOf<study::TrainOp>(module))
    valid &= PipelineSchedule(module, context, train).run();
  return valid;
}

const PassInfo passes::schedulePipelinePass = {
    "schedule-pipeline", "give the layers of each `train` to stages, and these their order",
    "Precondition: autodiff, shard, lower-to-phase. A statement with holes is left alone. Before:\n"
    "    phase.sequence @t__forward__layers (of = @t__forward, part = \"layers\", layers = 4, …)\n"
    "    study.train @t (…) { study.strategy (pipeline = 2, …) }\n"
    "After, in addition:\n"
    "    collective.program @t__program (schedule = \"one_f_one_b\", microbatches = 8, …) {\n"
    "      collective.stage (number = 0, …) {\n"
    "        collective.pass (direction = \"forward\", chunk = 0) { … collective.send (…) }\n"
    "        collective.pass (direction = \"backward\", chunk = 0) { … }\n"
    "        collective.tasks (forward = 1, backward = 0, times = 1)\n"
    "        collective.tasks (forward = 1, backward = 1, times = 7)  … } … }",
    runSchedulePipeline};
