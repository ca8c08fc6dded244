// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated parser behind a plain interface: the tokens of one item go in, tree nodes come out.
#ifndef PERFC_FRONTEND_SYNTAX_ITEMPARSER_H
#define PERFC_FRONTEND_SYNTAX_ITEMPARSER_H

#include "frontend/syntax/AST.h"
#include "frontend/syntax/SyntaxErrors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace perfc::syntax {

class ItemParser {
public:
  /// Nodes go into `file`'s arena, errors to `errors`.
  ItemParser(ast::SyntaxFile &file, SyntaxErrors &errors);
  ~ItemParser();
  /// Parses the tokens of one top-level item and appends it to `items`, unless it has an error.
  /// What the generated parser needed is freed before this returns.
  void parse(llvm::ArrayRef<Token> tokens, llvm::SmallVectorImpl<ast::Item *> &items);

private:
  struct Machine;
  std::unique_ptr<Machine> machine;
};

} // namespace perfc::syntax

#endif // PERFC_FRONTEND_SYNTAX_ITEMPARSER_H
