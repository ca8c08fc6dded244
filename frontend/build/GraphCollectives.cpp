// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives of a workload: `y = all_reduce(x) with ring`. The algorithm that a line names counts
// for its own collectives only; the schedules are made where the system is known (StudyBuilder).
#include "frontend/build/GraphBuilder.h"
#include "frontend/build/ScheduleBuilder.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Ops.h"

#include "ir/common/diagnostics/Network.h"

using namespace perfc;

/// The numbers of a list of lists, row by row; false when it is none.
static bool numbersOf(const Value &value, ir::AttrList &numbers) {
  if (const Value::List *list = value.getIf<Value::List>())
    return llvm::all_of(list->values,
                        [&](const Value &entry) { return numbersOf(entry, numbers); });
  const Quantity *number = value.getIf<Quantity>();
  if (!number || number->sign() < 0 ||
      !(number->dimension().withoutCounts().isNumber() ||
        number->dimension() == Dimension(BaseUnit::Byte)))
    return false;
  numbers.push_back(number->withDimension({})); // shares, which may be real
  return true;
}

/// `imbalance = 1.5` or `sizes = [[0, 2], [1, 0]]` of an all_to_allv.
bool GraphBuilder::pairSizes(const Instance &callee, ir::Operation &op) {
  for (const Argument &argument : llvm::makeArrayRef(callee.arguments).drop_front()) {
    if (argument.value->isUnknown())
      return false;
    auto wrong = [&](const std::string &reason) {
      diagnostics.report(argument.range, diag::BadPairSizes, reason);
      return false;
    };
    if (argument.name == "imbalance") {
      const Quantity *factor = argument.value->getIf<Quantity>();
      if (!factor || !factor->dimension().isNumber() || factor->toDouble() < 1)
        return wrong("`imbalance` is a number from 1 on: what the busiest rank is sent over the "
                     "mean");
      op.setAttr("load", *factor);
    } else if (argument.name == "sizes") {
      ir::AttrList numbers;
      if (!argument.value->is<Value::List>() || !numbersOf(*argument.value, numbers) ||
          numbers.empty())
        return wrong("`sizes` is a row for each rank of what it sends to each: [[0, 2], [1, 0]]");
      op.setAttr("sizes", std::move(numbers));
    } else {
      return wrong("they are given as `imbalance = 1.5` or `sizes = [[0, 2], [1, 0]]`");
    }
  }
  return true;
}

Value GraphBuilder::applyCollective(const Instance &callee, SourceRange range) {
  bool hasSizes = callee.decl->name == "all_to_allv";
  if (callee.arguments.empty() || (callee.arguments.size() != 1 && !hasSizes)) {
    diagnostics.report(range, diag::TooManyArguments, callee.decl->name, counted(1, "argument"));
    return Value();
  }
  const Value &operand = *callee.arguments[0].value;
  if (operand.isUnknown())
    return Value();
  if (!operand.is<Tensor>()) {
    diagnostics.report(range, diag::NotATensor, callee.decl->name, operand.describe());
    return Value();
  }
  ir::Value &input = *values[operand.get<Tensor>().id];
  ir::Operation *op = context.builder.create(*region, "op.collective", range);
  op->setAttr("kind", callee.decl->name);
  op->addOperand(input);
  collectives.push_back(op);
  if (!pairSizes(callee, *op))
    return Value();
  return tensorOf(op->addResult(input.type()));
}

void GraphBuilder::lineAlgorithm(const ast::Clause &with, size_t firstCollective,
                                 const Scope &scope) {
  auto wrong = [&](SourceRange where, const std::string &reason) {
    diagnostics.report(where, diag::NoAlgorithmHere, reason);
  };
  if (with.args.size() != 1)
    return wrong(with.wordRange, "it names one algorithm");
  SourceRange where = with.args[0].value->range;
  Value value = context.evaluator.evaluate(*with.args[0].value, scope);
  if (value.isUnknown())
    return;
  const Instance *instance = value.getIf<Instance>();
  if (!instance || instance->decl->kind != DeclKind::Algorithm)
    return wrong(where, value.describe() + " is no algorithm");
  std::string name = isInNetwork(*instance) ? inNetworkAlgorithm.str() : value.text();
  auto [known, isNew] = context.lineAlgorithms.try_emplace(name, *instance);
  if (!isNew && known->second.decl != instance->decl) {
    name += " of " + instance->decl->module->name;
    context.lineAlgorithms.try_emplace(name, *instance);
  }
  bool found = false;
  for (size_t i = firstCollective; i < collectives.size(); ++i)
    if (collectives[i]->parentRegion() == region) {
      collectives[i]->setAttr("algorithm", name);
      found = true;
    }
  if (!found)
    wrong(where, "no collective stands here; the statement chooses for the workloads it calls");
}
