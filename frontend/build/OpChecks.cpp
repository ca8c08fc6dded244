// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/OpChecks.h"

#include "ir/common/Rational.h"
#include "ir/op/Positions.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;

static bool namesIndex(const OpAccess &access, llvm::StringRef index) {
  return llvm::any_of(access.map,
                      [&](const auto &map) { return map && map->coefficient(index) != 0; });
}

static bool namesIndex(const OpStatement &statement, llvm::StringRef index) {
  return namesIndex(statement.write, index) ||
         llvm::any_of(statement.reads,
                      [&](const OpAccess &read) { return namesIndex(read, index); });
}

bool perfc::conditionsApply(llvm::ArrayRef<OpStatement> statements,
                            llvm::ArrayRef<AffineExpr> conditions,
                            llvm::ArrayRef<SourceRange> ranges, DiagnosticEngine &diagnostics) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    llvm::ArrayRef<AffineExpr::Term> terms = conditions[i].terms();
    auto namesAll = [&](const OpStatement &statement) {
      return llvm::all_of(
          terms, [&](const AffineExpr::Term &term) { return namesIndex(statement, term.name); });
    };
    if (llvm::any_of(statements, namesAll))
      continue;
    std::vector<std::string> names;
    for (const AffineExpr::Term &term : terms)
      names.push_back("`" + term.name + "`");
    diagnostics.report(
        ranges[i], diag::ConditionWithoutEquation,
        fmt::format("{}{}", fmt::join(names, " and "), names.size() > 1 ? " together" : ""));
    return false;
  }
  return true;
}

//===-- Writes
//---------------------------------------------------------------------------------===//

/// True where several points surely write one element: of a rank whose indices are in no other, the
/// positions are fewer than the settings of its indices.
static bool collides(const OpStatement &statement) {
  ir::AttrDict domain;
  llvm::StringMap<unsigned> uses;
  for (const auto &[index, extent] : statement.domain)
    domain.set(index, extent);
  for (const auto &map : statement.write.map)
    for (const AffineExpr::Term &term : map ? map->terms() : llvm::None)
      ++uses[term.name];
  for (const auto &map : statement.write.map) {
    if (!map || llvm::any_of(map->terms(), [&](auto &term) { return uses[term.name] > 1; }))
      continue;
    auto extent = [&](llvm::StringRef index) { return domain.find(index)->asInt(); };
    llvm::Optional<int64_t> points = 1;
    for (const AffineExpr::Term &term : map->terms())
      if (points)
        points = checkedMultiply(*points, extent(term.name));
    auto range = bounds(*map, extent);
    llvm::Optional<AffineExpr> fromZero = range ? add(*map, -range->low) : llvm::None;
    llvm::Optional<int64_t> size = range ? checkedAdd(range->high, 1 - range->low) : llvm::None;
    if (points && fromZero && size && op::touchedPositions(*fromZero, domain, *size) < *points)
      return true;
  }
  return false;
}

/// True where `later` sets the elements that `earlier` has set, without a look at them.
static bool overwrites(const OpStatement &later, const OpStatement &earlier) {
  auto readsIt = [&](const OpAccess &read) { return read.tensor == later.write.tensor; };
  return later.reduce.empty() && later.write.tensor == earlier.write.tensor &&
         later.write.map == earlier.write.map && later.constraints == earlier.constraints &&
         llvm::none_of(later.reads, readsIt);
}

bool perfc::writesOnce(llvm::ArrayRef<OpStatement> statements, DiagnosticEngine &diagnostics) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const OpStatement &statement = statements[i];
    bool isSum = !statement.reduce.empty();
    if (!isSum && statement.constraints.empty() && collides(statement)) {
      diagnostics.report(statement.range, diag::WrittenTwice, statement.write.tensor)
          .help("`+=` adds up what comes to one element");
      return false;
    }
    for (const OpStatement &earlier : statements.take_front(i))
      if (overwrites(statement, earlier)) {
        diagnostics.report(statement.range, diag::WrittenTwice, statement.write.tensor)
            .note(earlier.range, "they are written here already")
            .help("`+=` adds to what is there");
        return false;
      }
  }
  return true;
}

//===-- What is not used
//-----------------------------------------------------------------------===//

void perfc::dropUnused(std::vector<OpStatement> &statements,
                       llvm::function_ref<bool(llvm::StringRef)> isResult) {
  llvm::StringSet<> used;
  std::vector<OpStatement> kept;
  for (OpStatement &statement : llvm::reverse(statements)) {
    llvm::StringRef target = statement.write.tensor;
    if (!isResult(target) && !used.count(target))
      continue;
    for (const OpAccess &read : statement.reads)
      used.insert(read.tensor);
    kept.push_back(std::move(statement));
  }
  statements.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

namespace {

/// The equations of an op as text, those of all branches: each target with the names on its right.
struct NamedEquation {
  llvm::StringRef target;
  SourceRange range;
  llvm::StringSet<> names;
};

} // namespace

static void collectNames(const ast::Expr &expr, llvm::StringSet<> &names) {
  if (expr.kind == ast::ExprKind::Name)
    names.insert(expr.text);
  for (const ast::Expr *operand : expr.operands)
    collectNames(*operand, names);
  for (const ast::Arg &arg : expr.args)
    collectNames(*arg.value, names);
}

static void collectEquations(const ast::Body &body, std::vector<NamedEquation> &equations) {
  for (const ast::Item *item : body.items) {
    if (item->kind == ast::ItemKind::Equation) {
      NamedEquation equation{item->word, item->target->range, {}};
      collectNames(*item->value, equation.names);
      equations.push_back(std::move(equation));
    }
    for (const ast::Body *inner : {item->block, item->otherwise})
      if (inner)
        collectEquations(*inner, equations);
  }
}

/// The tensors in a list of the signature, with the names of their extents.
static std::vector<std::pair<const ast::Expr *, llvm::StringSet<>>>
tensorsIn(llvm::ArrayRef<ast::Arg> args) {
  std::vector<std::pair<const ast::Expr *, llvm::StringSet<>>> tensors;
  for (const ast::Arg &arg : args) {
    if (arg.value->kind != ast::ExprKind::Index ||
        arg.value->operands[0]->kind != ast::ExprKind::Name)
      continue;
    llvm::StringSet<> extents;
    for (const ast::Arg &rank : arg.value->args)
      collectNames(*rank.value, extents);
    tensors.push_back({arg.value, std::move(extents)});
  }
  return tensors;
}

void perfc::warnUnused(const Decl &op, DiagnosticEngine &diagnostics) {
  const ast::Expr &head = *op.item->args[0].value;
  if (!op.item->block)
    return;
  std::vector<NamedEquation> equations;
  collectEquations(*op.item->block, equations);
  auto results = tensorsIn(op.item->results);
  auto arguments =
      tensorsIn(head.kind == ast::ExprKind::Call ? head.args : llvm::ArrayRef<ast::Arg>());
  llvm::StringSet<> read, live;
  for (const NamedEquation &equation : equations)
    for (const auto &name : equation.names)
      read.insert(name.first());
  for (const auto &result : results)
    live.insert(result.first->operands[0]->text);
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef name = arguments[i].first->operands[0]->text;
    auto hasAlone = [&](const auto &extent) {
      for (size_t other = 0; other < arguments.size(); ++other)
        if (other != i && arguments[other].second.count(extent.first()))
          return false;
      return true;
    };
    bool givesExtent = llvm::any_of(arguments[i].second, hasAlone);
    if (!read.count(name) && !live.count(name) && !givesExtent)
      diagnostics.report(arguments[i].first->range, diag::NeverRead, name);
  }
  for (const NamedEquation &equation : llvm::reverse(equations))
    if (live.count(equation.target))
      for (const auto &name : equation.names)
        live.insert(name.first());
  for (const NamedEquation &equation : equations)
    if (!live.count(equation.target) && live.insert(equation.target).second)
      diagnostics.report(equation.range, diag::NeverUsed, equation.target);
}

//===-- Draws
//----------------------------------------------------------------------------------===//

/// Reads `from uniform` or `from zipf(1.1)`; false when it is neither, or unknown.
static bool readSpread(const ast::Expr &expr, const OpSignature &signature, Evaluator &evaluator,
                       OpDraw &draw) {
  if (expr.kind == ast::ExprKind::Name && expr.text == "uniform") {
    draw.kind = "uniform";
    return true;
  }
  bool isZipf = expr.kind == ast::ExprKind::Call && expr.operands[0]->kind == ast::ExprKind::Name &&
                expr.operands[0]->text == "zipf" && expr.args.size() == 1 &&
                (expr.args[0].assign.empty() || expr.args[0].value->text == "theta");
  if (!isZipf)
    return false;
  const ast::Arg &arg = expr.args[0];
  Value theta = evaluator.evaluate(arg.assigned ? *arg.assigned : *arg.value, signature.scope);
  const Quantity *number = theta.getIf<Quantity>();
  if (theta.isUnknown())
    return true;
  if (!number || !number->dimension().isNumber() || number->sign() < 0)
    return false;
  draw.kind = "zipf";
  draw.theta = *number;
  return true;
}

static bool fillDraw(const ast::Item &item, OpSignature &signature, Evaluator &evaluator,
                     std::string &tensor, OpDraw &draw) {
  const ast::Expr *head = item.args.size() == 1 ? item.args[0].value : nullptr;
  const ast::Expr *name = head && head->kind == ast::ExprKind::Index ? head->operands[0] : head;
  const OpSlot *slot =
      name && name->kind == ast::ExprKind::Name ? signature.findSlot(name->text) : nullptr;
  if (!slot || !slot->isArgument)
    return false;
  tensor = slot->name.str();
  bool isSpread = false;
  for (const ast::Clause &clause : item.clauses) {
    const ast::Expr *value = clause.args.size() == 1 ? clause.args[0].value : nullptr;
    if (value && clause.word == "from") {
      isSpread = readSpread(*value, signature, evaluator, draw);
    } else if (value && clause.word == "distinct" && head != name &&
               head->args.size() == slot->ranks.size()) {
      for (size_t rank = 0; rank < head->args.size(); ++rank)
        if (head->args[rank].value->kind == ast::ExprKind::Name &&
            head->args[rank].value->text == value->text)
          draw.distinct = rank;
      if (!draw.distinct)
        return false;
    } else {
      return false;
    }
  }
  return isSpread;
}

bool perfc::readDraw(const ast::Item &item, OpSignature &signature, Evaluator &evaluator,
                     llvm::StringMap<OpDraw> &draws) {
  OpDraw draw;
  std::string tensor;
  if (fillDraw(item, signature, evaluator, tensor, draw)) {
    draws[tensor] = std::move(draw);
    return true;
  }
  evaluator.diagnostics.report(item.range, diag::BadDraw)
      .help("such as `draw ids from zipf(1.1)` or `draw choice[b, t, k] from uniform distinct k`, "
            "where the values along `k` differ");
  return false;
}
