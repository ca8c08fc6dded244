// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-phase: the order in which each evaluation's subject runs on a chip, with the bytes that
// each kernel moves and that are resident while it runs. A kernel runs as its nests or blocks where
// the evaluation is at that level and they exist. Repeats stay repeats: 80 equal layers are one.
#include "ir/collective/CollectiveOps.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/common/diagnostics/Training.h"
#include "ir/phase/PhaseOps.h"
#include "ir/study/ServeOps.h"
#include "ir/study/TrainOps.h"
#include "passes/DensityFlow.h"
#include "passes/HandedOver.h"
#include "passes/KernelUses.h"
#include "passes/Levels.h"
#include "passes/Names.h"
#include "passes/Pass.h"
#include "passes/StatementGroups.h"
#include "passes/analysis/LiveBytes.h"
#include "passes/training/ShardKernel.h"
#include "passes/training/StageGraphs.h"
#include "passes/training/StepSequences.h"
#include "passes/training/Strategy.h"
#include <map>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

/// One thing that runs, before it is written as phase.kernel.
struct Step {
  std::string run;
  std::string label;
  MovedBytes bytes;
  std::vector<phase::FinishOperand> finish;
};

class PhaseLowering {
public:
  PhaseLowering(Module &module, PassContext &context)
      : module(module), diagnostics(context.diagnostics), builder(context.registry) {}

  bool run(study::EvaluateOp evaluate);

private:
  bool lower(const std::string &symbol, Operation &subject, bool handsOn = false);
  bool lowerStages(Operation &subject, int64_t stages);
  std::vector<Step> steps(const KernelUse &use);
  bool lowerRegion(const Region &region, Region &into, const LiveBytes &live);
  bool lowerOperation(const Operation &op, Region &into, const LiveBytes &live);
  double widening(op::CollectiveOp collective) const;
  void lowerKernel(const Operation &op, const KernelUse &use, Region &into, int64_t liveBytes);
  const Kernel &model(op::KernelOp kernel);

  Module &module;
  DiagnosticEngine &diagnostics;
  Builder builder;
  study::EvaluateOp evaluate;
  target::ChipOp whole; ///< what the evaluation is on
  target::ChipOp chip;  ///< the part of it that runs the kernel at hand
  Level level = Level::Whole;
  llvm::Optional<DensityFlow> zeros;
  // Steps of the kernels of this evaluation with and without weights of their use, and models of
  // all kernels.
  std::map<std::pair<const Operation *, bool>, std::vector<Step>> known;
  std::map<const Operation *, Kernel> models;
};

const Kernel &PhaseLowering::model(op::KernelOp kernel) {
  return models.try_emplace(kernel.op, kernel).first->second;
}

std::vector<Step> PhaseLowering::steps(const KernelUse &use) {
  const Kernel &kernel = model(use.kernel);
  std::string name = use.kernel.symbol().str();
  if (runsAsNests(level, chip)) {
    std::vector<Step> list;
    std::vector<StatementGroup> groups = groupStatements(kernel);
    if (auto mapping = fusedMappingFor(evaluate, use, chip.symbol())) {
      std::string run = fusedSymbol(name, chip.symbol(), mapping->symbol());
      std::vector<phase::FinishOperand> finish;
      for (const StatementGroup &group : groups)
        llvm::append_range(finish, finishOperands(group));
      if (module.lookup(run))
        return {{run, name, movedBytes(kernel), std::move(finish)}};
    }
    for (const StatementGroup &group : groups) {
      std::string run = nestSymbolFor(evaluate, use, group.main->number, chip.symbol());
      if (level == Level::Tile)
        run = nestTileSymbol(run);
      if (!module.lookup(run))
        continue;
      std::string label = groups.size() == 1 ? name : name + "." + group.main->write.tensor.str();
      list.push_back({run, label, movedBytes(group), finishOperands(group)});
    }
    if (!list.empty())
      return list;
  }
  if (level == Level::Dataflow)
    for (const StatementGroup &group : groupStatements(kernel))
      if (auto dataflow = dataflowFor(evaluate, use, group.main->number, chip.symbol()))
        return {{dataflow.symbol().str(), name, movedBytes(kernel), {}}};
  std::string tiled = tileSymbol(use, chip.symbol());
  bool isTiled = level == Level::Tile && module.lookup(tiled);
  return {{isTiled ? tiled : name, name, movedBytes(kernel), {}}};
}

void PhaseLowering::lowerKernel(const Operation &op, const KernelUse &use, Region &into,
                                int64_t liveBytes) {
  AttrList sparsity = zeros->entriesFor(op, use);
  if (evaluate->hasAttr("parts")) {
    chip = chipFor(evaluate, use.kernel.symbol(), whole);
    level = levelFor(evaluate, chip);
  }
  std::pair<const Operation *, bool> key(use.kernel.op, use.hasOwnWeights());
  auto entry = known.find(key);
  if (entry == known.end())
    entry = known.try_emplace(key, steps(use)).first;
  for (const Step &step : entry->second) {
    auto kernel = builder.create<phase::KernelOp>(into, op.location());
    kernel->setAttr("run", Attribute::symbol(step.run));
    llvm::StringRef label = step.label;
    if (evaluate->hasAttr("whole"))
      label.consume_back(shardSuffix);
    kernel->setAttr("label", label);
    kernel->setAttr("count", 1);
    if (chip.op != whole.op)
      kernel->setAttr("on", Attribute::symbol(chip.symbol()));
    if (level == Level::Whole && !evaluate.provider().empty() && chip->hasAttr("layers"))
      kernel->setAttr("using", evaluate.provider());
    kernel->setAttr("live_bytes", liveBytes);
    kernel->setAttr("input_bytes", step.bytes.input);
    kernel->setAttr("output_bytes", step.bytes.output);
    kernel->setAttr("weight_bytes", step.bytes.weight);
    if (!step.finish.empty()) {
      AttrList operands;
      for (const phase::FinishOperand &operand : step.finish)
        operands.push_back(operand.toAttribute());
      kernel->setAttr("finish", std::move(operands));
    }
    if (isJoined(*use.kernel))
      kernel->setAttr("joined", Attribute::unit());
    if (std::vector<std::string> axes = alikeAxes(op); !axes.empty())
      kernel->setAttr("alike", Attribute::strings(axes));
    if (!sparsity.empty())
      kernel->setAttr("sparsity", sparsity);
    if (evaluate->hasAttr("savings"))
      kernel->setAttr("savings", evaluate->listAttr("savings"));
  }
}

/// What sums over ranks are wider than their tensor, as the runtime has them.
double PhaseLowering::widening(op::CollectiveOp collective) const {
  auto runtime = study::partOf<study::RuntimeOp>(*evaluate);
  return runtime ? study::sumWidening(collective.kind(), collective.axis(),
                                      bitsOf(collective->operand(0).type().dtype()),
                                      runtime->realAttr("sum_bytes"))
                 : 1;
}

bool PhaseLowering::lowerOperation(const Operation &op, Region &into, const LiveBytes &live) {
  if (op.is(op::CallOp::opName)) {
    diagnostics.report(op.range(), diag::NotInlined, lowerToPhasePass.name);
    return false;
  }
  if (auto repeat = as<op::RepeatOp>(op)) {
    auto copy = builder.create<phase::RepeatOp>(into, op.location());
    copy->setAttr("count", repeat.count());
    return lowerRegion(op.body(), copy->body(), live);
  }
  if (auto collective = as<op::CollectiveOp>(op)) {
    if (collective.kind() == "slice")
      return true; // each rank has its part already
    auto copy = builder.create<phase::CollectiveOp>(into, op.location());
    int64_t bytes = op.operand(0).type().bytes().getValueOr(0);
    copy->setAttr("kind", collective.kind());
    copy->setAttr("label", collective.kind());
    if (op.hasAttr("axis")) { // of a graph that was divided: the larger buffer of the busiest rank
      bytes = std::max(bytes, op.result().type().bytes().getValueOr(0)) * op.intAttr("copies", 1);
      bytes = static_cast<int64_t>(static_cast<double>(bytes) * op.realAttr("load", 1) *
                                   widening(collective));
      copy->setAttr("label", fmt::format("{} {}", collective.kind(), collective.axis()));
      copy->setAttr("axis", collective.axis());
      copy->setAttr("ranks", collective.ranks());
    }
    copy->setAttr("bytes", bytes);
    for (llvm::StringRef name : {"load", "sizes", "algorithm"})
      if (const Attribute *attribute = op.attr(name))
        copy->setAttr(name, *attribute);
    return true;
  }
  KernelUse use = kernelUse(op);
  if (use.kernel) {
    lowerKernel(op, use, into, live.during(op));
    return true;
  }
  // A group without a kernel runs as its members.
  return !op.is(op::FusedOp::opName) || lowerRegion(op.body(), into, live);
}

bool PhaseLowering::lowerRegion(const Region &region, Region &into, const LiveBytes &live) {
  for (const Operation &op : region)
    if (!lowerOperation(op, into, live))
      return false;
  return true;
}

/// All tensors of a kernel that runs by itself.
static int64_t residentBytes(op::KernelOp kernel) {
  int64_t sum = 0;
  for (Operation &part : kernel->body())
    if (auto operand = as<op::OperandOp>(part))
      sum += operand.role() == "intermediate" ? 0 : typeOf(operand).bytes().getValueOr(0);
  return sum;
}

/// The sequence `symbol` of `subject`; one that `handsOn` sends what it returns to the next stage.
bool PhaseLowering::lower(const std::string &symbol, Operation &subject, bool handsOn) {
  zeros.emplace(evaluate, subject);
  Operation *top = evaluate.op;
  while (top->parentOp())
    top = top->parentOp();
  Operation *sequence = builder.createBefore(*top, phase::SequenceOp::opName, evaluate->location());
  sequence->setSymbol(symbol);
  sequence->setAttr("of", Attribute::symbol(subject.symbol()));
  sequence->setAttr("target", Attribute::symbol(whole.symbol()));
  Region *into = &sequence->body();
  if (evaluate.count() > 1) {
    auto repeat = builder.create<phase::RepeatOp>(*into, evaluate->location());
    repeat->setAttr("count", evaluate.count());
    into = &repeat->body();
  }
  if (auto kernel = as<op::KernelOp>(subject)) {
    lowerKernel(*kernel.op, kernelUse(kernel), *into, residentBytes(kernel));
    return true;
  }
  if (!lowerRegion(subject.body(), *into, LiveBytes(subject)))
    return false;
  if (!handsOn)
    return true;
  int64_t bytes = 0;
  for (const Value *value : subject.body().back().operands())
    bytes += value->type().bytes().getValueOr(0);
  auto message = builder.create<phase::CollectiveOp>(*into, evaluate->location());
  message->setAttr("kind", "send");
  message->setAttr("label", "send pipeline");
  message->setAttr("axis", "pipeline");
  message->setAttr("bytes", bytes);
  return true;
}

bool PhaseLowering::lowerStages(Operation &subject, int64_t stages) {
  Operation *top = evaluate.op;
  while (top->parentOp())
    top = top->parentOp();
  std::vector<Operation *> graphs = stageGraphs(module, builder.ops(), subject, stages, *top);
  if (graphs.empty()) {
    diagnostics.report(
        rangeOf(*evaluate, "pipeline", diagnostics), diag::StagesAndLayers,
        fmt::format("`{}` has fewer layers than the {} of `pipeline`: its layers are "
                    "the iterations of its repeats",
                    evaluate.subjectLabel(), counted(static_cast<uint64_t>(stages), "stage")));
    return false;
  }
  for (int64_t stage = 0; stage < stages; ++stage)
    if (!lower(stageSequenceSymbol(evaluate, stage), *graphs[stage], stage + 1 < stages))
      return false;
  return true;
}

bool PhaseLowering::run(study::EvaluateOp evaluation) {
  evaluate = evaluation;
  auto present = module.lookup<phase::SequenceOp>(sequenceSymbol(evaluate));
  if ((present && present.of() == evaluate.subject()) ||
      module.lookup<phase::SequenceOp>(stageSequenceSymbol(evaluate, 0)) ||
      module.lookup<collective::ProgramOp>(programSymbol(evaluate)))
    return true; // done
  whole = chipOf(evaluate, diagnostics);
  if (!whole)
    return false;
  bool hasZeros = evaluate->hasAttr("sparsity") || evaluate->hasAttr("savings");
  for (target::ChipOp part : chipsOf(evaluate, whole)) {
    chip = part;
    level = levelFor(evaluate, part);
    if (level == Level::LoopNest || !hasZeros)
      continue;
    diagnostics
        .report(evaluate->range(), diag::ZerosNeedNests,
                level == Level::Tile ? "tiles" : "whole ops (roofline)")
        .help("say `using loopnest`");
    return false;
  }
  known.clear();
  Operation *subject = resolve(*evaluate, evaluate.subject());
  if (int64_t stages = pipelineStages(evaluate); stages > 1)
    return lowerStages(*subject, stages);
  return lower(sequenceSymbol(evaluate), *subject);
}

} // namespace

/// What the ranks of a step run on each kind of chip, and the batches of a served model in its
/// sizes. A statement with holes has no graphs yet.
static void lowerSteps(Module &module, PassContext &context) {
  for (study::TrainOp train : studiesOf<study::TrainOp>(module)) {
    StepSequences sequences(module, context.registry, *train);
    for (target::ChipOp chip : chipsOf(module, train.on()))
      for (const std::string &symbol :
           {forwardSymbol(train.symbol()), backwardSymbol(train.symbol())})
        if (Operation *graph = module.lookup(symbol))
          sequences.run(*graph, chip);
  }
  for (study::ServeOp serve : studiesOf<study::ServeOp>(module)) {
    StepSequences sequences(module, context.registry, *serve);
    // The first one, which the program of a batch is written for, next to that.
    for (study::PoolOp pool : serve.pools()) {
      std::vector<study::SampleOp> samples = pool.samples();
      for (study::SampleOp sample : llvm::reverse(samples))
        if (target::ChipOp chip = chipOf(module, pool.on()))
          sequences.run(*module.lookup(sample.graph()), chip);
    }
  }
}

static bool runLowerToPhase(Module &module, PassContext &context) {
  PhaseLowering lowering(module, context);
  bool valid = true;
  for (study::EvaluateOp evaluate : namedEvaluations(module))
    valid &= lowering.run(evaluate);
  lowerSteps(module, context);
  return valid;
}

const PassInfo passes::lowerToPhasePass = {
    "lower-to-phase", "list what each statement runs on a chip, in order",
    "Precondition: graphs without calls, values with types. Nests and blocks are used where the\n"
    "lowerings to them ran before. Before:\n"
    "    op.graph @g { … %y = op.apply %x, %w (kernel = @conv) : t  op.return %y }\n"
    "    study.evaluate @e (subject = @g, on = @chip, …)\n"
    "After, in addition:\n"
    "    phase.sequence @e__phase (of = @g, target = @chip) {\n"
    "      phase.kernel (run = @conv, label = \"conv\", count = 1, live_bytes = …, …) }\n"
    "Graphs of a `train` or `serve` become a sequence for each part that stages share out:\n"
    "    phase.sequence @t__forward__before (of = @t__forward, part = \"before\", …) { … }\n"
    "    phase.sequence @t__forward__layers (…, part = \"layers\", layers = 80, …) { … }",
    runLowerToPhase};
