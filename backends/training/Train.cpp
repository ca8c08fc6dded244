// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/Train.h"

#include "backends/core/Chip.h"
#include "backends/training/ProgramBuilder.h"
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
  AxisNetwork places(*module.lookup(train.symbolAttr("on")), providers, diagnostics);
  for (auto [other, count] : places.places().kinds()) {
    if (other == chip.operator->() || other->symbol() == chip->symbol())
      continue;
    Runtime ofOther = Runtime::read(train.dictAttr("settings"));
    setProducts(train, *other, ofOther);
    GraphCoster onOther(module, *other, ofOther, providers, diagnostics);
    auto up = onOther.run(*forward);
    auto down = up ? onOther.run(*backward) : llvm::None;
    if (!down)
      return llvm::None;
    costs.others.push_back({other->symbol().str(), std::move(*up), std::move(*down)});
  }
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

//===-- The statement
//----------------------------------------------------------------------------===//

/// What of the system the step leaves out.
static void noteSimplifications(const ir::Operation &system, Cost &cost) {
  bool hasLinkFault = false;
  system.walk([&](const ir::Operation &op) {
    auto fault = ir::as<target::FaultOp>(op);
    hasLinkFault |= fault && fault.kind() == "link";
  });
  if (hasLinkFault)
    cost.addNote("faults of links are left out: traffic is taken to go around them");
}

llvm::Optional<Cost> training::evaluateTraining(const ir::Module &module,
                                                const ir::Operation &train, ProviderSet &providers,
                                                DiagnosticEngine &diagnostics, bool beyondMemory) {
  Strategy strategy = passes::readStrategy(ir::as<study::TrainOp>(train));
  const ir::Operation *system = module.lookup(train.symbolAttr("on"));
  AxisNetwork network(*system, providers, diagnostics);
  if (!network.places().readFaults(train.range(), diagnostics) ||
      !checkStrategy(train, strategy, network, diagnostics))
    return llvm::None;
  auto costs = modelCosts(module, train, providers, diagnostics);
  if (!costs)
    return llvm::None;
  StepModel model(module, train, network);
  std::string problem;
  auto step = model.evaluate(*costs, strategy, problem, /*withEvents=*/true);
  if (!problem.empty())
    diagnostics.report(train.range(), diag::StagesAndLayers, problem);
  if (!step || (!beyondMemory && !checkMemory(train, *step, strategy, diagnostics)))
    return llvm::None;
  step->summary.program = buildProgram(train, *costs, strategy, step->summary, network);
  Cost cost = stepCost(train, *costs, std::move(*step), model, strategy);
  noteSimplifications(*system, cost);
  return cost;
}
