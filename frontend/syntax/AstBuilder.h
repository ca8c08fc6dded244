// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the generated parser's contexts to the syntax tree: names point into the source, nodes go
// into the arena, and the flat operator lists of the grammar become trees by precedence climbing.
// For .cpp files that include ANTLR.
#ifndef PERFC_FRONTEND_SYNTAX_ASTBUILDER_H
#define PERFC_FRONTEND_SYNTAX_ASTBUILDER_H

#include "frontend/syntax/AST.h"
#include "frontend/syntax/SyntaxErrors.h"
#include "grammar/PerfParser.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

namespace perfc::syntax {

/// Nodes above one another in one expression at most; a sum of n terms is n deep.
inline constexpr unsigned maxExpressionDepth = 1000;

class ExpressionBuilder {
public:
  ExpressionBuilder(ast::SyntaxFile &file, SyntaxErrors &errors) : file(file), errors(errors) {}

  using Parser = grammar::PerfParser;
  /// A tree and its height; no tree after an error, which is reported.
  struct Built {
    ast::Expr *expr = nullptr;
    unsigned depth = 0;
  };

  ast::Expr *build(Parser::ExpressionContext *context) { return expression(context).expr; }
  /// False after an error.
  bool build(llvm::ArrayRef<Parser::ArgContext *> contexts, llvm::ArrayRef<ast::Arg> &args);
  ast::Expr *string(antlr4::Token *token, antlr4::Token *format);
  ast::Expr *name(Token token);

  /// A copy of `text` that lives as long as the tree.
  llvm::StringRef keep(const llvm::Twine &text);

  SourceRange range(const antlr4::ParserRuleContext *context) const;
  SourceRange range(const antlr4::Token *token) const;
  llvm::StringRef text(const antlr4::Token *token) const;

private:
  struct Flat; // a list of operands and operators, partly read

  Built expression(Parser::ExpressionContext *context);
  Built conditional(Parser::ExpressionContext *context);
  Built climb(Flat &flat, unsigned loosest);
  Built prefixed(Flat &flat, unsigned loosest);
  Built combine(Flat &flat, Built left, unsigned precedence, Token sign);
  Built step(Flat &flat, Built range, Token sign);
  Built postfix(Parser::OperandContext *context);
  Built suffix(Built left, Parser::SuffixContext *context);
  Built primary(Parser::PrimaryContext *context);
  bool arg(Parser::ArgContext *context, ast::Arg &result, unsigned &depth);
  bool list(llvm::ArrayRef<Parser::ArgContext *> contexts, llvm::ArrayRef<ast::Arg> &args,
            unsigned &depth);
  Built finish(const ast::Expr &node, unsigned depth);

  ast::SyntaxFile &file;
  SyntaxErrors &errors;
};

class AstBuilder {
public:
  AstBuilder(ast::SyntaxFile &file, SyntaxErrors &errors)
      : file(file), errors(errors), expressions(file, errors) {}

  /// Appends the top-level items that have no error.
  void buildFile(grammar::PerfParser::FileContext *context,
                 llvm::SmallVectorImpl<ast::Item *> &items);

private:
  using Parser = grammar::PerfParser;

  void items(Parser::BodyContext *context, llvm::SmallVectorImpl<ast::Item *> &items);
  ast::Item *item(Parser::ItemContext *context);
  ast::Body *block(Parser::BlockContext *context);
  bool line(Parser::LineContext *context, ast::Item &item);
  bool tail(Parser::LineContext *context, ast::Item &item);
  bool equation(Parser::LineContext *context, ast::Item &item);
  bool isCalled(Parser::LineContext *context, const ast::Item &item);
  bool choice(Parser::ChoiceContext *context, ast::Item &item);
  bool import(Parser::ImportItemContext *context, ast::Item &item);
  ast::ImportName importName(Parser::NameContext *name, Parser::NameContext *alias);
  llvm::StringRef docAbove(uint32_t begin) const;

  ast::SyntaxFile &file;
  SyntaxErrors &errors;
  ExpressionBuilder expressions;
  unsigned bodies = 0; ///< open around the current item
};

} // namespace perfc::syntax

#endif // PERFC_FRONTEND_SYNTAX_ASTBUILDER_H
