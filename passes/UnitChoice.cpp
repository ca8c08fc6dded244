// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/UnitChoice.h"

#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/op/Arithmetic.h"
#include "ir/target/UnitRates.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

namespace {

/// How units that stand together run a statement.
struct Choice {
  target::ComputeOp unit; ///< the one that takes longest; null when they cannot run it
  size_t listed = 0;      ///< functions that a unit lists
  double peak = 0;        ///< points per second in all copies; 0 where a rate is not given

  bool isBetterThan(const Choice &other) const {
    return unit && (!other.unit || std::pair(listed, peak) > std::pair(other.listed, other.peak));
  }
};

} // namespace

static double rateOf(target::ComputeOp unit, DType format) {
  auto rate = target::unitRate(unit, format);
  return rate ? rate->rate.toDouble() : 0;
}

/// What all copies of `unit` reach together, if one has `rate`.
static double inAllCopies(target::ComputeOp unit, double rate) {
  return rate * static_cast<double>(target::copiesIn(*unit->parentOp()).getValueOr(INT64_MAX));
}

/// For multiply-accumulates, of `units`, which stand together in one block.
static Choice chooseForMacs(llvm::ArrayRef<target::ComputeOp> units, DType format) {
  Choice choice;
  choice.unit = target::unitForMacs(units, format);
  if (choice.unit)
    choice.peak = inAllCopies(choice.unit, rateOf(choice.unit, format));
  return choice;
}

/// For `statement`, of `units`, which stand together in one block.
static Choice chooseFor(llvm::ArrayRef<target::ComputeOp> units, op::StatementOp statement) {
  DType format = op::computeFormat(statement);
  std::vector<op::FunctionCalls> functions = op::functionsOf(statement);
  if (statement.isMac() || functions.empty()) {
    Choice choice = chooseForMacs(units, format);
    if (!choice.unit && !statement.isMac()) // any unit passes words on
      choice = {units.front(), 0, inAllCopies(units.front(), rateOf(units.front(), format))};
    return choice;
  }
  Choice choice;
  double longest = -1, seconds = 0;
  for (const op::FunctionCalls &calls : functions) {
    target::ComputeOp unit = target::unitForFunction(units, calls.function, format);
    if (!unit)
      return {};
    choice.listed += llvm::is_contained(unit.ops(), calls.function);
    double own = static_cast<double>(calls.count) / rateOf(unit, format);
    seconds += own;
    if (own <= longest)
      continue;
    longest = own;
    choice.unit = unit;
  }
  choice.peak = inAllCopies(choice.unit, 1 / seconds);
  return choice;
}

/// The units of a chip, by the block that they stand in.
static std::vector<std::vector<target::ComputeOp>> blocksOf(const Chip &chip) {
  std::vector<std::vector<target::ComputeOp>> blocks;
  for (const ChipUnit &part : chip.units()) {
    target::ComputeOp unit = part.view;
    auto block = llvm::find_if(blocks, [&](const auto &known) {
      return known.front()->parentRegion() == unit->parentRegion();
    });
    if (block == blocks.end())
      block = blocks.insert(block, {{}});
    block->push_back(unit);
  }
  return blocks;
}

target::ComputeOp passes::macUnit(const Chip &chip, DType format) {
  Choice best;
  for (llvm::ArrayRef<target::ComputeOp> block : blocksOf(chip))
    if (Choice choice = chooseForMacs(block, format); choice.isBetterThan(best))
      best = choice;
  return best.unit;
}

target::ComputeOp passes::unitFor(const Chip &chip, const Statement &statement,
                                  llvm::ArrayRef<const ir::Operation *> arrays) {
  Choice best;
  for (llvm::ArrayRef<target::ComputeOp> block : blocksOf(chip)) {
    auto isInside = [&](const ir::Operation *array) { return isOnWay(*array, *block.front().op); };
    if (!llvm::all_of(arrays, isInside))
      continue;
    if (Choice choice = chooseFor(block, statement.op); choice.isBetterThan(best))
      best = choice;
  }
  return best.unit;
}

/// What a message says that a unit would have to do.
static std::string workOf(op::StatementOp statement) {
  if (statement.isMac())
    return "multiply-accumulates";
  std::vector<std::string> names;
  for (const op::FunctionCalls &calls : op::functionsOf(statement))
    names.push_back(fmt::format("`{}`", calls.function));
  return fmt::format("{}", fmt::join(names, " and "));
}

target::ComputeOp passes::unitOrReport(const Chip &chip, const Statement &statement,
                                       DiagnosticEngine &diagnostics) {
  target::ComputeOp unit = unitFor(chip, statement);
  if (!unit)
    diagnostics.report(statement.op->range(), diag::NoUnitFor, chip.op.symbol(),
                       workOf(statement.op), dtypeName(op::computeFormat(statement.op)));
  return unit;
}

bool passes::assignUnit(NestPlan &plan, SourceRange written, DiagnosticEngine &diagnostics) {
  const Chip &chip = *plan.chip;
  if (!unitOrReport(chip, *plan.statement, diagnostics))
    return false;
  std::vector<const ir::Operation *> arrays;
  std::vector<std::string> names;
  auto whereOf = [&](const PlannedLoop &loop) {
    return loop.source ? loop.source->range() : written;
  };
  SourceRange where = written;
  for (const PlannedLoop &loop : plan.loops)
    if (loop.axis && loop.factor > 1 && !llvm::is_contained(arrays, chip.places[loop.place].op)) {
      arrays.push_back(chip.places[loop.place].op);
      names.push_back(fmt::format("`{}`", chip.places[loop.place].name));
      where = whereOf(loop);
    }
  plan.unit = unitFor(chip, *plan.statement, arrays);
  if (!plan.unit) {
    diagnostics.report(where, diag::NoUnitInside, workOf(plan.statement->op),
                       fmt::join(names, " and "));
    return false;
  }
  auto isBeside = [&](unsigned place) { return !isOnWay(*chip.places[place].op, *plan.unit.op); };
  for (const PlannedLoop &loop : plan.loops)
    if (loop.factor > 1 && isBeside(loop.place)) {
      diagnostics.report(whereOf(loop), diag::PlaceOffWay, chip.places[loop.place].name,
                         plan.unit.symbol());
      return false;
    }
  llvm::erase_if(plan.loops, [&](const PlannedLoop &loop) { return isBeside(loop.place); });
  llvm::erase_if(plan.places, isBeside);
  return true;
}
