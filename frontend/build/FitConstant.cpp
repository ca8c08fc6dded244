// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constant that a dotted name leads to, and how its values are written.
#include "frontend/build/FitConstant.h"

#include "ir/common/Written.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;

//===-- Where it stands
//----------------------------------------------------------------------------===//

/// The names of `a.b.c`; nothing for another expression.
static llvm::Optional<std::vector<llvm::StringRef>> namesOf(const ast::Expr &expr) {
  if (expr.kind == ast::ExprKind::Name)
    return std::vector<llvm::StringRef>{expr.text};
  auto outer = expr.kind == ast::ExprKind::Member ? namesOf(*expr.operands[0]) : llvm::None;
  if (outer)
    outer->push_back(expr.text);
  return outer;
}

namespace {

using PartNames = llvm::SmallVector<llvm::StringRef, 4>;

/// Follows a dotted name.
class ConstantFinder {
public:
  ConstantFinder(Evaluator &evaluator, const ast::Expr &path, const Scope &scope)
      : evaluator(evaluator), path(path), scope(scope) {
    constant.path = evaluator.program.sourceManager().text(path.range).str();
  }

  std::vector<FitConstant> find();

private:
  llvm::Optional<FitConstant> find(llvm::ArrayRef<llvm::StringRef> rest);
  const Decl *declaration(llvm::ArrayRef<llvm::StringRef> &names);
  bool enter(llvm::StringRef name);
  bool enterRecord(llvm::StringRef name);
  bool isNotThere(llvm::StringRef name);
  bool valueOf(llvm::ArrayRef<ast::Arg> args);
  bool fail(const std::string &problem, std::string help = "");

  Evaluator &evaluator;
  const ast::Expr &path;
  const Scope &scope;
  FitConstant constant;
};

} // namespace

bool ConstantFinder::fail(const std::string &problem, std::string help) {
  Diagnostic &report =
      evaluator.diagnostics.report(path.range, diag::NotAConstant, constant.path, problem);
  if (!help.empty())
    report.help(std::move(help));
  return false;
}

/// The declaration that the first of `names` are, which are taken off.
const Decl *ConstantFinder::declaration(llvm::ArrayRef<llvm::StringRef> &names) {
  NameResult found = evaluator.program.lookup(scope.file(), names.front());
  const Decl *decl = found.decl;
  size_t taken = 1;
  if (!decl && found.alias && names.size() > 1) {
    const Decl *inner = evaluator.program.find(*found.alias, names[1]);
    if (inner && !inner->isPrivate())
      decl = inner;
    taken = 2;
  }
  names = names.drop_front(decl ? taken : 0);
  if (decl)
    return decl;
  Diagnostic &report =
      evaluator.diagnostics.report(path.range, diag::NotAConstant, constant.path,
                                   fmt::format("there is no `{}` here", names.front()));
  report.suggest(names.front(), evaluator.program.visibleNames(scope.file()),
                 evaluator.program.importHint(scope.file(), names.front()));
  return nullptr;
}

llvm::StringRef perfc::partName(const ast::Item &item) {
  if (item.kind != ast::ItemKind::Line || item.args.empty() ||
      (!item.block && item.clauses.empty()))
    return "";
  const ast::Expr *head = item.args[0].value;
  if (head->kind == ast::ExprKind::Index) // with the extents of an array
    head = head->operands[0];
  return head->kind == ast::ExprKind::Name ? head->text : "";
}

/// The line of `body` whose word, or the name behind it, this is; null when there is none, `isOnly`
/// false when there are several.
static const ast::Item *lineOf(const ast::Body &body, llvm::StringRef name, bool &isOnly) {
  const ast::Item *found = nullptr;
  isOnly = true;
  for (const ast::Item *item : body.items) {
    if (item->kind != ast::ItemKind::Line || (item->word != name && partName(*item) != name))
      continue;
    isOnly &= found == nullptr;
    found = item;
  }
  return found;
}

/// The expression that is given as `name = …` among `args`; null where none is.
static const ast::Expr *argumentCalled(llvm::ArrayRef<ast::Arg> args, llvm::StringRef name) {
  for (const ast::Arg &arg : args)
    if (arg.assign == "=" && arg.value->kind == ast::ExprKind::Name && arg.value->text == name)
      return arg.assigned;
  return nullptr;
}

/// The argument of that name of what `decl` is made `from`; null where there is none.
static const ast::Expr *argumentOfBase(const Decl &decl, llvm::StringRef name) {
  for (const ast::Clause &clause : decl.item->clauses)
    if (clause.word == "from" && !clause.args.empty() &&
        clause.args[0].value->kind == ast::ExprKind::Call)
      return argumentCalled(clause.args[0].value->args, name);
  return nullptr;
}

/// What the name is missing from takes it from somewhere else, or has none.
bool ConstantFinder::isNotThere(llvm::StringRef name) {
  const Decl &decl = *constant.decl;
  for (const ast::Clause &clause : decl.item->clauses)
    if (clause.word == "from" && !clause.args.empty()) {
      llvm::StringRef base =
          evaluator.program.sourceManager().text(clause.args[0].value->range).split('(').first;
      return fail(fmt::format("`{}` has no `{}` of its own", decl.name, name),
                  fmt::format("it takes what `{}` has", base));
    }
  return fail(fmt::format("`{}` has no `{}`", decl.name, name));
}

/// Goes to a member of the record that stands there.
bool ConstantFinder::enterRecord(llvm::StringRef name) {
  bool isRecord = constant.place->kind == ast::ExprKind::Tuple;
  const ast::Expr *member = isRecord ? argumentCalled(constant.place->args, name) : nullptr;
  if (!member)
    return fail(fmt::format("nothing stands in it: `{}`", name));
  constant.place = member;
  return true;
}

/// Goes one name further.
bool ConstantFinder::enter(llvm::StringRef name) {
  if (constant.place)
    return enterRecord(name);
  const ast::Item &around = constant.lines.empty() ? *constant.decl->item : *constant.lines.back();
  bool isOnly = true;
  const ast::Item *line = around.block ? lineOf(*around.block, name, isOnly) : nullptr;
  if (!isOnly)
    return fail(fmt::format("several lines are called `{}`", name),
                "a `let` that they have in common can be fitted");
  if (line) {
    constant.lines.push_back(line);
    return true;
  }
  if (const ast::Expr *argument =
          constant.lines.empty() ? argumentOfBase(*constant.decl, name) : nullptr) {
    constant.place = argument;
    return true;
  }
  auto clause = constant.lines.empty()
                    ? around.clauses.end()
                    : llvm::find_if(around.clauses,
                                    [&](const ast::Clause &each) { return each.word == name; });
  if (clause == around.clauses.end())
    return isNotThere(name);
  constant.clause = clause->word;
  return valueOf(clause->args);
}

bool ConstantFinder::valueOf(llvm::ArrayRef<ast::Arg> args) {
  if (args.size() != 1 || !args[0].assign.empty())
    return fail("it is no single value");
  constant.place = args[0].value;
  return true;
}

/// The names behind each `*` of `rest` in `body` by which its last name is there, each after
/// `taken`.
static void expand(const ast::Body *body, llvm::ArrayRef<llvm::StringRef> rest,
                   const PartNames &taken, std::vector<PartNames> &found) {
  for (const ast::Item *item : body ? body->items : llvm::ArrayRef<ast::Item *>()) {
    llvm::StringRef name = partName(*item);
    if (name.empty() || rest.size() == 1)
      name = item->word;
    if (rest[0] != name && (rest[0] != "*" || name == item->word))
      continue;
    PartNames names = taken;
    names.push_back(name);
    if (rest.size() == 1)
      found.push_back(std::move(names));
    else
      expand(item->block, rest.drop_front(), names, found);
  }
}

llvm::Optional<FitConstant> ConstantFinder::find(llvm::ArrayRef<llvm::StringRef> rest) {
  for (llvm::StringRef name : rest)
    if (!enter(name))
      return llvm::None;
  if (!constant.place && constant.lines.empty()) {
    fail(fmt::format("it is {} {}", declKindName(constant.decl->kind), constant.decl->name));
    return llvm::None;
  }
  if (!constant.place && !valueOf(constant.lines.back()->args))
    return llvm::None;
  Value value = evaluator.evaluate(*constant.place, Scope(*constant.decl->module));
  const Quantity *quantity = value.getIf<Quantity>();
  if (!quantity) {
    if (!value.isUnknown())
      fail("its value is " + value.describe());
    return llvm::None;
  }
  constant.written = quantity->toDouble();
  constant.dimension = quantity->dimension();
  return constant;
}

std::vector<FitConstant> ConstantFinder::find() {
  auto names = namesOf(path);
  if (!names) {
    fail("a constant is a dotted name, `my_gpu.launch`");
    return {};
  }
  llvm::ArrayRef<llvm::StringRef> rest = *names;
  constant.decl = declaration(rest);
  if (!constant.decl)
    return {};
  bool isLet = constant.decl->kind == DeclKind::Let || constant.decl->kind == DeclKind::Param;
  if (isLet)
    constant.place = constant.decl->value;
  std::vector<PartNames> all;
  bool isPattern = llvm::is_contained(rest, "*");
  if (isPattern)
    expand(constant.decl->item->block, rest, {}, all);
  else
    all.emplace_back(rest.begin(), rest.end());
  if (all.empty())
    fail(fmt::format("`{}` has no part that `*` could stand for", constant.decl->name));
  const FitConstant start = constant;
  std::vector<FitConstant> found;
  for (const PartNames &each : all) {
    constant = start;
    if (isPattern)
      constant.path = fmt::format("{}.{}", start.decl->name, fmt::join(each, "."));
    if (auto one = find(each))
      found.push_back(std::move(*one));
    else
      return {};
  }
  return found;
}

std::vector<FitConstant> perfc::findConstants(Evaluator &evaluator, const ast::Expr &path,
                                              const Scope &scope) {
  return ConstantFinder(evaluator, path, scope).find();
}

//===-- How it is written
//--------------------------------------------------------------------------===//

/// `value` with so many significant digits and no exponent.
static std::string digitsOf(double value, unsigned digits) {
  if (value == 0 || !std::isfinite(value))
    return fmt::format("{}", value);
  int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  int decimals = static_cast<int>(digits) - 1 - magnitude;
  if (decimals >= 0)
    return fmt::format("{:.{}f}", value, decimals);
  double step = std::pow(10, -decimals);
  return fmt::format("{:.0f}", std::round(value / step) * step);
}

/// The literal whose unit values of `place` are written in; null for none.
static const ast::Expr *literalOf(const ast::Expr &place) {
  if (place.kind == ast::ExprKind::Number)
    return &place;
  bool hasInterval = place.kind == ast::ExprKind::Binary && place.text == "+-";
  return hasInterval ? literalOf(*place.operands[0]) : nullptr;
}

std::string FitConstant::text(double value, unsigned digits) const {
  const ast::Expr *literal = literalOf(*place);
  llvm::StringRef unit, bad;
  if (literal)
    unit = literal->text.ltrim("0123456789._");
  // An exponent is no part of the unit.
  bool hasExponent = unit.size() > 1 && (unit[0] == 'e' || unit[0] == 'E') &&
                     (llvm::isDigit(unit[1]) || unit[1] == '-' || unit[1] == '+');
  llvm::Optional<Quantity> one =
      literal && !hasExponent ? parseNumber("1" + unit.str(), bad) : llvm::None;
  if (!one || one->dimension() != dimension || one->toDouble() == 0)
    return perfc::written(Quantity(Uncertain(value), dimension));
  return digitsOf(value / one->toDouble(), digits) + unit.str();
}
