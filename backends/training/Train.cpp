// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/Train.h"

#include "backends/core/Chip.h"
#include "backends/training/ModelCount.h"
#include "backends/training/ProgramBuilder.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Training.h"
#include "ir/op/OpOps.h"
#include "passes/Levels.h"
#include "passes/training/RankLabels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::training;
using passes::Strategy;

//===-- The model
//--------------------------------------------------------------------------------===//

namespace {
struct KindCosts {
  ModelCosts::OnChip costs;
  KernelSources sources;
};
} // namespace

/// Both graphs on one kind of chip; nothing after a report.
static llvm::Optional<KindCosts> costsOn(const ir::Module &module, const ir::Operation &train,
                                         const ir::Operation &chip, ProviderSet &providers,
                                         DiagnosticEngine &diagnostics) {
  Runtime runtime = Runtime::read(train, chip);
  if (!runtime.hasProducts) {
    diagnostics
        .report(passes::rangeOf(train, "products", diagnostics), diag::BadTrainValue,
                fmt::format("`{}` has no rate for products in {}", chip.symbol().str(),
                            dtypeName(*runtime.products).str()))
        .note(chip.range(), "the chip");
    return llvm::None;
  }
  GraphCoster coster(module, chip, runtime, providers, diagnostics);
  auto forward = coster.run(passes::forwardSymbol(train.symbol()));
  auto backward = forward ? coster.run(passes::backwardSymbol(train.symbol())) : llvm::None;
  if (!backward)
    return llvm::None;
  coster.accumulate(*forward, *backward);
  return KindCosts{{chip.symbol().str(), std::move(*forward), std::move(*backward)},
                   coster.sources};
}

llvm::Optional<ModelCosts> training::modelCosts(const ir::Module &module,
                                                const ir::Operation &train, ProviderSet &providers,
                                                DiagnosticEngine &diagnostics) {
  const ir::Operation *subject = module.lookup(train.symbolAttr("subject"));
  const ir::Operation *forward = module.lookup(passes::forwardSymbol(train.symbol()));
  const ir::Operation *backward = module.lookup(passes::backwardSymbol(train.symbol()));
  if (!subject || !forward || !backward || !passes::chipOf(module, train.symbolAttr("on"))) {
    diagnostics.report(train.range(), diag::NotLowered, train.symbol());
    return llvm::None;
  }
  ModelCosts costs;
  RankNetwork places(*module.lookup(train.symbolAttr("on")), providers, diagnostics);
  for (auto [kind, count] : places.places().kinds()) {
    auto one = costsOn(module, train, *kind, providers, diagnostics);
    if (!one)
      return llvm::None;
    costs.sources.add(one->sources);
    costs.kinds.push_back(std::move(one->costs));
  }
  passes::RankLabels labels(*subject, study::partOf<study::StrategyOp>(train).samples(),
                            train.intAttr("batch"));
  costs.batch = std::max<int64_t>(1, labels.batch());
  costs.sequence = labels.sequence();
  if (costs.sequence == 0 && train.realAttr("tokens") > 0) {
    diagnostics
        .report(passes::rangeOf(train, "tokens", diagnostics), diag::BadTrainValue,
                fmt::format("`tokens`, but `{}` reads no `token[batch, T]`",
                            train.symbolAttr("subject").str()))
        .help("`steps` says how long the run is");
    return llvm::None;
  }
  ModelCount model(*subject);
  costs.modelMacs = model.macs / static_cast<double>(costs.batch);
  costs.modelStepMacs = model.stepMacs / static_cast<double>(costs.batch);
  costs.parameters = model.parameters;
  costs.trainedParameters = model.trainedParameters;
  costs.parameterBytes = model.parameterBytes;
  return costs;
}

/// False, reported, where experts are to be divided and there are none.
static bool checkExperts(const ir::Operation &train, const Strategy &strategy,
                         const ModelCosts &costs, DiagnosticEngine &diagnostics) {
  if (strategy.expert <= 1)
    return true;
  RegionCost all = costs.forward().before;
  for (const GraphCost::Layers &entry : costs.forward().layers)
    all.add(entry.one);
  all.add(costs.forward().after);
  if (all.expertElements > 0)
    return true;
  diagnostics.report(passes::rangeOf(train, "expert", diagnostics), diag::BadTrainValue,
                     fmt::format("`expert = {}`, but the data choose no weights of `{}`",
                                 strategy.expert, train.symbolAttr("subject").str()));
  return false;
}

//===-- The statement
//----------------------------------------------------------------------------===//

llvm::Optional<Outcome> training::evaluateTraining(const ir::Module &module,
                                                   const ir::Operation &train,
                                                   ProviderSet &providers,
                                                   DiagnosticEngine &diagnostics,
                                                   bool beyondMemory) {
  Strategy strategy = passes::readStrategy(ir::as<study::TrainOp>(train));
  const ir::Operation *system = module.lookup(train.symbolAttr("on"));
  RankNetwork network(*system, providers, diagnostics);
  network.readAlgorithms(train);
  auto program = module.lookup<collective::ProgramOp>(passes::stepSymbol(train.symbol()));
  std::string problem;
  if (!program || !placeAxes(strategy, network.places(), problem)) {
    diagnostics.report(train.range(), diag::NotLowered, train.symbol());
    return llvm::None;
  }
  if (!network.readFaults(train.range()))
    return llvm::None;
  auto costs = modelCosts(module, train, providers, diagnostics);
  if (!costs || !checkExperts(train, strategy, *costs, diagnostics))
    return llvm::None;
  StepModel model(module, train, network);
  passes::StepPlan plan = passes::readPlan(module, program);
  auto step = model.evaluate(*costs, strategy, plan, /*withEvents=*/true);
  if (llvm::StringRef unused = network.unusedAlgorithm(); step && !unused.empty()) {
    diagnostics.report(passes::rangeOf(train, unused, diagnostics), diag::AlgorithmInTraining,
                       unused,
                       "no collective of it is of its kind, or runs where the network has it");
    return llvm::None;
  }
  if (!step || (!beyondMemory && !checkMemory(train, *step, strategy, diagnostics)))
    return llvm::None;
  if (!checkRun(train, step->summary, diagnostics))
    return llvm::None;
  auto events = buildProgram(train, *costs, strategy, *step, plan.order, network);
  Outcome outcome = stepOutcome(train, *costs, std::move(*step), model, strategy);
  outcome.program = std::move(events);
  return outcome;
}
