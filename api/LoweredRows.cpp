// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/LoweredRows.h"

#include "ir/study/SearchOps.h"
#include "ir/study/StudyOps.h"
#include "ir/study/TrainOps.h"
#include "passes/training/Strategy.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;

/// Graphs and kernels have no part in which a constant may stand: rows build them once
/// (frontend/build/KeptGraph.h) or have other ones each time.
static bool isOfGraphs(const ir::Operation &op) { return op.name().startswith("op."); }

//===-- What differs
//-------------------------------------------------------------------------------===//

namespace {

/// How a module that was built again differs from the one before.
class Difference {
public:
  Difference(const ir::Module &now, LoweredRow &before);

  /// Nothing but quantities differs.
  bool isOfQuantities = true;
  /// A quantity differs that is no variable yet, or one that a pass has read.
  bool isSeen = false;
  /// Gives variables their new values.
  void apply() const {
    for (const auto &[variable, value] : values)
      variable.setVariable(value);
  }

private:
  void operations(const ir::Region &now, const ir::Region &before);
  void operation(const ir::Operation &now, const ir::Operation &before);
  void attribute(const ir::Attribute &now, const ir::Attribute &before);

  LoweredRow &row;
  size_t next = 0; ///< of the variables
  std::vector<std::pair<ir::Attribute, Quantity>> values;
};

} // namespace

Difference::Difference(const ir::Module &now, LoweredRow &before) : row(before) {
  operations(now.body(), before.built.body());
}

void Difference::operations(const ir::Region &now, const ir::Region &before) {
  auto other = before.begin();
  for (const ir::Operation &op : now) {
    if (isOfGraphs(op))
      continue;
    isOfQuantities &= other != before.end();
    if (!isOfQuantities)
      return;
    operation(op, *other++);
  }
  isOfQuantities &= other == before.end();
}

void Difference::operation(const ir::Operation &now, const ir::Operation &before) {
  isOfQuantities &= &now.decl() == &before.decl() && now.symbol() == before.symbol() &&
                    now.attrs().size() == before.attrs().size() &&
                    now.regionCount() == before.regionCount() && now.operandCount() == 0 &&
                    now.resultCount() == 0;
  for (size_t i = 0; isOfQuantities && i < now.attrs().size(); ++i) {
    isOfQuantities &= now.attrs()[i].name == before.attrs()[i].name;
    attribute(now.attrs()[i].value, before.attrs()[i].value);
  }
  for (size_t i = 0; isOfQuantities && i < now.regionCount(); ++i)
    operations(now.region(i), before.region(i));
}

void Difference::attribute(const ir::Attribute &now, const ir::Attribute &before) {
  isOfQuantities &= now.kind() == before.kind();
  if (!isOfQuantities || now.sharesValueWith(before)) // what was built has no variables
    return;
  switch (now.kind()) {
  case ir::AttrKind::List:
    isOfQuantities &= now.asList().size() == before.asList().size();
    for (size_t i = 0; isOfQuantities && i < now.asList().size(); ++i)
      attribute(now.asList()[i], before.asList()[i]);
    return;
  case ir::AttrKind::Dict: {
    llvm::ArrayRef<ir::AttrDict::Entry> ones = now.asDict().entries(),
                                        others = before.asDict().entries();
    isOfQuantities &= ones.size() == others.size();
    for (size_t i = 0; isOfQuantities && i < ones.size(); ++i) {
      isOfQuantities &= ones[i].first == others[i].first;
      attribute(ones[i].second, others[i].second);
    }
    return;
  }
  case ir::AttrKind::Quantity: {
    bool isVariable = before.isVariable(), isRead = isVariable && row.areRead[next];
    next += isVariable;
    if (now.isSame(before))
      return;
    isSeen |= !isVariable || isRead;
    if (isVariable)
      values.emplace_back(before, now.asQuantity());
    return;
  }
  default:
    isOfQuantities &= now == before;
  }
}

//===-- Modules with variables
//-----------------------------------------------------------------===//

namespace {

/// Makes variables of the quantities of a copy that are such, or differ, in the module before.
class Variables {
public:
  explicit Variables(std::vector<ir::Attribute> &all) : all(all) {}

  void operation(ir::Operation &copy, const ir::Operation &before) {
    for (size_t i = 0; i < copy.attrs().size(); ++i) {
      const ir::Operation::NamedAttribute &attr = copy.attrs()[i];
      if (auto other = attribute(attr.value, before.attrs()[i].value))
        copy.setAttr(std::string(attr.name), *other);
    }
    for (size_t i = 0; i < copy.regionCount(); ++i)
      for (auto [inner, other] : llvm::zip(copy.region(i), before.region(i)))
        operation(inner, other);
  }

private:
  /// `now` with variables; nothing where there are none in it.
  llvm::Optional<ir::Attribute> attribute(const ir::Attribute &now, const ir::Attribute &before);

  std::vector<ir::Attribute> &all;
};

} // namespace

llvm::Optional<ir::Attribute> Variables::attribute(const ir::Attribute &now,
                                                   const ir::Attribute &before) {
  if (now.sharesValueWith(before))
    return llvm::None;
  bool isChanged = false;
  auto inner = [&](const ir::Attribute &one, const ir::Attribute &other) {
    llvm::Optional<ir::Attribute> variable = attribute(one, other);
    isChanged |= variable.hasValue();
    return variable.getValueOr(one);
  };
  if (now.is(ir::AttrKind::List)) {
    ir::AttrList list;
    for (auto [one, other] : llvm::zip(now.asList(), before.asList()))
      list.push_back(inner(one, other));
    return isChanged ? llvm::Optional<ir::Attribute>(std::move(list)) : llvm::None;
  }
  if (now.is(ir::AttrKind::Dict)) {
    ir::AttrDict dict;
    for (auto [one, other] : llvm::zip(now.asDict().entries(), before.asDict().entries()))
      dict.append(one.first, inner(one.second, other.second));
    return isChanged ? llvm::Optional<ir::Attribute>(std::move(dict)) : llvm::None;
  }
  if (!now.is(ir::AttrKind::Quantity) || (!before.isVariable() && now.isSame(before)))
    return llvm::None;
  all.push_back(ir::Attribute::variable(now.asQuantity()));
  return all.back();
}

/// Statements that neither change their module nor look at it as it was built.
static bool mayBeKept(const ir::Module &module) {
  for (const ir::Operation &op : module.body())
    if (op.is(study::PointOp::opName))
      for (const ir::Operation &statement : op.body()) {
        auto train = ir::as<study::TrainOp>(statement);
        bool hasHoles = train && passes::readStrategy(train).hasHoles();
        if (hasHoles || (!train && !statement.is(study::EvaluateOp::opName) &&
                         !statement.is(study::AgainstOp::opName)))
          return false;
      }
  return true;
}

/// Copies what is no graph to `copy`, with variables where `before` tells of them.
static void copyBuilt(const ir::Module &built, const LoweredRow *before, LoweredRow &copy) {
  ir::ValueMap map;
  for (const ir::Operation &op : built.body())
    if (!isOfGraphs(op))
      op.clone(copy.built.body(), map);
  if (!before)
    return;
  Variables variables(copy.variables);
  for (auto [op, other] : llvm::zip(copy.built.body(), before->built.body()))
    variables.operation(op, other);
}

/// All of `built`, with the variables of `row`.
static std::unique_ptr<ir::Module> copyWhole(const ir::Module &built, const LoweredRow &row) {
  auto copy = std::make_unique<ir::Module>();
  ir::ValueMap map;
  auto next = row.built.body().begin();
  for (const ir::Operation &op : built.body())
    (isOfGraphs(op) ? op : *next++).clone(copy->body(), map);
  return copy;
}

LoweredRow &LoweredRows::lowered(Place place, const ir::Module &built,
                                 llvm::function_ref<bool(LoweredRow &)> lower) {
  std::unique_ptr<LoweredRow> &known = rows[place];
  bool isComparable = false;
  if (known && mayBeKept(built)) {
    Difference difference(built, *known);
    isComparable = difference.isOfQuantities;
    if (isComparable && !difference.isSeen && known->module) {
      difference.apply();
      return *known;
    }
  }
  auto row = std::make_unique<LoweredRow>();
  copyBuilt(built, isComparable ? known.get() : nullptr, *row);
  if (!isLearning) {
    row->module = copyWhole(built, *row);
    if (!lower(*row))
      row->module = nullptr;
  }
  for (const ir::Attribute &variable : row->variables)
    row->areRead.push_back(variable.isRead());
  known = std::move(row);
  return *known;
}
