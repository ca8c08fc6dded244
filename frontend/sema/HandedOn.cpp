// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/HandedOn.h"

#include "frontend/sema/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;

namespace {

/// The names in expressions of a declaration, in all branches.
struct UsedNames {
  llvm::StringSet<> names;

  void visit(const ast::Expr *expr);
  void visit(llvm::ArrayRef<ast::Arg> args);
  void visit(const ast::Item &item);
  void visit(const ast::Body *body);
};

} // namespace

void UsedNames::visit(const ast::Expr *expr) {
  if (!expr)
    return;
  if (expr->kind == ast::ExprKind::Name)
    names.insert(expr->text);
  if (expr->kind == ast::ExprKind::String) { // "{name} of {record.member}"
    llvm::SmallVector<llvm::StringRef, 4> parts;
    expr->text.split(parts, '{');
    for (llvm::StringRef part : llvm::ArrayRef<llvm::StringRef>(parts).drop_front())
      names.insert(part.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }));
  }
  for (const ast::Expr *operand : expr->operands)
    visit(operand);
  visit(expr->args);
  visit(expr->role);
}

void UsedNames::visit(llvm::ArrayRef<ast::Arg> args) {
  for (const ast::Arg &arg : args) {
    visit(arg.value);
    visit(arg.assigned);
  }
}

void UsedNames::visit(const ast::Item &item) {
  visit(item.args);
  visit(item.results);
  for (const ast::Clause &clause : item.clauses)
    visit(clause.args);
  visit(item.target);
  visit(item.value);
  visit(item.block);
  visit(item.otherwise);
}

void UsedNames::visit(const ast::Body *body) {
  if (body)
    for (const ast::Item *item : body->items)
      visit(*item);
}

std::vector<const Parameter *> perfc::handedOn(const Decl &decl) {
  std::vector<const Parameter *> unused;
  if (decl.parameters.empty())
    return unused;
  UsedNames used;
  for (const Parameter &parameter : decl.parameters)
    used.visit(parameter.byDefault);
  for (const ast::Clause &clause : decl.item->clauses)
    used.visit(clause.args);
  used.visit(decl.item->results);
  used.visit(decl.item->block);
  for (const Parameter &parameter : decl.parameters)
    if (!used.names.contains(parameter.name))
      unused.push_back(&parameter);
  return unused;
}

Instance perfc::withHandedOn(const Decl &decl, const Scope &scope, const Instance &base) {
  Instance made = base;
  auto byPosition = static_cast<size_t>(llvm::count_if(
      base.arguments, [](const Argument &argument) { return argument.name.empty(); }));
  llvm::ArrayRef<Parameter> parameters = base.decl->parameters;
  parameters = parameters.drop_front(std::min(byPosition, parameters.size()));
  for (const Parameter *parameter : handedOn(decl)) {
    auto isSame = [&](const Parameter &other) { return other.name == parameter->name; };
    const Value *value = scope.find(parameter->name);
    if (value && llvm::any_of(parameters, isSame) && !findArgument(made.arguments, parameter->name))
      made.arguments.push_back(makeArgument(parameter->name.str(), *value, base.range));
  }
  return made;
}
