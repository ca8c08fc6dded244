// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/OpSignature.h"

#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Ops.h"

using namespace perfc;

bool OpSlot::hasLeading() const {
  return llvm::any_of(ranks, [](const OpRank &rank) { return rank.leading; });
}

OpSlot *OpSignature::findSlot(llvm::StringRef name) {
  for (OpSlot &slot : slots)
    if (slot.name == name)
      return &slot;
  return nullptr;
}

static std::string roleOf(const ast::Expr &slot, bool isArgument) {
  if (slot.role && slot.role->kind == ast::ExprKind::Name)
    return slot.role->text.str();
  return isArgument ? "input" : "output";
}

bool OpSignature::readSlot(const ast::Arg &arg, bool isArgument) {
  const ast::Expr &expr = *arg.value;
  if (expr.kind != ast::ExprKind::Index || expr.operands[0]->kind != ast::ExprKind::Name) {
    if (isArgument)
      return true; // a number
    diagnostics.report(arg.range, diag::ResultNotTensor);
    return false;
  }
  llvm::StringRef name = expr.operands[0]->text;
  if (OpSlot *same = findSlot(name); same && !isArgument) {
    if (same->isResult)
      diagnostics.report(arg.range, diag::DuplicateDeclaration, name)
          .note(same->range, "the first declaration is here");
    if (expr.role)
      diagnostics.report(expr.role->range, diag::UnexpectedRole);
    same->isResult = true; // updated in place
    return true;
  }
  OpSlot slot{name,       roleOf(expr, isArgument), expr.range, {}, /*passed=*/nullptr, isArgument,
              !isArgument};
  static constexpr llvm::StringLiteral roles[] = {"input", "weight", "output", "intermediate",
                                                  "cache"};
  if (!llvm::is_contained(roles, slot.role)) {
    diagnostics.report(expr.role->range, diag::UnknownRole, slot.role)
        .help("the roles of arguments are `input` and `weight`");
    return false;
  }
  for (const ast::Arg &rank : expr.args) {
    OpRank entry;
    entry.byDefault = rank.assigned;
    entry.leading = rank.value->kind == ast::ExprKind::Ellipsis;
    if (rank.value->kind == ast::ExprKind::Name) {
      entry.extent = rank.value->text;
      if (!llvm::is_contained(extents, entry.extent) && !decl.findParameter(entry.extent))
        extents.push_back(entry.extent);
    } else if (!entry.leading) {
      entry.expr = rank.value;
    }
    slot.ranks.push_back(entry);
  }
  slots.push_back(std::move(slot));
  return true;
}

bool OpSignature::readSlots() {
  bool good = true;
  const ast::Expr &head = *decl.item->args[0].value;
  if (head.kind == ast::ExprKind::Call)
    for (const ast::Arg &arg : head.args)
      good &= readSlot(arg, /*isArgument=*/true);
  if (decl.item->results.empty()) {
    diagnostics.report(head.range.after(), diag::OpWithoutResult, decl.name);
    return false;
  }
  for (const ast::Arg &arg : decl.item->results)
    good &= readSlot(arg, /*isArgument=*/false);
  return good;
}

bool OpSignature::setExtent(llvm::StringRef extent, int64_t size, SourceRange where,
                            llvm::StringRef why) {
  if (const Value *known = scope.find(extent)) {
    const Quantity *value = known->getIf<Quantity>();
    if (!value || *value == Quantity(Rational(size)))
      return true;
    diagnostics.report(where, diag::ExtentConflict, extent, written(*value), size, why)
        .note(decl.nameRange, "`" + decl.name.str() + "` is declared here");
    return false;
  }
  if (size < 0) {
    diagnostics.report(where, diag::NegativeExtent, extent, size);
    return false;
  }
  scope.set(extent, Quantity(Rational(size)));
  return true;
}

bool OpSignature::bindDType(const Argument &argument) {
  const Value &value = *argument.value;
  auto parsed = evaluator.format(value, argument.range);
  dtype = parsed.getValueOr(dtype);
  return parsed.hasValue() || value.isUnknown();
}

bool OpSignature::bindExtent(const Argument &argument, llvm::StringRef name) {
  const Value &value = *argument.value;
  if (value.isUnknown()) {
    scope.set(name, Value());
    return open = true;
  }
  const Quantity *size = value.getIf<Quantity>();
  if (!size || !size->isInteger() || size->sign() <= 0 || !size->dimension().isExtent()) {
    diagnostics.report(argument.range, diag::BadExtent, name, written(value));
    return false;
  }
  scope.set(name, value);
  return true;
}

bool OpSignature::bindArgument(const Argument &argument, llvm::StringRef name) {
  const Value &value = *argument.value;
  if (OpSlot *slot = findSlot(name); slot && slot->isArgument) {
    if (value.isUnknown())
      return open = true;
    if (!value.is<Tensor>()) {
      auto &error = diagnostics.report(argument.range, diag::NotATensor, name, value.describe());
      if (value.is<Quantity>() && !extents.empty())
        error.help(fmt::format("sizes go by name: `{}({} = …)`", decl.name.str(),
                               fmt::join(extents, " = …, ")));
      return false;
    }
    slot->passed = value.getIf<Tensor>();
    return true;
  }
  if (name == "dtype" && !decl.findParameter("dtype"))
    return bindDType(argument);
  if (llvm::is_contained(extents, name))
    return bindExtent(argument, name);
  if (!decl.findParameter(name)) {
    auto &error = diagnostics.report(argument.range, diag::UnknownParameter, decl.name, name);
    std::vector<llvm::StringRef> candidates(extents);
    for (const Parameter &parameter : decl.parameters)
      candidates.push_back(parameter.name);
    error.suggest(name, candidates);
    error.note(decl.nameRange, "it is declared here");
    return false;
  }
  open |= value.isUnknown();
  scope.set(name, value);
  return true;
}

bool OpSignature::bindArguments() {
  bool good = true;
  size_t position = 0;
  for (const Argument &argument : instance.arguments) {
    if (argument.isMistaken) { // it was probably meant for one that is missing
      open = true;
      continue;
    }
    llvm::StringRef name = argument.name;
    if (name.empty() && position == decl.parameters.size()) {
      diagnostics.report(argument.range, diag::TooManyArguments, decl.name,
                         atMost(decl.parameters.size(), "argument"));
      return false;
    }
    if (!bindArgument(argument, name.empty() ? decl.parameters[position++].name : name)) {
      good = false;
      if (argument.name.empty()) // what stands behind is in the wrong place, too
        break;
    }
  }
  for (const OpSlot &slot : slots)
    if (slot.passed)
      good &= bindShape(slot);
  return bindParameters() && good;
}

/// Parameters that the call does not give: their defaults, where these are known already.
bool OpSignature::bindParameters() {
  bool good = true;
  for (const Parameter &parameter : decl.parameters) {
    if (findSlot(parameter.name) || scope.hasLocal(parameter.name))
      continue;
    if (!parameter.byDefault) {
      scope.set(parameter.name, Value());
      if (allowMissing)
        open = true;
      else
        diagnostics.report(instance.range, diag::MissingArgument, decl.name, parameter.name);
      good &= allowMissing;
      continue;
    }
    if (!dependsOnOpenExtent(*parameter.byDefault))
      scope.set(parameter.name, evaluator.evaluate(*parameter.byDefault, scope));
  }
  return good;
}

/// The first tensor that is passed says what `...` stands for; the others agree.
bool OpSignature::bindLeading(const OpSlot &slot, llvm::ArrayRef<int64_t> shape) {
  if (leadingShape.empty() && leading.empty()) {
    leadingShape.assign(shape.begin(), shape.end());
    for (size_t i = 0; i < shape.size(); ++i)
      leading.push_back("_" + std::to_string(i));
    return true;
  }
  if (shape == llvm::makeArrayRef(leadingShape))
    return true;
  diagnostics.report(instance.range, diag::LeadingRanksDiffer, slot.name)
      .note(slot.range, "it is declared here");
  return false;
}

bool OpSignature::bindShape(const OpSlot &slot) {
  const Tensor &tensor = *slot.passed;
  bool leads = slot.hasLeading();
  size_t fixed = slot.ranks.size() - leads;
  if (leads ? tensor.shape.size() < fixed : tensor.shape.size() != fixed) {
    diagnostics
        .report(instance.range, diag::ArgumentRank, slot.name, counted(fixed, "rank"),
                tensor.shape.size())
        .note(slot.range, "it is declared here");
    return false;
  }
  bool good = true;
  size_t extra = tensor.shape.size() - fixed, at = 0;
  for (const OpRank &rank : slot.ranks) {
    if (rank.leading) {
      good &= bindLeading(slot, llvm::makeArrayRef(tensor.shape).slice(at, extra));
      at += extra;
      continue;
    }
    if (!rank.extent.empty())
      good &= setExtent(rank.extent, tensor.shape[at], instance.range,
                        "from `" + slot.name.str() + "`");
    ++at;
  }
  return good;
}

bool OpSignature::dependsOnOpenExtent(const ast::Expr &expr) const {
  if (expr.kind == ast::ExprKind::Name)
    return !scope.hasLocal(expr.text) &&
           (llvm::is_contained(extents, expr.text) || decl.findParameter(expr.text));
  return llvm::any_of(expr.operands, [&](auto *inner) { return dependsOnOpenExtent(*inner); }) ||
         llvm::any_of(expr.args, [&](auto &arg) { return dependsOnOpenExtent(*arg.value); });
}

bool OpSignature::bindDefault(const OpRank &rank) {
  auto size = evaluator.integer(*rank.byDefault, scope, "the extent `" + rank.extent.str() + "`");
  if (size)
    return setExtent(rank.extent, *size, instance.range, "by default");
  scope.set(rank.extent, Value());
  return open || allowMissing;
}

/// A default may name other extents, which may have defaults themselves: in any order.
bool OpSignature::bindDefaults() {
  for (bool progress = true; progress;) {
    progress = false;
    for (const OpSlot &slot : slots)
      for (const OpRank &rank : slot.ranks) {
        if (!rank.byDefault || scope.hasLocal(rank.extent) || dependsOnOpenExtent(*rank.byDefault))
          continue;
        if (!bindDefault(rank))
          return false;
        progress = true;
      }
    for (const Parameter &parameter : decl.parameters)
      if (parameter.byDefault && !findSlot(parameter.name) && !scope.hasLocal(parameter.name) &&
          !dependsOnOpenExtent(*parameter.byDefault)) {
        scope.set(parameter.name, evaluator.evaluate(*parameter.byDefault, scope));
        progress = true;
      }
  }
  return true;
}

llvm::Optional<int64_t> OpSignature::extentOf(const OpRank &rank) const {
  if (rank.expr)
    return dependsOnOpenExtent(*rank.expr) ? llvm::None
                                           : evaluator.integer(*rank.expr, scope, "an extent");
  const Value *value = scope.find(rank.extent);
  const Quantity *size = value ? value->getIf<Quantity>() : nullptr;
  return size && size->isInteger() ? llvm::Optional<int64_t>(size->rational().numerator())
                                   : llvm::None;
}

bool OpSignature::bind() {
  if (!readSlots() || !bindArguments() || !bindDefaults())
    return false;
  if (allowMissing) // while it is checked on its own, its extents are names without values
    for (llvm::StringRef extent : extents)
      if (!scope.hasLocal(extent)) {
        scope.set(extent, Value());
        open = true;
      }
  return true;
}
