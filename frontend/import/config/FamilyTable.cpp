// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/config/FamilyTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace perfc;
using namespace perfc::config;

std::vector<Row> config::chainOf(FamilyTable &table, Row row) {
  std::vector<Row> chain;
  while (row.item && chain.size() < longestChain) {
    chain.push_back(row);
    row = madeFrom(row) ? table.baseOf(row) : Row();
  }
  return chain;
}

std::vector<llvm::StringRef> config::textsOf(FamilyTable &table, llvm::StringRef folder,
                                             llvm::StringRef name) {
  std::vector<llvm::StringRef> texts;
  Row row = table.find(folder, name);
  const ast::Expr *list =
      row.item && !row.item->args.empty() ? row.item->args[0].assigned : nullptr;
  if (list && list->kind == ast::ExprKind::Name)
    return textsOf(table, folder, list->text);
  if (list && list->kind == ast::ExprKind::List)
    for (const ast::Arg &arg : list->args)
      if (arg.value->kind == ast::ExprKind::String)
        texts.push_back(arg.value->text);
  return texts;
}

std::vector<llvm::StringRef> config::textsFor(FamilyTable &table, llvm::StringRef folder,
                                              llvm::StringRef name, llvm::ArrayRef<Row> chain) {
  for (const Row &link : chain) {
    std::string own = (name + "_" + nameOf(*link.item)).str();
    if (table.find(folder, own).item)
      return textsOf(table, folder, own);
  }
  return textsOf(table, folder, name);
}

bool config::isPair(llvm::ArrayRef<Row> chain) {
  if (chain.empty() || !chain.back().item->block)
    return false;
  return llvm::any_of(chain.back().item->block->items, [](const ast::Item *item) {
    return item->kind == ast::ItemKind::Line && item->word == "phase" && !item->args.empty() &&
           nameOf(*item) == "encode";
  });
}

llvm::StringRef config::nameOf(const ast::Item &item) {
  const ast::Expr *head = item.args[0].value;
  return head->kind == ast::ExprKind::Call ? head->operands[0]->text : head->text;
}

const ast::Expr *config::madeFrom(const Row &row) {
  for (const ast::Clause &clause : row.item->clauses)
    if (clause.word == "from" && clause.args[0].value->kind == ast::ExprKind::Call)
      return clause.args[0].value;
  return nullptr;
}

std::vector<const ast::Arg *> config::parametersOf(llvm::ArrayRef<Row> chain) {
  std::vector<const ast::Arg *> parameters;
  std::vector<llvm::StringRef> fixed;
  auto folderOf = [](const Row &row) { return llvm::StringRef(row.module).rsplit('.').first; };
  for (const Row &row : chain) {
    if (folderOf(row) != folderOf(chain.front())) // the family
      break;
    const ast::Expr &head = *row.item->args[0].value;
    for (const ast::Arg &parameter : head.kind == ast::ExprKind::Call ? head.args : llvm::None)
      if (!llvm::is_contained(fixed, parameter.value->text))
        parameters.push_back(&parameter);
    for (const ast::Arg *parameter : parameters) // a base's of the same name is another one
      fixed.push_back(parameter->value->text);
    if (const ast::Expr *base = madeFrom(row))
      for (const ast::Arg &given : base->args)
        fixed.push_back(given.value->text);
  }
  return parameters;
}
