// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/AstBuilder.h"

#include "frontend/syntax/TokenList.h"
#include "ir/common/diagnostics/Syntax.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::syntax;
using ast::Expr;
using ast::ExprKind;
using ast::Item;
using ast::ItemKind;

void AstBuilder::buildFile(Parser::FileContext *context, llvm::SmallVectorImpl<Item *> &result) {
  bodies = 0;
  items(context->content, result);
}

void AstBuilder::items(Parser::BodyContext *context, llvm::SmallVectorImpl<Item *> &result) {
  for (Parser::ItemContext *each : context->items)
    if (!each->exception)
      if (Item *built = item(each))
        result.push_back(built);
}

ast::Body *AstBuilder::block(Parser::BlockContext *context) {
  llvm::SmallVector<Item *, 16> list;
  ++bodies;
  items(context->content, list);
  --bodies;
  return file.make(ast::Body{file.copy<Item *>(list), expressions.range(context)});
}

Item *AstBuilder::item(Parser::ItemContext *context) {
  Item item;
  item.range = expressions.range(context);
  item.wordRange = expressions.range(context->start);
  item.word = expressions.text(context->start);
  item.doc = docAbove(item.range.begin);
  bool isGood = context->theLine     ? line(context->theLine, item)
                : context->theChoice ? choice(context->theChoice, item)
                                     : import(context->theImport, item);
  return isGood ? file.make(item) : nullptr;
}

/// The comment lines directly above the line of `begin`, when the item is the first on its line.
llvm::StringRef AstBuilder::docAbove(uint32_t begin) const {
  llvm::StringRef above = errors.text().take_front(begin).rtrim(" \t\r\f");
  size_t last = 0, first = 0;
  while (above.endswith("\n")) {
    above = above.drop_back();
    llvm::StringRef line = above.substr(above.rfind('\n') + 1).trim(" \t\r\f");
    line.consume_front("\xEF\xBB\xBF");
    if (!line.startswith("//"))
      break;
    first = line.begin() - errors.text().begin();
    last = last ? last : line.end() - errors.text().begin();
    above = errors.text().take_front(first).rtrim(" \t\r\f");
  }
  return errors.text().slice(first, last);
}

bool AstBuilder::tail(Parser::LineContext *context, Item &item) {
  llvm::SmallVector<ast::Clause, 4> clauses;
  for (Parser::ClauseContext *each : context->clauses) {
    ast::Clause clause;
    clause.word = expressions.text(each->word);
    clause.wordRange = expressions.range(each->word);
    if (!expressions.build(each->values->values, clause.args))
      return false;
    clauses.push_back(clause);
  }
  item.clauses = file.copy<ast::Clause>(clauses);
  if (context->inner)
    item.block = block(context->inner);
  return true;
}

/// Clauses that are never an attribute of a file, so a line that starts with one was broken.
static bool isClauseOnly(llvm::StringRef word) {
  static constexpr llvm::StringLiteral words[] = {"on",   "with", "using", "over",
                                                  "from", "by",   "as",    "within"};
  return llvm::is_contained(words, word);
}

bool AstBuilder::line(Parser::LineContext *context, Item &item) {
  item.kind = ItemKind::Line;
  if (context->set) {
    item.kind = ItemKind::Equation;
    item.target = expressions.name(plainToken(context->word->start));
    item.assign = expressions.text(context->set->sign);
    item.assignRange = expressions.range(context->set->sign);
    item.value = expressions.build(context->set->value);
    if (item.value && context->set->role)
      item.value->role = expressions.build(context->set->role);
    bool isRead = item.value && (item.value->role || !context->set->role);
    return isRead && tail(context, item);
  }
  if (context->values && !expressions.build(context->values->values, item.args))
    return false;
  if (context->results && !expressions.build(context->results->values, item.results))
    return false;
  if (context->values && isCalled(context, item))
    return false;
  if (bodies == 0 && context->values && isClauseOnly(item.word)) {
    errors.report(item.wordRange, diag::LineStartsWithClause, item.word)
        .help("put it on the line before, or into the block of its item");
    return false;
  }
  return equation(context, item) && tail(context, item);
}

/// Turns `O` with the value `[n] += e` into an equation; so `m` with `max= e`.
bool AstBuilder::equation(Parser::LineContext *context, Item &item) {
  if (item.args.empty() || !item.args[0].assigned || item.args[0].value->role)
    return true;
  const ast::Arg &first = item.args[0];
  bool isIndexed = first.value->kind == ExprKind::List;
  bool isReduction = first.value->kind == ExprKind::Name && first.assign == "=" &&
                     (first.value->text == "max" || first.value->text == "min") &&
                     first.value->range.end == first.assignRange.begin &&
                     first.assignRange.end != first.assigned->range.begin;
  if (!isIndexed && !isReduction)
    return true;
  if (item.args.size() > 1 || context->results) {
    errors.report(item.args.size() > 1 ? item.args[1].range : item.results[0].range,
                  diag::EquationValues);
    return false;
  }
  item.kind = ItemKind::Equation;
  item.target = expressions.name(plainToken(context->word->start));
  item.assign = first.assign;
  item.assignRange = first.assignRange;
  item.value = first.assigned;
  if (isReduction) {
    item.assign = expressions.keep(llvm::Twine(first.value->text) + "=");
    item.assignRange = first.value->range.join(first.assignRange);
  } else {
    Expr node;
    node.kind = ExprKind::Index;
    node.operands = file.copy<Expr *>(item.target);
    node.args = first.value->args;
    node.trailingComma = first.value->trailingComma;
    node.range = item.target->range.join(first.value->range);
    node.opRange = first.value->range;
    item.target = file.make(node);
  }
  item.args = {};
  return true;
}

/// Reports a head that is written as a call, `link(0, 4)`.
bool AstBuilder::isCalled(Parser::LineContext *context, const Item &item) {
  Token open = plainToken(context->values->start);
  if (open.kind != TokenKind::LParen || open.begin != item.wordRange.end)
    return false;
  Diagnostic &diagnostic =
      errors.report(item.wordRange.join(item.args[0].value->range), diag::HeadIsCall, item.word);
  llvm::StringRef inner =
      errors.text().slice(item.args[0].value->range.begin, item.args[0].value->range.end);
  if (item.args[0].assigned)
    diagnostic.help(fmt::format("a function is declared with `fn {}{} = …`", item.word, inner));
  else if (item.args[0].value->kind == ExprKind::Tuple)
    diagnostic.help(fmt::format("write `{} {}`", item.word, inner.drop_front().drop_back()));
  else
    diagnostic.help("put a space after the word");
  return true;
}

bool AstBuilder::choice(Parser::ChoiceContext *context, Item &item) {
  item.kind = ItemKind::If;
  item.value = expressions.build(context->condition);
  if (!item.value)
    return false;
  item.block = block(context->yes);
  if (context->no)
    item.otherwise = block(context->no);
  if (!context->chain)
    return true;
  Item next;
  next.range = expressions.range(context->chain);
  next.wordRange = expressions.range(context->chain->start);
  next.word = expressions.text(context->chain->start);
  if (!choice(context->chain, next))
    return false;
  item.otherwise = file.make(ast::Body{file.copy<Item *>(file.make(next)), next.range});
  return true;
}

ast::ImportName AstBuilder::importName(Parser::NameContext *name, Parser::NameContext *alias) {
  return {expressions.text(name->start), expressions.range(name),
          alias ? expressions.text(alias->start) : llvm::StringRef()};
}

bool AstBuilder::import(Parser::ImportItemContext *context, Item &item) {
  item.kind = ItemKind::Import;
  if (context->alias)
    item.alias = expressions.text(context->alias->start);
  if (context->path) {
    item.file = expressions.string(context->path, nullptr);
    if (context->head)
      item.format = expressions.text(context->head->start);
    return item.file != nullptr;
  }
  llvm::SmallVector<ast::ImportName, 4> path{importName(context->head, nullptr)}, names;
  for (Parser::NameContext *part : context->parts) {
    if (!context->names.empty() &&
        part->start->getTokenIndex() > context->names.front()->start->getTokenIndex()) {
      errors.report(expressions.range(part), diag::ImportAfterNames);
      return false;
    }
    path.push_back(importName(part, nullptr));
  }
  for (Parser::ImportNameContext *each : context->names)
    names.push_back(importName(each->what, each->alias));
  item.path = file.copy<ast::ImportName>(path);
  item.names = file.copy<ast::ImportName>(names);
  return true;
}
