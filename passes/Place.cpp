// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// place: which part of a chip runs which kernel of an evaluation. A kernel runs where its `place`
// says, one that fuses others where one of these is placed. On a chip whose arrays feed each other,
// what is not placed runs in the array of the unit that is fastest for it.
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Mappings.h"
#include "passes/ChipParts.h"
#include "passes/KernelUses.h"
#include "passes/Levels.h"
#include "passes/Names.h"
#include "passes/Pass.h"
#include "passes/UnitChoice.h"
#include <map>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

class Placement {
public:
  Placement(Module &module, PassContext &context)
      : module(module), registry(context.registry), diagnostics(context.diagnostics) {}

  bool run(study::EvaluateOp evaluate);

private:
  bool place(const KernelUse &use);
  bool placeOf(const KernelUse &use, study::PlaceOp &found);
  Operation *fastestFor(op::KernelOp kernel);
  bool isReached(Operation &place, SourceRange where);
  Operation *partFor(Operation &place);

  Module &module;
  const OpRegistry &registry;
  DiagnosticEngine &diagnostics;
  std::map<const Operation *, Operation *> parts; ///< by what they lead to
  // Of the evaluation at hand:
  study::EvaluateOp evaluate;
  target::ChipOp chip;
  std::vector<study::PlaceOp> places;
  bool isSplit = false; ///< each kernel runs on some part
  AttrDict chosen;
  Operation *home = nullptr; ///< where tensors live
};

/// The line that places `use`; false after a report.
bool Placement::placeOf(const KernelUse &use, study::PlaceOp &found) {
  for (study::PlaceOp candidate : places)
    for (const KernelUse::Member &member : use.members) {
      bool isIt = llvm::any_of(candidate.kernels(), [&](const Attribute &kernel) {
        return kernel.asSymbol() == member.kernel.symbol();
      });
      if (!isIt || found.op == candidate.op)
        continue;
      if (found && found.at() != candidate.at()) {
        diagnostics
            .report(candidate->range(), diag::PlacedTwice, use.kernel.declaration(), found.at(),
                    candidate.at())
            .note(found->range(), "placed here before");
        return false;
      }
      found = candidate;
    }
  return true;
}

/// The array around the unit that is fastest for what `kernel` does most, or that unit; null after
/// a report.
Operation *Placement::fastestFor(op::KernelOp kernel) {
  target::ComputeOp unit = unitOrReport(passes::Chip(chip), *Kernel(kernel).main(), diagnostics);
  Operation *top = unit.op;
  while (top && !top->parentOp()->is(target::ChipOp::opName))
    top = top->parentOp();
  return top;
}

/// Tensors come to `place` from where those of the other kernels live.
bool Placement::isReached(Operation &place, SourceRange where) {
  Operation *from = supplyOf(place).home.op;
  if (!home)
    home = from;
  if (from == home)
    return true;
  auto nameOf = [](const Operation *op) { return op ? op->symbol() : llvm::StringRef("nothing"); };
  diagnostics.report(where, diag::NothingCarries, nameOf(home), nameOf(from))
      .help("a network that leads there stands in the array that feeds it: network link { to "
            "die; bandwidth 100GB/s }");
  return false;
}

Operation *Placement::partFor(Operation &place) {
  Operation *&part = parts[&place];
  if (!part)
    part = makePart(chip, place, fmt::format("{}__{}", chip.symbol(), place.symbol()), registry).op;
  return part;
}

bool Placement::place(const KernelUse &use) {
  study::PlaceOp line;
  if (!placeOf(use, line))
    return false;
  Operation *where = nullptr;
  if (line) {
    where = partNamed(chip, line.at());
  } else if (Kernel(use.kernel).main()) {
    where = fastestFor(use.kernel);
    if (!where)
      return false;
  } else {
    return true; // does nothing
  }
  if (!isReached(*where, line ? line->range() : evaluate->range()))
    return false;
  if (line || isSplit)
    chosen.set(use.kernel.symbol(), Attribute::symbol(partFor(*where)->symbol()));
  return true;
}

/// Each place is an array with units, or a unit.
static bool checkPlace(target::ChipOp chip, study::PlaceOp place, DiagnosticEngine &diagnostics) {
  bool hasUnit = false;
  if (Operation *where = partNamed(chip, place.at()))
    where->walk([&](Operation &part) { hasUnit |= part.is(target::ComputeOp::opName); });
  if (hasUnit)
    return true;
  std::vector<llvm::StringRef> names;
  chip->body().walk([&](Operation &part) {
    if (part.is(target::ComputeOp::opName) || part.is(target::ArrayOp::opName))
      names.push_back(part.symbol());
  });
  diagnostics.report(place->range(), diag::NoUnitToPlaceOn, chip.symbol(), place.at())
      .suggest(place.at().substr(place.at().rfind('.') + 1), names,
               fmt::format("its arrays and units are {}", fmt::join(names, ", ")));
  return false;
}

bool Placement::run(study::EvaluateOp evaluation) {
  evaluate = evaluation;
  if (evaluate->hasAttr("parts"))
    return true; // written out
  chip = chipOf(module, evaluate.on());
  if (!chip)
    return true; // said by the lowering
  places.clear();
  bool valid = true;
  for (Operation &part : evaluate->body())
    if (auto place = as<study::PlaceOp>(part)) {
      places.push_back(place);
      valid &= checkPlace(chip, place, diagnostics);
    }
  isSplit = target::feedsArrays(chip);
  if (!valid || (places.empty() && !isSplit))
    return valid;
  chosen = {};
  home = nullptr;
  bool inlined = forEachKernel(evaluate, placePass.name, diagnostics,
                               [&](const KernelUse &use) { valid &= place(use); });
  if (inlined && valid && !chosen.empty())
    evaluate->setAttr("parts", chosen);
  return inlined && valid;
}

} // namespace

static bool runPlace(Module &module, PassContext &context) {
  Placement placement(module, context);
  bool valid = true;
  for (study::EvaluateOp evaluate : studiesOf<study::EvaluateOp>(module))
    valid &= placement.run(evaluate);
  return valid;
}

const PassInfo passes::placePass = {
    "place", "give kernels to parts of a chip",
    "Precondition: graphs without calls. Before:\n"
    "    study.evaluate @e (subject = @g, on = @package, …) {\n"
    "      study.place (kernels = [@attend], at = \"stack.PIM\") }\n"
    "After, in addition, with the way to that unit and, where another array feeds it, a memory\n"
    "that stands for what this one holds:\n"
    "    target.chip @package__PIM (of = @package, …) { … }\n"
    "    study.evaluate @e (…, parts = {attend = @package__PIM}) { … }",
    runPlace};
