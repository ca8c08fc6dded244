// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/ErrorStrategy.h"

#include "frontend/syntax/TokenList.h"
#include "grammar/PerfParser.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::syntax;
using perfc::grammar::PerfParser;

antlr4::Token *ErrorStrategy::recoverInline(antlr4::Parser *parser) {
  throw antlr4::InputMismatchException(parser);
}

static TokenKind kindAt(antlr4::Parser *parser, ssize_t distance) {
  antlr4::Token *token = parser->getTokenStream()->LT(distance);
  return token ? plainToken(token).kind : TokenKind::End;
}

static bool endsLine(TokenKind kind) {
  return kind == TokenKind::Newline || kind == TokenKind::Semi || kind == TokenKind::RBrace ||
         kind == TokenKind::End;
}

/// Skips to the end of the line, over whole blocks: brackets are balanced here.
void ErrorStrategy::skipLine(antlr4::Parser *parser) {
  for (unsigned open = 0;; parser->consume()) {
    TokenKind kind = kindAt(parser, 1);
    if (kind == TokenKind::End || (open == 0 && endsLine(kind)))
      return;
    if (kind == TokenKind::LBrace)
      ++open;
    else if (kind == TokenKind::RBrace)
      --open;
  }
}

void ErrorStrategy::recover(antlr4::Parser *parser, std::exception_ptr error) {
  antlr4::tree::ParseTree *context = parser->getContext();
  while (context && !dynamic_cast<PerfParser::ItemContext *>(context))
    context = context->parent;
  if (context)
    static_cast<PerfParser::ItemContext *>(context)->exception = error;
  skipLine(parser);
}

/// Called before each choice of the grammar. Only a body looks: what follows an item must be the
/// end of its line, and the mistakes at this place are worth messages of their own.
void ErrorStrategy::sync(antlr4::Parser *parser) {
  auto *body = dynamic_cast<PerfParser::BodyContext *>(parser->getContext());
  if (!body)
    return;
  TokenKind found = kindAt(parser, 1);
  TokenKind previous = kindAt(parser, -1);
  bool isLineStart = parser->getTokenStream()->index() == 0 || previous == TokenKind::LBrace ||
                     previous == TokenKind::Newline || previous == TokenKind::Semi;
  if (endsLine(found) || (isLineStart && (isName(found) || found == TokenKind::Import ||
                                          found == TokenKind::If)))
    return;
  if (!isRecovering)
    report(parser);
  if (!isLineStart && !body->items.empty())
    body->items.back()->exception = std::make_exception_ptr(GiveUp());
  skipLine(parser);
}

void ErrorStrategy::reportError(antlr4::Parser *parser, const antlr4::RecognitionException &) {
  if (!isRecovering)
    report(parser);
}

void ErrorStrategy::report(antlr4::Parser *parser) {
  isRecovering = true;
  antlr4::Token *before = parser->getTokenStream()->LT(-1);
  Token previous = before ? plainToken(before) : Token();
  Token found = plainToken(parser->getCurrentToken());
  if (!reportLineStart(previous, found) && !reportCommonMistake(parser))
    reportExpected(parser, previous, found);
  if (errors.isFull())
    throw GiveUp();
}

/// A line that starts with an operator or a block.
bool ErrorStrategy::reportLineStart(Token previous, Token found) {
  bool isStart = previous.kind == TokenKind::Newline || previous.kind == TokenKind::Semi ||
                 previous.kind == TokenKind::LBrace || previous.kind == TokenKind::End;
  if (!isStart)
    return false;
  if (found.kind == TokenKind::LBrace) {
    errors.report(found, diag::BlockWithoutItem);
    return true;
  }
  if (isBinary(found.kind) || found.kind == TokenKind::Comma || found.kind == TokenKind::Dot) {
    errors.report(found, diag::LineStartsWithOperator, errors.text(found))
        .help(fmt::format("end the line before with `{}`", errors.text(found)));
    return true;
  }
  return false;
}

/// Mistakes that everyone makes, each with its fix.
bool ErrorStrategy::reportCommonMistake(antlr4::Parser *parser) {
  antlr4::TokenStream &stream = *parser->getTokenStream();
  antlr4::Token *before = stream.LT(-1);
  if (!before)
    return false;
  Token previous = plainToken(before), found = plainToken(stream.LT(1));
  Token earlier = stream.LT(-2) ? plainToken(stream.LT(-2)) : Token();
  llvm::StringRef word = errors.text(previous);
  bool isClause = dynamic_cast<PerfParser::ArgsContext *>(parser->getContext()->parent) ||
                  parser->getContext()->getRuleIndex() == PerfParser::RuleExpression ||
                  parser->getContext()->getRuleIndex() == PerfParser::RuleOperand ||
                  parser->getContext()->getRuleIndex() == PerfParser::RulePrimary;
  bool isBare = isName(previous.kind) && (endsLine(found.kind) || found.kind == TokenKind::LBrace ||
                                          found.kind == TokenKind::Comma);
  if (isClause && isBare && earlier.kind == TokenKind::Number) {
    llvm::StringRef number = errors.text(earlier);
    Token both{TokenKind::Number, earlier.begin, previous.end};
    if (number.endswith("%"))
      errors.report(both, diag::PercentNotSpaced, number)
          .help(fmt::format("put spaces around `%` for the remainder: `{} % {}`",
                            number.drop_back(), word));
    else
      errors.report(both, diag::UnitNotGlued).help(fmt::format("write `{}{}`", number, word));
    return true;
  }
  if (isClause && isBare && endsValue(earlier.kind)) {
    errors.report(previous, diag::ClauseWithoutValue, word)
        .help(fmt::format("if it is one more value, put a comma before it: `{}, {}`",
                          errors.text(earlier), word));
    return true;
  }
  bool isValue = found.kind == TokenKind::Number || found.kind == TokenKind::String;
  if (endsValue(previous.kind) && isValue && !endsLine(found.kind)) {
    Diagnostic &diagnostic = errors.report(found, diag::ValueAfterValue, word);
    if (isName(previous.kind))
      diagnostic.help(fmt::format("give it to the name with `=`: `{} = {}`", word,
                                  errors.text(found)));
    else
      diagnostic.help(fmt::format("separate values with a comma: `{}, {}`", word,
                                  errors.text(found)));
    return true;
  }
  return false;
}

/// The token in quotes; a newline and the end as what they are for a reader.
static std::string describe(const SyntaxErrors &errors, Token token) {
  switch (token.kind) {
  case TokenKind::End:
  case TokenKind::Newline:
    return "the end of the line";
  case TokenKind::String:
    return "a string";
  default: {
    llvm::StringRef text = errors.text(token);
    constexpr size_t shown = 32;
    return text.size() <= shown ? fmt::format("`{}`", text)
                                : fmt::format("`{}…`", text.take_front(shown));
  }
  }
}

/// The expected tokens in the words of a reader, at most four.
static std::string describeExpected(antlr4::Parser *parser) {
  antlr4::misc::IntervalSet set = parser->getExpectedTokens();
  auto has = [&](size_t type) { return set.contains(type); };
  llvm::SmallVector<std::string, 8> words;
  bool isExpression = has(PerfParser::NUMBER) && has(PerfParser::L_PAREN);
  if (isExpression)
    words.push_back("an expression");
  else if (has(PerfParser::WORD))
    words.push_back("a name");
  else if (has(PerfParser::STRING))
    words.push_back("a string");
  if (has(PerfParser::PLUS) && !isExpression)
    words.push_back("an operator");
  static constexpr std::pair<size_t, const char *> signs[] = {
      {PerfParser::THEN, "`then`"},   {PerfParser::ELSE, "`else`"}, {PerfParser::COMMA, "`,`"},
      {PerfParser::R_PAREN, "`)`"},   {PerfParser::R_BRACKET, "`]`"},
      {PerfParser::R_BRACE, "`}`"},   {PerfParser::L_BRACE, "`{`"}, {PerfParser::ASSIGN, "`=`"}};
  for (auto [type, sign] : signs)
    if (has(type) && !(isExpression && type != PerfParser::R_PAREN && type != PerfParser::R_BRACKET))
      words.push_back(sign);
  if (has(antlr4::Token::EOF) || has(PerfParser::NEWLINE))
    words.push_back("the end of the line");
  if (words.size() > 4)
    words.resize(4);
  if (words.empty())
    return "the end of the line";
  std::string last = words.pop_back_val();
  return words.empty() ? last : llvm::join(words, ", ") + " or " + last;
}

void ErrorStrategy::reportExpected(antlr4::Parser *parser, Token previous, Token found) {
  std::string expected = describeExpected(parser);
  bool wantsName = expected == "a name" || llvm::StringRef(expected).startswith("an expression");
  if (isReserved(found.kind) && wantsName) {
    errors.report(found, diag::ReservedWord, errors.text(found));
    return;
  }
  if (endsLine(found.kind) || isClosing(found.kind)) {
    Token gap{TokenKind::Stray, previous.end, previous.end};
    errors.report(gap, diag::ExpectedAfter, expected, errors.text(previous));
    return;
  }
  Diagnostic &diagnostic =
      errors.report(found, diag::ExpectedFound, expected, describe(errors, found));
  if (found.kind == TokenKind::Assign)
    diagnostic.help("`==` compares");
}
