// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/op/OpRules.h"

#include "ir/op/OpOps.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace perfc;
using namespace perfc::ir;

bool op::verifyOperand(const Operation &op, DiagnosticEngine &diagnostics) {
  return parseDType(op.stringAttr("dtype")) ||
         invalidOp(op, diagnostics, "dtype is no number format");
}

//===-- Statements
//-----------------------------------------------------------------------------===//

/// Reports indices of `expr` that the domain does not have.
static bool checkIndices(const Operation &op, const AffineExpr &expr,
                         DiagnosticEngine &diagnostics) {
  for (const AffineExpr::Term &term : expr.terms())
    if (!op.dictAttr("domain").find(term.name))
      return invalidOp(op, diagnostics, "`" + term.name + "` is no index of the domain");
  return true;
}

static bool checkAccess(const Operation &op, const AttrDict &access,
                        DiagnosticEngine &diagnostics) {
  const Attribute *tensor = access.find("tensor");
  const Attribute *map = access.find("map");
  if (access.size() != 2 || !tensor || !tensor->is(AttrKind::String) || !map ||
      !map->is(AttrKind::List))
    return invalidOp(op, diagnostics, "an access is {tensor = \"name\", map = [subscripts]}");
  const Operation *operand = op.parentRegion()->find(tensor->asString());
  if (!operand)
    return invalidOp(op, diagnostics,
                     "the kernel has no tensor `" + tensor->asString().str() + "`");
  size_t ranks = operand->listAttr("shape").size();
  if (map->asList().size() != ranks)
    return invalidOp(op, diagnostics,
                     fmt::format("`{}` has {}, not {}", tensor->asString(), counted(ranks, "rank"),
                                 map->asList().size()));
  for (const Attribute &subscript : map->asList()) {
    bool unknown = subscript.is(AttrKind::String) && subscript.asString() == "any";
    if (!unknown && !subscript.fits(AttrKind::Affine))
      return invalidOp(op, diagnostics, "a subscript is an affine expression or \"any\"");
    if (!unknown && !checkIndices(op, subscript.asAffine(), diagnostics))
      return false;
  }
  return true;
}

/// An operand of a right side; a list may begin with its operator.
static bool isOperand(const Attribute &operand, size_t reads) {
  if (operand.is(AttrKind::Dict)) {
    const Attribute *read = operand.asDict().find("read");
    return operand.asDict().size() == 1 && read && read->is(AttrKind::Int) && read->asInt() >= 0 &&
           static_cast<size_t>(read->asInt()) < reads;
  }
  if (!operand.is(AttrKind::List))
    return operand.fits(AttrKind::Quantity);
  llvm::ArrayRef<Attribute> parts = operand.asList();
  bool hasOperator = !parts.empty() && parts.front().is(AttrKind::String);
  if (hasOperator)
    parts = parts.drop_front();
  return (hasOperator ? !parts.empty() : parts.size() == 1) &&
         llvm::all_of(parts, [&](const Attribute &part) { return isOperand(part, reads); });
}

bool op::verifyStatement(const Operation &op, DiagnosticEngine &diagnostics) {
  if (!checkAccess(op, op.dictAttr("write"), diagnostics))
    return false;
  for (const Attribute &read : op.listAttr("reads"))
    if (!checkAccess(op, read.asDict(), diagnostics))
      return false;
  if (const Attribute *value = op.attr("value");
      value && !isOperand(*value, op.listAttr("reads").size()))
    return invalidOp(op, diagnostics,
                     "value is [operator, operands…], of numbers, {read = i} and such lists");
  for (const AffineExpr &condition : as<StatementOp>(op).constraints())
    if (!checkIndices(op, condition, diagnostics))
      return false;
  return true;
}

//===-- Graphs
//---------------------------------------------------------------------------------===//

bool op::verifyApply(const Operation &op, DiagnosticEngine &diagnostics) {
  const Operation *kernel = resolve(op, op.symbolAttr("kernel"));
  size_t tensors = 0;
  for (const Operation &part : kernel->body())
    tensors += part.is(OperandOp::opName);
  if (op.operandCount() > tensors || op.resultCount() > tensors)
    return invalidOp(op, diagnostics, "the kernel has " + counted(tensors, "tensor"));
  return true;
}

/// Compares the types of two lists of values; `first` and `second` say what one is.
template <typename Types>
static bool sameTypes(const Operation &op, Types a, size_t countA, Types b, size_t countB,
                      const char *first, const char *second, DiagnosticEngine &diagnostics) {
  if (countA != countB)
    return invalidOp(op, diagnostics,
                     fmt::format("{} but {}", counted(countA, first), counted(countB, second)));
  for (size_t i = 0; i < countA; ++i)
    if (a(i) != b(i))
      return invalidOp(op, diagnostics,
                       fmt::format("{0} {1} is `{2}`, but {3} {1} is `{4}`", first, i + 1,
                                   a(i).text(), second, b(i).text()));
  return true;
}

using TypeOf = llvm::function_ref<const Type &(size_t)>;

/// The last operation of `region` when it is a `name`, else null.
static const Operation *lastNamed(const Region &region, llvm::StringRef name) {
  return !region.empty() && region.back().is(name) ? &region.back() : nullptr;
}

bool op::verifyCall(const Operation &op, DiagnosticEngine &diagnostics) {
  const Operation *graph = resolve(op, op.symbolAttr("graph"));
  auto operand = [&](size_t i) -> const Type & { return op.operand(i).type(); };
  auto argument = [&](size_t i) -> const Type & { return graph->body().argument(i).type(); };
  if (!sameTypes<TypeOf>(op, argument, graph->body().argumentCount(), operand, op.operandCount(),
                         "graph argument", "operand", diagnostics))
    return false;
  const Operation *end = lastNamed(graph->body(), ReturnOp::opName);
  if (!end)
    return true; // reported at the graph
  auto returned = [&](size_t i) -> const Type & { return end->operand(i).type(); };
  auto result = [&](size_t i) -> const Type & { return op.result(i).type(); };
  return sameTypes<TypeOf>(op, returned, end->operandCount(), result, op.resultCount(),
                           "returned value", "result", diagnostics);
}

/// True when following calls from `from` leads to `graph`. Calls may not be verified yet.
static bool callsLeadTo(const Operation &from, const Operation &graph,
                        llvm::SmallPtrSetImpl<const Operation *> &seen) {
  bool found = false;
  from.walk([&](const Operation &call) {
    const Attribute *name = call.is(op::CallOp::opName) ? call.attr("graph") : nullptr;
    if (found || !name || !name->is(AttrKind::Symbol))
      return;
    const Operation *callee = resolve(call, name->asSymbol());
    if (!callee || !callee->is(op::GraphOp::opName))
      return;
    found = callee == &graph || (seen.insert(callee).second && callsLeadTo(*callee, graph, seen));
  });
  return found;
}

bool op::verifyGraph(const Operation &op, DiagnosticEngine &diagnostics) {
  llvm::SmallPtrSet<const Operation *, 8> seen;
  if (callsLeadTo(op, op, seen))
    return invalidOp(op, diagnostics, "a graph cannot call itself");
  return lastNamed(op.body(), ReturnOp::opName) ||
         invalidOp(op, diagnostics, "a graph ends with `op.return`");
}

bool op::verifyFused(const Operation &op, DiagnosticEngine &diagnostics) {
  const Region &body = op.body();
  const Operation *end = lastNamed(body, YieldOp::opName);
  if (!end)
    return invalidOp(op, diagnostics, "the region ends with `op.yield`");
  auto operand = [&](size_t i) -> const Type & { return op.operand(i).type(); };
  auto argument = [&](size_t i) -> const Type & { return body.argument(i).type(); };
  auto yielded = [&](size_t i) -> const Type & { return end->operand(i).type(); };
  auto result = [&](size_t i) -> const Type & { return op.result(i).type(); };
  return sameTypes<TypeOf>(op, operand, op.operandCount(), argument, body.argumentCount(),
                           "operand", "region argument", diagnostics) &&
         sameTypes<TypeOf>(op, yielded, end->operandCount(), result, op.resultCount(),
                           "yielded value", "result", diagnostics);
}

bool op::verifyRepeat(const Operation &op, DiagnosticEngine &diagnostics) {
  if (!verifyFused(op, diagnostics))
    return false;
  auto operand = [&](size_t i) -> const Type & { return op.operand(i).type(); };
  auto result = [&](size_t i) -> const Type & { return op.result(i).type(); };
  return sameTypes<TypeOf>(op, operand, op.operandCount(), result, op.resultCount(), "operand",
                           "result", diagnostics);
}

bool op::verifyLast(const Operation &op, DiagnosticEngine &diagnostics) {
  return &op.parentRegion()->back() == &op ||
         invalidOp(op, diagnostics, "nothing may stand behind it");
}
