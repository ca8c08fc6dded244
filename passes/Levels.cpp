// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Levels.h"

#include "ir/common/diagnostics/Mappings.h"
#include "passes/FusedPlan.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static bool hasComputeInside(const Operation &array) {
  bool found = false;
  array.walk([&](const Operation &op) { found |= op.is(target::ComputeOp::opName); });
  return found;
}

/// A part of a chip in which each element of an array holds its share of all tensors.
static bool holdsInElements(target::ChipOp chip) {
  return chip->hasAttr("of") && llvm::none_of(chip->body(), [](const Operation &op) {
           return op.is(target::MemoryOp::opName);
         });
}

static bool isAccelerator(target::ChipOp chip) {
  bool array = false, memory = false;
  chip->walk([&](const Operation &op) {
    if (auto here = as<target::ArrayOp>(op))
      array |= !here.isDispatched() && hasComputeInside(op);
    if (auto here = as<target::MemoryOp>(op))
      memory |= !here.isOffChip() && (here.capacity() || here.readEnergy() || here.writeEnergy());
  });
  return array && memory;
}

bool passes::dispatchesBlocks(target::ChipOp chip) {
  bool dispatches = false;
  chip->walk([&](const Operation &op) {
    auto array = as<target::ArrayOp>(op);
    dispatches |= array && array.isDispatched();
  });
  return dispatches;
}

/// Fused statements have no other level.
static bool hasFusedMapping(study::EvaluateOp evaluate) {
  return llvm::any_of(evaluate->listAttr("with"), [&](const Attribute &name) {
    auto mapping = as<loopnest::MappingOp>(resolve(*evaluate, name.asSymbol()));
    return mapping && isFused(mapping);
  });
}

static bool hasLibraries(target::ChipOp chip) {
  return dispatchesBlocks(chip) && chip->hasAttr("generation");
}

Level passes::levelFor(study::EvaluateOp evaluate, target::ChipOp chip) {
  if (const ProviderInfo *provider = findProvider(evaluate.provider());
      provider && provider->isChoice())
    return provider->kernels;
  if (holdsInElements(chip) || (chip->hasAttr("layers") && evaluate.with().empty()))
    return Level::Whole;
  bool isMapped = !evaluate.with().empty() && !dispatchesBlocks(chip);
  if (isMapped || isAccelerator(chip) || hasFusedMapping(evaluate))
    return Level::LoopNest;
  return hasLibraries(chip) && evaluate.with().empty() ? Level::Tile : Level::Whole;
}

Level passes::levelFor(study::ServeOp serve, target::ChipOp chip) {
  if (const ProviderInfo *provider = findProvider(serve->stringAttr("using")))
    return provider->kernels;
  bool hasTable = study::findPart(*serve, study::OpTable::opName);
  return hasLibraries(chip) && !hasTable ? Level::Tile : Level::Whole;
}

bool passes::runsAsNests(Level level, target::ChipOp chip) {
  return level == Level::LoopNest || (level == Level::Tile && !dispatchesBlocks(chip));
}

/// The first chip among the members of the last group in `op`, at any depth.
static Operation *firstChip(Operation *op) {
  while (op && !op->is(target::ChipOp::opName)) {
    if (op->is(target::SystemOp::opName)) {
      op = op->body().empty() ? nullptr : &op->body().back();
      continue;
    }
    Operation *next = nullptr;
    for (Operation &part : op->body())
      if (auto members = as<target::MembersOp>(part)) {
        next = resolve(part, members.of());
        break;
      }
    op = next;
  }
  return op;
}

target::ChipOp passes::chipOf(const Module &module, llvm::StringRef on) {
  return as<target::ChipOp>(firstChip(module.lookup(on)));
}

target::ChipOp passes::chipOf(study::EvaluateOp evaluate, DiagnosticEngine &diagnostics) {
  target::ChipOp chip = chipOf(*evaluate->module(), evaluate.on());
  if (!chip)
    diagnostics.report(evaluate->range(), diag::NoChipToRunOn, evaluate.on());
  return chip;
}

target::ChipOp passes::chipFor(study::EvaluateOp evaluate, llvm::StringRef kernel,
                               target::ChipOp chip) {
  const Attribute *part = evaluate->dictAttr("parts").find(kernel);
  return part ? as<target::ChipOp>(resolve(*evaluate, part->asSymbol())) : chip;
}

std::vector<target::ChipOp> passes::chipsOf(study::EvaluateOp evaluate, target::ChipOp chip) {
  std::vector<target::ChipOp> chips;
  for (const AttrDict::Entry &entry : evaluate->dictAttr("parts").entries()) {
    target::ChipOp part = chipFor(evaluate, entry.first, chip);
    if (llvm::none_of(chips, [&](target::ChipOp known) { return known.op == part.op; }))
      chips.push_back(part);
  }
  if (chips.empty())
    chips.push_back(chip);
  return chips;
}

static void collectChips(Operation &op, std::vector<target::ChipOp> &into) {
  if (auto chip = as<target::ChipOp>(op)) {
    if (llvm::none_of(into, [&](target::ChipOp known) { return known.op == chip.op; }))
      into.push_back(chip);
    return;
  }
  if (op.is(target::SystemOp::opName)) {
    if (!op.body().empty())
      collectChips(op.body().back(), into);
    return;
  }
  for (Operation &part : op.body())
    if (auto members = as<target::MembersOp>(part))
      collectChips(*resolve(part, members.of()), into);
}

std::vector<target::ChipOp> passes::chipsOf(const Module &module, llvm::StringRef on) {
  std::vector<target::ChipOp> chips;
  if (Operation *op = module.lookup(on))
    collectChips(*op, chips);
  return chips;
}

static int64_t chipsIn(Operation &op) {
  if (op.is(target::ChipOp::opName))
    return 1;
  if (op.is(target::SystemOp::opName))
    return op.body().empty() ? 0 : chipsIn(op.body().back());
  int64_t sum = 0;
  for (Operation &part : op.body())
    if (auto members = as<target::MembersOp>(part))
      sum += members.count() * chipsIn(*resolve(part, members.of()));
  return sum;
}

int64_t passes::chipCount(const Module &module, llvm::StringRef on) {
  Operation *op = module.lookup(on);
  return op ? chipsIn(*op) : 0;
}
