// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/analysis/Chip.h"

#include "ir/op/Arithmetic.h"
#include "ir/target/UnitRates.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

//===-- Parts
//----------------------------------------------------------------------------------===//

llvm::Optional<Uncertain> Chip::clock() const {
  if (auto clock = op.clock())
    return clock->toUncertain();
  return llvm::None;
}

Uncertain Chip::launch() const {
  auto launch = op.launch();
  return launch ? launch->toUncertain() : Uncertain(0);
}

bool Chip::dispatches() const {
  auto isInBlock = [](const auto &part) {
    return llvm::any_of(part.arrays, [](target::ArrayOp array) { return array.isDispatched(); });
  };
  return llvm::any_of(unitList, isInBlock) || llvm::any_of(memoryList, isInBlock);
}

//===-- Rates
//----------------------------------------------------------------------------------===//

/// The rate of all copies of `unit` in `dtype` or, where it has none, in the fastest format that
/// holds `dtype`.
static llvm::Optional<UnitRate> rateOf(const ChipUnit &unit, DType dtype) {
  auto found = target::unitRate(unit.view, dtype);
  if (!found)
    return llvm::None;
  UnitRate result{&unit, found->format, found->rate,
                  found->rate.toUncertain() * static_cast<double>(unit.copies), llvm::None};
  if (found->forAll)
    result.dtype = llvm::None;
  if (auto energy = unit.view.energyFor(dtypeName(found->format)))
    result.energy = energy->toUncertain();
  else
    result.unpriced = &unit;
  return result;
}

std::string passes::anyRateNote(const UnitRate &rate, DType asked) {
  auto own = parseDType(rate.unit->view.dtype());
  if (rate.dtype || !own || *own == asked ||
      llvm::is_contained(target::exactContainers(asked), *own))
    return "";
  return fmt::format("multiply-accumulates in {} run at the rate and energy that `{}`, in a block "
                     "of {}, has for every format",
                     dtypeName(asked), rate.unit->name(), dtypeName(*own));
}

std::vector<UnitRate> Chip::macUnits(DType dtype) const {
  std::vector<UnitRate> result;
  for (const ChipUnit &unit : unitList)
    if (unit.view.ops().empty())
      if (auto rate = rateOf(unit, dtype))
        result.push_back(*rate);
  return result;
}

llvm::Optional<UnitRate> Chip::unitNamed(llvm::StringRef name, DType dtype) const {
  for (const ChipUnit &unit : unitList)
    if (unit.name() == name)
      return rateOf(unit, dtype);
  return llvm::None;
}

const ChipUnit *Chip::partOf(target::ComputeOp unit) const {
  auto known = llvm::find_if(unitList, [&](const ChipUnit &one) { return one.view.op == unit.op; });
  return known == unitList.end() ? nullptr : &*known;
}

/// a op b, exact where that fits.
static Quantity combined(llvm::StringRef op, const Quantity &a, const Quantity &b) {
  QuantityError error = QuantityError::None;
  if (auto exact = apply(op, a, b, error))
    return *exact;
  return *apply(op, Quantity(a.toUncertain(), a.dimension()), b, error);
}

/// The rate of operations that run one after the other, `counts[i]` of them at `rates[i]`; `own` is
/// that of the unit that is named for all.
static UnitRate inSequence(const UnitRate &own, llvm::ArrayRef<UnitRate> rates,
                           llvm::ArrayRef<int64_t> counts) {
  UnitRate result = own;
  Quantity seconds, operations;
  Uncertain energy = 0;
  result.unpriced = nullptr;
  for (size_t i = 0; i < rates.size(); ++i) {
    Quantity count{Rational(counts[i])};
    Quantity time = combined("/", count, rates[i].perCopy);
    seconds = i == 0 ? time : combined("+", seconds, time);
    operations = combined("+", operations, count);
    if (rates[i].energy)
      energy += *rates[i].energy * count.toDouble();
    else
      result.unpriced = rates[i].unit;
  }
  result.perCopy = combined("/", operations, seconds);
  result.rate = result.perCopy.toUncertain() * static_cast<double>(own.unit->copies);
  result.energy = llvm::None;
  if (!result.unpriced)
    result.energy = energy / operations.toUncertain();
  return result;
}

llvm::Optional<UnitRate> Chip::rateFor(op::StatementOp statement, llvm::StringRef unit) const {
  DType format = op::computeFormat(statement);
  std::vector<op::FunctionCalls> functions = op::functionsOf(statement);
  llvm::Optional<UnitRate> own = unitNamed(unit, format);
  if (!own || statement.isMac() || functions.empty())
    return own;
  std::vector<target::ComputeOp> beside;
  for (const ChipUnit &known : unitList)
    if (known.view->parentRegion() == own->unit->view->parentRegion())
      beside.push_back(known.view);
  std::vector<UnitRate> rates;
  std::vector<int64_t> counts;
  for (const op::FunctionCalls &calls : functions) {
    target::ComputeOp runs = target::unitForFunction(beside, calls.function, format);
    auto rate = runs ? rateOf(*partOf(runs), format) : llvm::None;
    if (!rate || rate->rate.central() <= 0)
      return llvm::None;
    rates.push_back(*rate);
    counts.push_back(calls.count);
  }
  bool isOne =
      llvm::all_of(rates, [&](const UnitRate &rate) { return rate.unit == rates[0].unit; });
  return isOne ? rates.front() : inSequence(*own, rates, counts);
}

llvm::Optional<UnitRate> Chip::unitFor(llvm::StringRef function, DType dtype) const {
  llvm::Optional<UnitRate> listed, general;
  for (const ChipUnit &unit : unitList) {
    std::vector<std::string> ops = unit.view.ops();
    llvm::Optional<UnitRate> &best = ops.empty() ? general : listed;
    if (!ops.empty() && !llvm::is_contained(ops, function))
      continue;
    auto rate = rateOf(unit, dtype);
    if (rate && (!best || rate->rate.central() > best->rate.central()))
      best = rate;
  }
  return listed ? listed : general;
}
