// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-loopnest: each statement of each kernel becomes a nest of loops at the places of a chip,
// for the evaluations at that level. The loops are those of the user's mapping, which is checked,
// or of the default one. Elementwise statements that finish another's result get no nest of their
// own.
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/study/SearchOps.h"
#include "passes/DataflowPlan.h"
#include "passes/DefaultMapping.h"
#include "passes/DependenceChecks.h"
#include "passes/FusedPlan.h"
#include "passes/KernelUses.h"
#include "passes/Levels.h"
#include "passes/Names.h"
#include "passes/NestEmission.h"
#include "passes/PartialSums.h"
#include "passes/Pass.h"
#include "passes/StatementGroups.h"
#include "passes/UnitChoice.h"
#include "passes/analysis/IslText.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

class LoopNestLowering {
public:
  LoopNestLowering(Module &module, PassContext &context)
      : module(module), diagnostics(context.diagnostics), builder(context.registry),
        emitter(builder) {}

  bool run(study::EvaluateOp evaluate);

private:
  bool lowerKernel(const KernelUse &use);
  llvm::Optional<NestPlan> plan(const Statement &statement, Operation *written);
  llvm::Optional<NestPlan> planFrom(const Statement &statement, Operation &written);
  llvm::Optional<NestPlan> defaultPlanOn(const Chip &way, const Statement &statement);
  const Chip &wayTo(target::ComputeOp unit);
  bool isUnfit(const Statement &statement);
  bool checkNoMapping(Level level) const;
  void reportUnfit(const Chip &way, const Statement &statement);
  bool lowerFused(PreparedKernel &kernel, loopnest::MappingOp mapping);
  void emit(const NestPlan &plan, PreparedKernel &kernel, const StatementGroup &group,
            const Operation *written, llvm::StringRef symbol, Region *into = nullptr);
  /// Of a search, which replaces default mappings, whether they fit or not.
  bool isSearched() const {
    return evaluate->parentOp() && evaluate->parentOp()->is(study::SearchStatement::opName);
  }
  void markZeros(Operation &nest) const {
    if (evaluate->hasAttr("sparsity"))
      nest.setAttr("zeros", Attribute::unit());
  }

  Module &module;
  DiagnosticEngine &diagnostics;
  Builder builder;
  NestEmitter emitter;
  std::map<const Operation *, PreparedKernel> kernels;
  std::map<const Operation *, Chip> chips;
  std::map<const Operation *, Chip> ways; ///< by unit
  // Nests whose mapping is wrong: reported once.
  llvm::StringSet<> failed;
  study::EvaluateOp evaluate;
  Operation *before = nullptr; ///< where nests go
  const Chip *chip = nullptr;
};

/// All loops at the outermost memory, for a search to begin with.
static NestPlan outermostPlan(const Chip &way, const Statement &statement) {
  NestPlan plan{&way, &statement, {}, {}};
  for (unsigned p = 0; p < way.places.size(); ++p)
    plan.places.push_back(p);
  for (unsigned i = 0; i < statement.extents.size(); ++i)
    if (statement.extents[i] > 1)
      plan.loops.push_back({0, llvm::None, {i}, statement.extents[i]});
  return plan;
}

/// One memory has no room for a single element of each tensor that it keeps.
void LoopNestLowering::reportUnfit(const Chip &way, const Statement &statement) {
  const Place *full = firstFullMemory(way, statement);
  llvm::SmallVector<int64_t, 8> one(statement.extents.size(), 1);
  auto needed = totalBits(keptBits(statement, *full, one));
  diagnostics
      .report(evaluate->range(), diag::NoDefaultMapping,
              as<op::KernelOp>(statement.op->parentOp()).declaration(), chip->op.symbol(),
              full->name, sizeText(*full->capacityBits), sizeText(needed))
      .note(full->op->range(), "the memory is declared here");
}

/// The places on the way to `unit`.
const Chip &LoopNestLowering::wayTo(target::ComputeOp unit) {
  return ways.try_emplace(unit.op, chip->op, unit).first->second;
}

/// The loops of a mapping or dataflow.
llvm::Optional<NestPlan> LoopNestLowering::planFrom(const Statement &statement,
                                                    Operation &written) {
  llvm::Optional<NestPlan> plan;
  if (auto mapping = as<loopnest::MappingOp>(written)) {
    plan = planFromMapping(*chip, statement, mapping, diagnostics);
    if (!plan || !assignUnit(*plan, written.range(), diagnostics))
      return llvm::None;
  } else if (target::ComputeOp unit = unitOrReport(*chip, statement, diagnostics)) {
    plan = planFromDataflow(wayTo(unit), statement, loopnest::DataflowOp(&written), diagnostics);
    if (plan)
      plan->unit = unit;
  }
  if (!plan || !checkPlan(*plan, written.range(), diagnostics) ||
      !checkDependences(*plan, written.range(), diagnostics))
    return llvm::None;
  // What a tile with zeros takes depends on how it is stored: the evaluator checks it.
  bool hasZeros = evaluate->hasAttr("sparsity");
  return hasZeros || checkCapacities(*plan, written.range(), diagnostics) ? plan : llvm::None;
}

/// Loops of the pass's own choice.
llvm::Optional<NestPlan> LoopNestLowering::defaultPlanOn(const Chip &way,
                                                         const Statement &statement) {
  llvm::Optional<NestPlan> plan = defaultPlan(way, statement);
  // The outermost memory holds whole tensors whatever the mapping is: the evaluator checks it.
  assert((!plan || checkPlan(*plan, {}, diagnostics)) && "the default mapping is legal");
  if (plan)
    return plan;
  if (isSearched())
    return outermostPlan(way, statement);
  reportUnfit(way, statement);
  return llvm::None;
}

/// `written` is the mapping or dataflow of the statement, or null.
llvm::Optional<NestPlan> LoopNestLowering::plan(const Statement &statement, Operation *written) {
  if (chip->places.empty()) {
    diagnostics.report(evaluate->range(), diag::NestNotCounted,
                       fmt::format("chip `{}` has no memory", chip->op.symbol()));
    return llvm::None;
  }
  if (written)
    return planFrom(statement, *written);
  target::ComputeOp unit = unitOrReport(*chip, statement, diagnostics);
  if (!unit || !checkSomeOrder(statement, evaluate->range(), diagnostics))
    return llvm::None;
  llvm::Optional<NestPlan> plan = defaultPlanOn(wayTo(unit), statement);
  if (plan)
    plan->unit = unit;
  return plan;
}

/// A memory on the way to the unit has no room for a single element of each tensor that it keeps.
bool LoopNestLowering::isUnfit(const Statement &statement) {
  target::ComputeOp unit = unitFor(*chip, statement);
  return unit && firstFullMemory(wayTo(unit), statement);
}

void LoopNestLowering::emit(const NestPlan &plan, PreparedKernel &kernel,
                            const StatementGroup &group, const Operation *written,
                            llvm::StringRef symbol, Region *into) {
  Location location = nestLocation(group, written);
  Operation *nest = into ? builder.create(*into, loopnest::NestOp::opName, location)
                         : builder.createBefore(*before, loopnest::NestOp::opName, location);
  nest->setSymbol(symbol);
  emitter.fill(*nest, plan, kernel, group, written);
  markZeros(*nest);
}

//===-- Evaluations
//----------------------------------------------------------------------------===//

bool LoopNestLowering::lowerFused(PreparedKernel &kernel, loopnest::MappingOp mapping) {
  std::string symbol = fusedSymbol(kernel.kernel.op.symbol(), chip->op.symbol(), mapping->symbol());
  if (module.lookup<loopnest::FusedOp>(symbol))
    return true;
  if (failed.count(symbol))
    return false;
  bool valid = llvm::all_of(kernel.groups, [&](const StatementGroup &group) {
    return checkPartial(*chip, *group.main, diagnostics);
  });
  llvm::Optional<FusedPlan> plan =
      valid ? planFused(*chip, kernel.groups, mapping, diagnostics) : llvm::None;
  if (!plan) {
    failed.insert(symbol);
    return false;
  }
  Operation *fused = builder.createBefore(*before, loopnest::FusedOp::opName, mapping->location());
  fused->setSymbol(symbol);
  fused->setAttr("kernel", Attribute::symbol(kernel.kernel.op.symbol()));
  fused->setAttr("target", Attribute::symbol(chip->op.symbol()));
  fused->setAttr("mapping", mapping.source());
  describe(*plan, *fused);
  for (size_t i = 0; i < kernel.groups.size(); ++i) {
    const StatementGroup &group = kernel.groups[i];
    emit(plan->nests[i], kernel, group, mapping.op,
         symbol + "_" + std::to_string(group.main->number), &fused->body());
  }
  return true;
}

bool LoopNestLowering::lowerKernel(const KernelUse &use) {
  PreparedKernel &kernel = kernels.try_emplace(use.kernel.op, use.kernel).first->second;
  if (auto mapping = fusedMappingFor(evaluate, use, chip->op.symbol()))
    return lowerFused(kernel, mapping);
  bool valid = true;
  for (const StatementGroup &group : kernel.groups) {
    const Statement &statement = *group.main;
    Operation *written = mappingFor(evaluate, use, statement.number, chip->op.symbol()).op;
    if (!written)
      written = dataflowFor(evaluate, use, statement.number, chip->op.symbol()).op;
    std::string symbol = nestSymbol(use.kernel.symbol(), chip->op.symbol(),
                                    written ? written->symbol() : "default", statement.number);
    if (auto known = module.lookup<loopnest::NestOp>(symbol)) {
      markZeros(*known.op);
      if (known->hasAttr("unfit") && !isSearched()) {
        reportUnfit(wayTo(unitFor(*chip, statement)), statement);
        valid = false;
      }
      continue;
    }
    if (failed.count(symbol) || !checkPartial(*chip, statement, diagnostics)) {
      failed.insert(symbol);
      valid = false;
      continue;
    }
    if (!statement.op.boxPoints()) {
      diagnostics.report(statement.op->range(), diag::DomainTooLarge, use.kernel.declaration());
      failed.insert(symbol);
      valid = false;
      continue;
    }
    if (llvm::Optional<NestPlan> loops = plan(statement, written)) {
      emit(*loops, kernel, group, written, symbol);
      if (!written && isUnfit(statement))
        module.lookup(symbol)->setAttr("unfit", Attribute::unit());
    } else {
      failed.insert(symbol);
      valid = false;
    }
  }
  return valid;
}

/// A mapping that the evaluation names has a level that runs its loops.
bool LoopNestLowering::checkNoMapping(Level level) const {
  for (const Attribute &name : evaluate->listAttr("with")) {
    const Operation *mapping = resolve(*evaluate, name.asSymbol());
    bool isDataflow = mapping && mapping->is(loopnest::DataflowOp::opName);
    bool isMapping = mapping && mapping->is(loopnest::MappingOp::opName);
    if (!isMapping && !(isDataflow && level != Level::Dataflow))
      continue;
    diagnostics
        .report(evaluate->range(), diag::MappingWithoutNest, mapping->stringAttr("source"),
                providerFor(level).name)
        .note(mapping->range(), "it is declared here")
        .help(fmt::format("`using {}` runs its loops", providerFor(Level::LoopNest).name));
    return false;
  }
  return true;
}

bool LoopNestLowering::run(study::EvaluateOp evaluation) {
  evaluate = evaluation;
  target::ChipOp target = chipOf(evaluate, diagnostics);
  if (!target)
    return false;
  auto isNested = [&](target::ChipOp part) { return runsAsNests(levelFor(evaluate, part), part); };
  if (llvm::none_of(chipsOf(evaluate, target), isNested))
    return checkNoMapping(levelFor(evaluate, target));
  before = evaluate.op;
  while (before->parentOp())
    before = before->parentOp();
  bool valid = true;
  auto lower = [&](const KernelUse &use) {
    target::ChipOp part = chipFor(evaluate, use.kernel.symbol(), target);
    if (!isNested(part))
      return;
    chip = &chips.try_emplace(part.op, part).first->second;
    valid &= lowerKernel(use);
  };
  bool inlined = forEachKernel(evaluate, lowerToLoopNestPass.name, diagnostics, lower);
  return inlined && valid;
}

} // namespace

static bool runLowerToLoopNest(Module &module, PassContext &context) {
  LoopNestLowering lowering(module, context);
  bool valid = true;
  for (study::EvaluateOp evaluate : namedEvaluations(module))
    valid &= lowering.run(evaluate);
  return valid;
}

const PassInfo passes::lowerToLoopNestPass = {
    "lower-to-loopnest", "turn statements into loop nests on a chip, by mapping",
    "Precondition: graphs without calls. Before:\n"
    "    loopnest.mapping @m (kernel = @mm, target = @chip, source = \"mine\") {\n"
    "      loopnest.place (at = \"DRAM\") { loopnest.loop (indices = [\"i\"], factor = 8) } … }\n"
    "    study.evaluate @e (subject = @g, on = @chip, with = [@m], …)\n"
    "After, in addition:\n"
    "    loopnest.nest @mm__chip__m__0 (kernel = @mm, statement = 0, …) {\n"
    "      loopnest.tensor @A (…) …\n"
    "      loopnest.at (place = \"DRAM\") { loopnest.for (index = \"i\", factor = 8, step = 1) { … "
    "} } }",
    runLowerToLoopNest};
