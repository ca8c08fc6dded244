// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/AstBuilder.h"
#include "ir/common/diagnostics/Syntax.h"

#include "frontend/syntax/TokenList.h"

using namespace perfc;
using namespace perfc::syntax;
using ast::Arg;
using ast::Expr;
using ast::ExprKind;
using Built = ExpressionBuilder::Built;

namespace {
/// How tight an operator binds; `not` and the sign before a value have a place between the others.
enum Precedence : unsigned {
  None,
  Or,
  And,
  Not,
  Comparison,
  Range,
  Uncertain,
  Sum,
  Product,
  Sign,
  Power,
};
} // namespace

static Precedence precedenceOf(TokenKind kind) {
  switch (kind) {
  case TokenKind::Or:
    return Or;
  case TokenKind::And:
    return And;
  case TokenKind::DotDot:
  case TokenKind::Step:
    return Range;
  case TokenKind::PlusMinus:
    return Uncertain;
  case TokenKind::Plus:
  case TokenKind::Minus:
    return Sum;
  case TokenKind::Star:
  case TokenKind::Slash:
  case TokenKind::Percent:
    return Product;
  case TokenKind::Caret:
    return Power;
  default:
    return Comparison;
  }
}

/// The operands of a flat list are read left to right; the operator before operand i is i - 1.
struct ExpressionBuilder::Flat {
  Parser::ExpressionContext *context;
  size_t operand = 0;     ///< the next one to read
  size_t prefix = 0;      ///< how many of its prefixes are read
  unsigned recursion = 0; ///< of climb, so that hostile text ends in a message

  Token nextSign() const {
    size_t index = operand - 1;
    if (index >= context->operators.size())
      return {};
    return plainToken(context->operators[index]->sign);
  }
};

SourceRange ExpressionBuilder::range(const antlr4::Token *token) const {
  return errors.range(plainToken(token));
}

SourceRange ExpressionBuilder::range(const antlr4::ParserRuleContext *context) const {
  return range(context->start).join(range(context->stop));
}

llvm::StringRef ExpressionBuilder::text(const antlr4::Token *token) const {
  return errors.text(plainToken(token));
}

llvm::StringRef ExpressionBuilder::keep(const llvm::Twine &text) {
  return llvm::StringRef(text.str()).copy(file.arena);
}

Built ExpressionBuilder::finish(const Expr &node, unsigned depth) {
  if (depth > maxExpressionDepth) {
    errors.report(node.range, diag::ExpressionTooLong, maxExpressionDepth)
        .help("name a part of it with `let`");
    return {};
  }
  return {file.make(node), depth};
}

Expr *ExpressionBuilder::name(Token token) {
  Expr node;
  node.kind = ExprKind::Name;
  node.text = errors.text(token);
  node.range = errors.range(token);
  return file.make(node);
}

Expr *ExpressionBuilder::string(antlr4::Token *token, antlr4::Token *format) {
  Expr node;
  node.kind = ExprKind::String;
  node.text = text(token).drop_front().drop_back();
  node.range = range(token);
  for (size_t i = 0; (i = node.text.find('\\', i)) != llvm::StringRef::npos; i += 2)
    if (!llvm::StringRef("\"\\n{}").contains(node.text[i + 1])) {
      uint32_t begin = node.range.begin + 1 + i;
      errors
          .report(SourceRange{node.range.file, begin, begin + 2}, diag::UnknownEscape,
                  node.text.substr(i + 1, 1))
          .help("`\\\"`, `\\\\`, `\\n`, `\\{` and `\\}` are known; a backslash itself is `\\\\`");
      return nullptr;
    }
  if (format) {
    node.format = text(format);
    node.opRange = range(format);
    node.range = node.opRange.join(node.range);
  }
  return file.make(node);
}

Built ExpressionBuilder::expression(Parser::ExpressionContext *context) {
  if (context->condition)
    return conditional(context);
  Flat flat{context};
  return climb(flat, None);
}

Built ExpressionBuilder::conditional(Parser::ExpressionContext *context) {
  Built parts[] = {expression(context->condition), expression(context->yes),
                   expression(context->no)};
  Expr *operands[3];
  unsigned depth = 0;
  for (size_t i = 0; i < 3; ++i) {
    if (!parts[i].expr)
      return {};
    operands[i] = parts[i].expr;
    depth = std::max(depth, parts[i].depth);
  }
  Expr node;
  node.kind = ExprKind::If;
  node.operands = file.copy<Expr *>(operands);
  node.range = range(context);
  node.opRange = range(context->start);
  return finish(node, depth + 1);
}

/// Reads operators that bind at least as tight as `loosest`.
Built ExpressionBuilder::climb(Flat &flat, unsigned loosest) {
  if (++flat.recursion > maxExpressionDepth) {
    errors.report(range(flat.context), diag::ExpressionTooLong, maxExpressionDepth);
    return {};
  }
  Built left = prefixed(flat, loosest);
  Token previous;
  while (left.expr) {
    Token sign = flat.nextSign();
    if (sign.kind == TokenKind::End)
      break;
    Precedence precedence = precedenceOf(sign.kind);
    if (precedence < loosest)
      break;
    bool isChain = precedenceOf(previous.kind) == precedence && previous.kind != TokenKind::End &&
                   (precedence == Range || precedence == Uncertain || precedence == Comparison);
    if (isChain && !(sign.kind == TokenKind::Step && previous.kind == TokenKind::DotDot)) {
      Diagnostic &error =
          errors.report(sign, diag::NotChained, errors.text(sign), errors.text(previous));
      if (precedence == Comparison)
        error.help("join two comparisons with `and`: `0 < n and n < 10`");
      return {};
    }
    left = sign.kind == TokenKind::Step ? step(flat, left, sign)
                                        : combine(flat, left, precedence, sign);
    previous = sign;
  }
  --flat.recursion;
  return left;
}

/// A value with the `-` and `not` before it.
Built ExpressionBuilder::prefixed(Flat &flat, unsigned loosest) {
  Parser::OperandContext *operand = flat.context->operands[flat.operand];
  if (flat.prefix == operand->prefixes.size()) {
    ++flat.operand;
    flat.prefix = 0;
    return postfix(operand);
  }
  Token sign = plainToken(operand->prefixes[flat.prefix++]);
  bool isNot = sign.kind == TokenKind::Not;
  if (isNot && loosest > Not) {
    errors.report(sign, diag::NeedsParentheses, "not");
    return {};
  }
  Built inner = climb(flat, isNot ? Not : Sign);
  if (!inner.expr)
    return {};
  Expr node;
  node.kind = ExprKind::Unary;
  node.text = errors.text(sign);
  node.operands = file.copy<Expr *>(inner.expr);
  node.opRange = errors.range(sign);
  node.range = node.opRange.join(inner.expr->range);
  return finish(node, inner.depth + 1);
}

Built ExpressionBuilder::combine(Flat &flat, Built left, unsigned precedence, Token sign) {
  // `^` takes what is right of it first; the others what is left.
  Built right = climb(flat, precedence == Power ? Sign : precedence + 1);
  if (!right.expr)
    return {};
  Expr node;
  node.kind = sign.kind == TokenKind::DotDot ? ExprKind::Range : ExprKind::Binary;
  node.text = errors.text(sign);
  node.operands = file.copy<Expr *>({left.expr, right.expr});
  node.opRange = errors.range(sign);
  node.range = left.expr->range.join(right.expr->range);
  return finish(node, std::max(left.depth, right.depth) + 1);
}

Built ExpressionBuilder::step(Flat &flat, Built range, Token sign) {
  if (range.expr->kind != ExprKind::Range || range.expr->operands.size() != 2) {
    errors.report(sign, diag::StepWithoutRange);
    return {};
  }
  Built size = climb(flat, Uncertain);
  if (!size.expr)
    return {};
  Expr node = *range.expr;
  node.operands = file.copy<Expr *>({node.operands[0], node.operands[1], size.expr});
  node.range = node.range.join(size.expr->range);
  return finish(node, std::max(range.depth, size.depth + 1));
}

Built ExpressionBuilder::postfix(Parser::OperandContext *context) {
  Built built = primary(context->head);
  for (Parser::SuffixContext *each : context->suffixes)
    if (built.expr)
      built = suffix(built, each);
  return built;
}

Built ExpressionBuilder::suffix(Built left, Parser::SuffixContext *context) {
  Expr node;
  node.kind = ExprKind::Member;
  node.operands = file.copy<Expr *>(left.expr);
  node.range = left.expr->range.join(range(context));
  unsigned depth = 0;
  if (context->member || context->every) {
    antlr4::Token *member = context->member ? context->member->start : context->every;
    node.text = text(member);
    node.opRange = range(member);
  } else {
    bool isCall = plainToken(context->open).kind == TokenKind::LParen;
    node.kind = isCall ? ExprKind::Call : ExprKind::Index;
    node.opRange = range(context->open);
    if (context->content) {
      node.trailingComma = context->content->trailing;
      if (!list(context->content->values, node.args, depth))
        return {};
    }
  }
  return finish(node, std::max(left.depth, depth) + 1);
}

Built ExpressionBuilder::primary(Parser::PrimaryContext *context) {
  if (context->text) {
    Expr *expr = string(context->text, context->word ? context->word->start : nullptr);
    return {expr, 1};
  }
  Expr node;
  node.kind = ExprKind::Name;
  node.range = range(context);
  unsigned depth = 0;
  if (context->open) {
    bool isTuple = plainToken(context->open).kind == TokenKind::LParen;
    node.kind = isTuple ? ExprKind::Tuple : ExprKind::List;
    if (context->content) {
      node.trailingComma = context->content->trailing;
      if (!list(context->content->values, node.args, depth))
        return {};
    }
    return finish(node, depth + 1);
  }
  node.text = text(context->start);
  if (context->number)
    node.kind = ExprKind::Number;
  else if (context->dots)
    node.kind = ExprKind::Ellipsis;
  return finish(node, 1);
}

bool ExpressionBuilder::list(llvm::ArrayRef<Parser::ArgContext *> contexts,
                             llvm::ArrayRef<Arg> &args, unsigned &depth) {
  llvm::SmallVector<Arg, 8> built;
  for (Parser::ArgContext *context : contexts) {
    Arg next;
    if (!arg(context, next, depth))
      return false;
    built.push_back(next);
  }
  args = file.copy<Arg>(built);
  return true;
}

bool ExpressionBuilder::build(llvm::ArrayRef<Parser::ArgContext *> contexts,
                              llvm::ArrayRef<Arg> &args) {
  unsigned depth = 0;
  return list(contexts, args, depth);
}

bool ExpressionBuilder::arg(Parser::ArgContext *context, Arg &result, unsigned &depth) {
  auto take = [&](Parser::ExpressionContext *part, Expr *&place) {
    Built built = expression(part);
    place = built.expr;
    depth = std::max(depth, built.depth);
    return built.expr != nullptr;
  };
  result.range = range(context);
  if (!take(context->value, result.value) ||
      (context->role && !take(context->role, result.value->role)))
    return false;
  if (!context->set)
    return true;
  antlr4::Token *sign = context->set->sign;
  result.assign = text(sign);
  result.assignRange = range(sign);
  if (context->reduce) {
    if (plainToken(sign).kind == TokenKind::PlusAssign) {
      errors.report(plainToken(sign), diag::ExpectedFound, "`=`", "`+=`");
      return false;
    }
    result.assign = keep(llvm::Twine(text(context->reduce)) + "=");
    result.assignRange = range(context->reduce).join(result.assignRange);
  }
  return take(context->set->value, result.assigned) &&
         (!context->set->role || take(context->set->role, result.assigned->role));
}
