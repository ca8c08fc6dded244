// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/Train.h"

#include "backends/core/Chip.h"
#include "ir/common/diagnostics/Training.h"
#include "ir/op/OpOps.h"
#include "passes/KernelModel.h"
#include "passes/KernelUses.h"
#include "passes/Levels.h"
#include "passes/training/RankLabels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::training;
using passes::Strategy;

//===-- The model
//--------------------------------------------------------------------------------===//

/// Weights and multiply-accumulates of a graph as the user wrote it.
static void countModel(const ir::Region &region, double times, ModelCosts &costs) {
  for (const ir::Operation &op : region) {
    if (auto repeat = ir::as<op::RepeatOp>(op))
      countModel(op.body(), times * static_cast<double>(repeat.count()), costs);
    auto tensor = ir::as<op::TensorOp>(op);
    if (tensor && tensor.kind() == "weight")
      costs.parameters += times * static_cast<double>(op.result().type().elements().getValueOr(0));
    if (passes::KernelUse use = passes::kernelUse(op); use.kernel)
      costs.modelMacs += times * static_cast<double>(passes::Kernel(use.kernel).macs());
  }
}

/// Products in another format run faster by the ratio of the peaks.
static void setProducts(const ir::Operation &train, const ir::Operation &chipOp, Runtime &runtime) {
  const ir::Attribute *products = train.dictAttr("settings").find("products");
  auto format = products ? parseDType(products->asString()) : llvm::None;
  if (!format)
    return;
  Chip chip(chipOp);
  double own = 0, other = 0;
  for (const UnitRate &unit :
       chip.macUnits(passes::readStrategy(ir::as<study::TrainOp>(train)).dtype))
    own += unit.rate.central();
  for (const UnitRate &unit : chip.macUnits(*format))
    other += unit.rate.central();
  runtime.usesFp8 = *format == DType::FP8;
  if (own > 0 && other > 0)
    runtime.productSpeed = other / own;
}

llvm::Optional<ModelCosts> training::modelCosts(const ir::Module &module,
                                                const ir::Operation &train, ProviderSet &providers,
                                                DiagnosticEngine &diagnostics) {
  const ir::Operation *subject = module.lookup(train.symbolAttr("subject"));
  const ir::Operation *forward = module.lookup(passes::forwardSymbol(train.symbol()));
  const ir::Operation *backward = module.lookup(passes::backwardSymbol(train.symbol()));
  target::ChipOp chip = passes::chipOf(module, train.symbolAttr("on"));
  if (!subject || !forward || !backward || !chip) {
    diagnostics.report(train.range(), diag::NotLowered, train.symbol());
    return llvm::None;
  }
  ModelCosts costs;
  Runtime runtime = Runtime::read(train.dictAttr("settings"));
  setProducts(train, *chip, runtime);
  GraphCoster coster(module, *chip, runtime, providers, diagnostics);
  auto one = coster.run(*forward);
  auto two = one ? coster.run(*backward) : llvm::None;
  if (!two)
    return llvm::None;
  costs.forward = std::move(*one);
  costs.backward = std::move(*two);
  costs.providers = coster.used;
  passes::RankLabels labels(*subject);
  costs.batch = std::max<int64_t>(1, labels.batch());
  costs.sequence = std::max<int64_t>(1, labels.sequence());
  countModel(subject->body(), 1, costs);
  costs.modelMacs /= static_cast<double>(costs.batch);
  return costs;
}

//===-- Checks
//-----------------------------------------------------------------------------------===//

/// Reports strategies that do not go with the system or the batch.
static bool checkRanks(const ir::Operation &train, const Strategy &strategy,
                       const AxisNetwork &network, DiagnosticEngine &diagnostics) {
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
        .report(train.range(), diag::RanksAndChips,
                factors.empty() ? "no parallelism" : llvm::join(factors, " * "), strategy.ranks(),
                on, counted(network.chips(), "chip"))
        .help(network.chips() % (strategy.ranks() / strategy.data) == 0
                  ? fmt::format("data = {} would use all chips",
                                network.chips() / (strategy.ranks() / strategy.data))
                  : "the product of the degrees is the number of chips");
    return false;
  }
  for (const auto &entry : strategy.over) {
    int64_t chips = network.chipsUnder(entry.second);
    AxisPlace place = placeOf(strategy, entry.first());
    if (chips == 0) {
      diagnostics.report(train.range(), diag::NoSuchAxisGroup, on, entry.second);
      return false;
    }
    if (entry.first() != "data" && place.ranks * place.stride > chips) {
      diagnostics.report(train.range(), diag::BadTrainValue,
                         fmt::format("{} = {} does not fit into `{}` of {}", entry.first(),
                                     place.ranks, entry.second, counted(chips, "chip")));
      return false;
    }
  }
  return true;
}

static bool checkBatch(const ir::Operation &train, const Strategy &strategy,
                       DiagnosticEngine &diagnostics) {
  auto refuse = [&](std::string what, std::string of) {
    diagnostics.report(train.range(), diag::DoesNotDivide, what, of);
    return false;
  };
  if (strategy.batch % strategy.data)
    return refuse(fmt::format("data = {}", strategy.data),
                  fmt::format("the batch of {}", strategy.batch));
  int64_t each = strategy.batch / strategy.data;
  if (each < strategy.microbatch || (strategy.pipeline > 1 && each % strategy.microbatch))
    return refuse(fmt::format("microbatch = {}", strategy.microbatch),
                  fmt::format("the {} of a data-parallel rank", counted(each, "sample")));
  if ((strategy.data * strategy.context) % strategy.expert)
    return refuse(fmt::format("expert = {}", strategy.expert),
                  fmt::format("data * context = {}", strategy.data * strategy.context));
  int64_t microbatches = each / strategy.microbatch;
  if (strategy.schedule == passes::ScheduleKind::Interleaved && strategy.chunks > 1 &&
      strategy.pipeline > 1 && microbatches % strategy.pipeline)
    return refuse(
        fmt::format("pipeline = {}", strategy.pipeline),
        fmt::format("the {} of an interleaved schedule", counted(microbatches, "microbatch")));
  return true;
}

bool training::checkStrategy(const ir::Operation &train, const Strategy &strategy,
                             const AxisNetwork &network, DiagnosticEngine &diagnostics) {
  return checkRanks(train, strategy, network, diagnostics) &&
         checkBatch(train, strategy, diagnostics);
}

/// The part of the memory that is largest, and what makes it smaller.
static std::string knobFor(const StageMemory &use, const Strategy &strategy) {
  double state = use.parameters + use.gradients + use.optimizer;
  if (use.activations + use.temporary >= state) {
    if (strategy.recompute == passes::Recompute::None)
      return "activations take most: `recompute full` keeps only the input of each layer";
    if (strategy.tensor > 1 && !strategy.sequence)
      return fmt::format("activations take most: `parallel sequence = {}` divides them",
                         strategy.tensor);
    if (strategy.microbatch > 1)
      return "activations take most: a smaller `microbatch` shrinks them";
    return "activations take most: more `tensor` or `context` parallelism divides them";
  }
  if (strategy.data * strategy.context > 1 && !strategy.shard.optimizer &&
      !strategy.shard.parameters)
    return "the optimizer's state takes most: `shard optimizer` divides it among the "
           "data-parallel ranks";
  if (strategy.data * strategy.context > 1 && !strategy.shard.parameters)
    return "parameters and gradients take most: `shard parameters` divides them among the "
           "data-parallel ranks";
  return "weights and their state take most: more `tensor` or `pipeline` parallelism divides them";
}

static bool checkMemory(const ir::Operation &train, const Step &step, const StepModel &model,
                        const Strategy &strategy, DiagnosticEngine &diagnostics) {
  if (step.fits)
    return true;
  auto bytes = [](double value) {
    return formatEngineering(std::round(value), Dimension(BaseUnit::Byte));
  };
  const StageMemory &use = step.summary.stages[step.worstStage];
  diagnostics
      .report(train.range(), diag::TrainingDoesNotFit, step.worstStage, bytes(use.total()),
              model.memoryName(), bytes(model.capacity()), bytes(step.missing))
      .note(fmt::format("parameters {}, gradients {}, optimizer {}, activations {}, temporary {}",
                        bytes(use.parameters), bytes(use.gradients), bytes(use.optimizer),
                        bytes(use.activations), bytes(use.temporary)))
      .help(knobFor(use, strategy));
  return false;
}

//===-- The result
//-------------------------------------------------------------------------------===//

static std::string describe(const Strategy &strategy) {
  std::string text = fmt::format("tensor {}, pipeline {}, data {}", strategy.tensor,
                                 strategy.pipeline, strategy.data);
  if (strategy.context > 1)
    text += fmt::format(", context {}", strategy.context);
  if (strategy.expert > 1)
    text += fmt::format(", expert {}", strategy.expert);
  if (strategy.sequence)
    text += fmt::format(", sequence {}", strategy.tensor);
  text += fmt::format(", microbatch {}", strategy.microbatch);
  if (strategy.pipeline > 1)
    text += fmt::format(", {}", passes::scheduleName(strategy.schedule).str());
  if (strategy.pipeline > 1 && strategy.chunks > 1)
    text += fmt::format("({})", strategy.chunks);
  text += fmt::format(", recompute {}", passes::recomputeName(strategy.recompute).str());
  std::vector<llvm::StringRef> shared;
  if (strategy.shard.optimizer)
    shared.push_back("optimizer");
  if (strategy.shard.gradients)
    shared.push_back("gradients");
  if (strategy.shard.parameters)
    shared.push_back("parameters");
  if (!shared.empty())
    text += ", shard " + llvm::join(shared, " and ");
  return text;
}

static CostPart lineOf(llvm::StringRef label, PartKind kind, double seconds, SourceRange range) {
  CostPart part;
  part.label = label.str();
  part.kind = kind;
  part.latency = seconds;
  part.location = range;
  part.energy = Figure();
  return part;
}

/// The step as a cost: kernels of a mean stage, collectives that are exposed, waiting, optimizer.
Cost training::stepCost(const ir::Operation &train, const ModelCosts &costs, Step step,
                        const StepModel &model, const Strategy &strategy) {
  Cost cost;
  step.summary.strategy = describe(strategy);
  TrainingSummary &summary = step.summary;
  cost.latency = summary.stepTime;
  cost.energy = step.energy;
  cost.exposed = summary.exposed();
  cost.chips = summary.chips;
  cost.utilization = summary.hfu();
  double peakMemory = 0;
  for (const StageMemory &stage : summary.stages)
    peakMemory = std::max(peakMemory, stage.total());
  cost.peakMemory = static_cast<int64_t>(peakMemory);
  if (model.capacity() > 0)
    cost.memoryCapacity = model.capacity();
  RegionCost all;
  double stages = static_cast<double>(summary.stages.size());
  for (const GraphCost *graph : {&costs.forward, &costs.backward}) {
    all.add(graph->before);
    all.add(graph->after);
    for (const GraphCost::Layers &entry : graph->layers)
      all.add(entry.one, static_cast<double>(entry.count));
  }
  double share = static_cast<double>(summary.microbatches) / stages;
  double compute = 0;
  for (const KernelTime &kernel : all.kernels) {
    CostPart part = lineOf(kernel.label, PartKind::Kernel, kernel.seconds * share, kernel.location);
    part.count = static_cast<int64_t>(std::llround(kernel.count * share));
    part.flops = kernel.flops * share;
    part.bound = kernel.bound;
    cost.breakdown.children.push_back(std::move(part));
    cost.addBound(kernel.bound, kernel.seconds * share);
    compute += kernel.seconds * share;
  }
  for (const CommunicationTime &entry : summary.communication) {
    CostPart part = lineOf(entry.name, PartKind::Collective, entry.exposed, train.range());
    part.count = static_cast<int64_t>(std::llround(entry.count));
    part.bound = "network";
    cost.breakdown.children.push_back(std::move(part));
    cost.addBound("network " + llvm::StringRef(entry.name).split(' ').second.str(), entry.exposed);
  }
  auto rest = [&](const char *label, double seconds) {
    if (seconds <= 0)
      return;
    cost.breakdown.children.push_back(lineOf(label, PartKind::Phase, seconds, train.range()));
    cost.addBound(label, seconds);
  };
  rest("bubble", summary.bubble * summary.stepTime);
  rest("optimizer", summary.optimizerTime);
  rest("other", summary.otherTime);
  cost.breakdown.kind = PartKind::Program;
  cost.breakdown.label = train.symbol().str();
  cost.breakdown.location = train.range();
  cost.breakdown.latency = cost.latency;
  cost.breakdown.energy = cost.energy;
  std::vector<std::string> used = costs.providers;
  if (!summary.communication.empty())
    used.push_back("network");
  cost.provenance = {llvm::join(used, ", "), summary.strategy,
                     "step = pipeline + exposed gradients + optimizer; pipeline by its schedule"};
  cost.training = std::make_shared<const TrainingSummary>(std::move(summary));
  return cost;
}

/// What of the system or the strategy the step leaves out.
static void noteSimplifications(const ir::Module &module, const ir::Operation &system,
                                const ir::Operation &train, const Strategy &strategy, Cost &cost) {
  std::vector<llvm::StringRef> chips;
  bool hasFault = false;
  system.walk([&](const ir::Operation &op) {
    hasFault |= op.is(target::FaultOp::opName);
    auto members = ir::as<target::MembersOp>(op);
    if (members && module.lookup<target::ChipOp>(members.of()) &&
        !llvm::is_contained(chips, members.of()))
      chips.push_back(members.of());
  });
  if (chips.size() > 1)
    cost.addNote(fmt::format("all chips are taken as `{}`, the first of {} kinds",
                             passes::chipOf(module, train.symbolAttr("on")).symbol(),
                             chips.size()));
  if (hasFault)
    cost.addNote("the faults of the system are left out");
  if (strategy.expert > 1)
    cost.addNote("experts are balanced, and the exchange of their tokens is left out");
}

llvm::Optional<Cost> training::evaluateTraining(const ir::Module &module,
                                                const ir::Operation &train, ProviderSet &providers,
                                                DiagnosticEngine &diagnostics, bool beyondMemory) {
  Strategy strategy = passes::readStrategy(ir::as<study::TrainOp>(train));
  const ir::Operation *system = module.lookup(train.symbolAttr("on"));
  AxisNetwork network(*system, providers, diagnostics);
  if (!checkStrategy(train, strategy, network, diagnostics))
    return llvm::None;
  auto costs = modelCosts(module, train, providers, diagnostics);
  if (!costs)
    return llvm::None;
  StepModel model(module, train, network);
  std::string problem;
  auto step = model.evaluate(*costs, strategy, problem, /*withEvents=*/true);
  if (!problem.empty())
    diagnostics.report(train.range(), diag::StagesAndLayers, problem);
  if (!step || (!beyondMemory && !checkMemory(train, *step, model, strategy, diagnostics)))
    return llvm::None;
  Cost cost = stepCost(train, *costs, std::move(*step), model, strategy);
  noteSimplifications(module, *system, train, strategy, cost);
  return cost;
}
