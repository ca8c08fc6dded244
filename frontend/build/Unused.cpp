// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/Unused.h"

#include "ir/common/diagnostics/Ops.h"
#include "ir/op/OpOps.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;

//===-- Of an op ----------------------------------------------------------------------------===//

void perfc::dropUnused(std::vector<OpStatement> &statements,
                       llvm::function_ref<bool(llvm::StringRef)> isResult) {
  llvm::StringSet<> used;
  llvm::SmallVector<const OpStatement *, 4> unused;
  for (OpStatement &statement : llvm::reverse(statements)) {
    llvm::StringRef target = statement.write.tensor;
    if (!isResult(target) && !used.count(target)) {
      unused.push_back(&statement);
      continue;
    }
    for (const OpAccess &read : statement.reads)
      used.insert(read.tensor);
  }
  for (const OpStatement *statement : unused) // from the last one on
    statements.erase(statements.begin() + (statement - statements.data()));
}

//===-- As it is written --------------------------------------------------------------------===//

namespace {

/// What the body of an op or a workload names, in all branches.
struct NamesOfBody {
  /// A target with the names on its right.
  struct Equation {
    llvm::StringRef target;
    SourceRange range;
    llvm::StringSet<> names;
  };

  explicit NamesOfBody(const ast::Body &body) { visit(body); }
  void visit(const ast::Body &body);

  std::vector<Equation> equations;
  llvm::StringSet<> others; ///< in lines that are no equations
};

} // namespace

static void collectNames(const ast::Expr &expr, llvm::StringSet<> &names);

static void collectNames(llvm::ArrayRef<ast::Arg> args, llvm::StringSet<> &names) {
  for (const ast::Arg &arg : args)
    for (const ast::Expr *expr : {arg.value, arg.assigned})
      if (expr)
        collectNames(*expr, names);
}

static void collectNames(const ast::Expr &expr, llvm::StringSet<> &names) {
  if (expr.kind == ast::ExprKind::Name)
    names.insert(expr.text);
  for (const ast::Expr *operand : expr.operands)
    collectNames(*operand, names);
  collectNames(expr.args, names);
}

void NamesOfBody::visit(const ast::Body &body) {
  for (const ast::Item *item : body.items) {
    bool isEquation = item->kind == ast::ItemKind::Equation;
    if (!isEquation && item->word == "draw")
      continue; // which reads nothing
    if (isEquation)
      equations.push_back({item->word, item->target->range, {}});
    llvm::StringSet<> &names = isEquation ? equations.back().names : others;
    if (item->value)
      collectNames(*item->value, names);
    if (isEquation)
      collectNames(item->target->args, names); // a mistake there is told, and is a use
    collectNames(item->args, names);
    for (const ast::Body *inner : {item->block, item->otherwise})
      if (inner)
        visit(*inner);
  }
}

namespace {

/// A tensor in the signature, with the names of its extents.
struct NamedTensor {
  llvm::StringRef name;
  SourceRange range;
  llvm::StringSet<> extents;
};

} // namespace

static std::vector<NamedTensor> tensorsIn(llvm::ArrayRef<ast::Arg> args) {
  std::vector<NamedTensor> tensors;
  for (const ast::Arg &arg : args) {
    const ast::Expr &expr = *arg.value;
    if (expr.kind != ast::ExprKind::Index || expr.operands[0]->kind != ast::ExprKind::Name)
      continue;
    tensors.push_back({expr.operands[0]->text, expr.range, {}});
    collectNames(expr.args, tensors.back().extents);
  }
  return tensors;
}

/// True where some extent of `tensors[at]` is of no other.
static bool givesExtent(llvm::ArrayRef<NamedTensor> tensors, size_t at) {
  return llvm::any_of(tensors[at].extents, [&](const auto &extent) {
    for (size_t other = 0; other < tensors.size(); ++other)
      if (other != at && tensors[other].extents.count(extent.first()))
        return false;
    return true;
  });
}

static void warnNeverRead(llvm::ArrayRef<NamedTensor> arguments, const NamesOfBody &body,
                          const llvm::StringSet<> &results, DiagnosticEngine &diagnostics) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef name = arguments[i].name;
    bool isRead = results.count(name) || body.others.count(name) ||
                  llvm::any_of(body.equations, [&](const NamesOfBody::Equation &equation) {
                    return equation.names.count(name) != 0;
                  });
    if (!isRead && !givesExtent(arguments, i))
      diagnostics.report(arguments[i].range, diag::NeverRead, name);
  }
}

/// `used` begins with the results.
static void warnNeverUsed(const NamesOfBody &body, llvm::StringSet<> used,
                          DiagnosticEngine &diagnostics) {
  for (const NamesOfBody::Equation &equation : llvm::reverse(body.equations))
    if (used.count(equation.target))
      for (const auto &name : equation.names)
        used.insert(name.first());
  for (const NamesOfBody::Equation &equation : body.equations)
    if (used.insert(equation.target).second)
      diagnostics.report(equation.range, diag::NeverUsed, equation.target);
}

void perfc::warnUnused(const Decl &decl, DiagnosticEngine &diagnostics) {
  if (!decl.item->block)
    return;
  const ast::Expr &head = *decl.item->args[0].value;
  NamesOfBody body(*decl.item->block);
  llvm::StringSet<> results;
  for (const ast::Arg &result : decl.item->results)
    results.insert(result.value->kind == ast::ExprKind::Index ? result.value->operands[0]->text
                                                              : result.value->text);
  if (head.kind == ast::ExprKind::Call)
    warnNeverRead(tensorsIn(head.args), body, results, diagnostics);
  if (decl.kind == DeclKind::Op)
    warnNeverUsed(body, std::move(results), diagnostics);
}

//===-- Of the graph of a workload ----------------------------------------------------------===//

namespace {
class UnusedTensors {
public:
  explicit UnusedTensors(BuildContext &context) : context(context) {}

  /// From the last operation to the first: what an operation uses stands before it.
  void visit(ir::Region &region);

private:
  bool hasEffect(const ir::Operation &op);
  bool graphHasEffect(const ir::Operation &graph);
  bool isKept(const ir::Operation &op);
  void warn(const ir::Operation &op);

  BuildContext &context;
  llvm::DenseSet<const ir::Value *> used;
  llvm::DenseMap<const ir::Operation *, bool> effects; ///< by graph
};
} // namespace

/// True for collectives and updates of caches, and for what runs some of these.
bool UnusedTensors::hasEffect(const ir::Operation &op) {
  bool found = false;
  op.walk([&](const ir::Operation &inner) {
    if (found)
      return;
    if (auto apply = ir::as<op::ApplyOp>(inner))
      found = llvm::any_of(context.kernels.find(apply.kernel())->second.tensors,
                           [](const OpTensor &tensor) { return tensor.inPlace; });
    else if (inner.is(op::CallOp::opName))
      found = graphHasEffect(*context.module.lookup(inner.symbolAttr("graph")));
    else
      found = inner.is(op::CollectiveOp::opName);
  });
  return found;
}

/// Each graph is looked at once, however often graphs call each other.
bool UnusedTensors::graphHasEffect(const ir::Operation &graph) {
  if (auto known = effects.find(&graph); known != effects.end())
    return known->second;
  bool found = hasEffect(graph);
  effects[&graph] = found;
  return found;
}

bool UnusedTensors::isKept(const ir::Operation &op) {
  if (op.resultCount() == 0) // op.return, op.yield
    return true;
  for (size_t i = 0; i < op.resultCount(); ++i)
    if (used.count(&op.result(i)))
      return true;
  return hasEffect(op);
}

/// A call inside of another has no name and goes with that. A workload that runs again, with other
/// arguments, was warned of.
void UnusedTensors::warn(const ir::Operation &op) {
  auto isKnown = [&](const Diagnostic &known) {
    return known.kind->code == diag::NeverUsed.code && known.range == op.range();
  };
  for (size_t i = 0; i < op.resultCount(); ++i) {
    llvm::StringRef name = op.result(i).hint();
    if (name.empty() || op.stringAttr("label") == name) // of an op that is called without it
      continue;
    if (llvm::none_of(context.diagnostics.all(), isKnown))
      context.diagnostics.report(op.range(), diag::NeverUsed, name);
    return;
  }
}

void UnusedTensors::visit(ir::Region &region) {
  std::vector<ir::Operation *> operations;
  for (ir::Operation &op : region)
    operations.push_back(&op);
  for (ir::Operation *op : llvm::reverse(operations)) {
    if (!isKept(*op)) {
      warn(*op);
      op->erase();
      continue;
    }
    for (const ir::Value *operand : op->operands())
      used.insert(operand);
    if (op->is(op::RepeatOp::opName))
      visit(op->body());
  }
}

void perfc::dropUnused(BuildContext &context, ir::Region &graph) {
  UnusedTensors(context).visit(graph);
}
