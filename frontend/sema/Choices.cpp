// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are one of a word's choices, `fat_tree(radix = 64)`.
#include "frontend/sema/Elaborator.h"

#include "llvm/ADT/StringExtras.h"

using namespace perfc;

llvm::Optional<Value> Elaborator::chosen(const Node &node, const ast::Arg &arg,
                                         const Scope &scope) {
  const ast::Expr &expr = *arg.value;
  WordValue word;
  SourceRange range = expr.range;
  if (expr.kind == ast::ExprKind::Name) {
    word.word = expr.text.str();
  } else if (expr.kind == ast::ExprKind::Call && expr.operands[0]->kind == ast::ExprKind::Name) {
    word.word = expr.operands[0]->text.str();
    range = expr.operands[0]->range;
    word.arguments = evaluator.arguments(expr.args, scope);
  } else if (expr.kind == ast::ExprKind::String && !expr.format.empty()) {
    word.word = expr.format.str();
    word.arguments.push_back(makeArgument("", evaluator.string(expr, scope), expr.range));
  } else {
    diagnostics.report(arg.range, diag::ExpectedName, node.word);
    return llvm::None;
  }
  return isChoice(*node.spec, node.word, word.word, range) ? llvm::Optional<Value>(std::move(word))
                                                           : llvm::None;
}

bool Elaborator::isChoice(const WordSpec &spec, llvm::StringRef word, llvm::StringRef given,
                          SourceRange range) {
  llvm::SmallVector<llvm::StringRef, 12> choices;
  llvm::StringRef(spec.choices).split(choices, ' ');
  if (llvm::is_contained(choices, given))
    return true;
  diagnostics.report(range, diag::UnknownChoice, word, given)
      .suggest(given, choices, "it is one of `" + llvm::join(choices, "`, `") + "`");
  return false;
}
