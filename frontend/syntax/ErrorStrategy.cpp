// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/ErrorStrategy.h"

#include "frontend/syntax/TokenList.h"
#include "grammar/PerfParser.h"
#include "ir/common/diagnostics/Syntax.h"
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
  if (endsLine(found) ||
      (isLineStart && (isName(found) || found == TokenKind::Import || found == TokenKind::If)))
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

static antlr4::tree::ParseTree *clauseAround(antlr4::tree::ParseTree *context) {
  while (context && !dynamic_cast<PerfParser::ClauseContext *>(context))
    context = context->parent;
  return context;
}

void ErrorStrategy::report(antlr4::Parser *parser) {
  isRecovering = true;
  auto at = [&](ssize_t distance) {
    antlr4::Token *token = parser->getTokenStream()->LT(distance);
    return token ? plainToken(token) : Token();
  };
  Place place{at(-3), at(-2), at(-1), at(1), at(2)};
  auto *args = dynamic_cast<PerfParser::ClauseContext *>(clauseAround(parser->getContext()));
  bool isClause = args && args->word == parser->getTokenStream()->LT(-1);
  if (!reportLineStart(place) && !(isClause && reportEmptyClause(place)) &&
      !reportSecondValue(place) && !reportHabit(place))
    reportExpected(parser, place);
  if (errors.isFull())
    throw GiveUp();
}

/// A line that starts with an operator or a block.
bool ErrorStrategy::reportLineStart(const Place &place) {
  auto [previous, found] = std::pair(place.previous, place.found);
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

/// What other languages write: `clock: 1GHz`, `2**10`, `import std.ops.*`, `1...4`, `elif`.
bool ErrorStrategy::reportHabit(const Place &place) {
  auto [previous, found] = std::pair(place.previous, place.found);
  llvm::StringRef next = errors.text(place.next);
  std::string help;
  bool isFirstWord = endsLine(place.earlier.kind) || place.earlier.kind == TokenKind::LBrace;
  if (found.kind == TokenKind::Colon && isName(previous.kind) && isFirstWord &&
      !endsLine(place.next.kind))
    help = fmt::format("an attribute has no `:`, write `{0} {1}`; to give a value to a name, write "
                       "`{0} = {1}`",
                       errors.text(previous), next);
  else if (found.kind == TokenKind::Star && previous.kind == TokenKind::Star)
    help = fmt::format("a power is written `{}^{}`", errors.text(place.earlier), next);
  else if (found.kind == TokenKind::Star && previous.kind == TokenKind::Dot)
    help = "an import of a module brings all its names; modules of a folder are listed, such as "
           "`import std.ops.{matmul, conv2d}`";
  else if (found.kind == TokenKind::Ellipsis && endsValue(previous.kind))
    help = fmt::format("a range is written `{}..{}`", errors.text(previous), next);
  else if (errors.text(found) == "elif" || errors.text(found) == "elsif")
    help = "write `else if`";
  if (help.empty())
    return false;
  errors.report(found, diag::StrayCharacter, fmt::format("`{}`", errors.text(found)))
      .help(std::move(help));
  return true;
}

/// Words that are hardly meant as one more value.
static bool isClauseWord(llvm::StringRef word) {
  static constexpr llvm::StringLiteral words[] = {"on", "with", "using", "over",   "from", "by",
                                                  "as", "for",  "to",    "within", "after"};
  return llvm::is_contained(words, word);
}

/// A clause that has no value: `keep input output`, `224 word`, `on x, with y`.
bool ErrorStrategy::reportEmptyClause(const Place &place) {
  bool isUnit = place.found.kind == TokenKind::Slash && place.earlier.kind == TokenKind::Number;
  bool isBare = isName(place.previous.kind) &&
                (endsLine(place.found.kind) || place.found.kind == TokenKind::LBrace ||
                 place.found.kind == TokenKind::Comma || place.found.kind == TokenKind::Assign);
  if ((!isBare && !isUnit) || !endsValue(place.earlier.kind))
    return false;
  llvm::StringRef word = errors.text(place.previous), value = errors.text(place.earlier);
  Token both{TokenKind::Number, place.earlier.begin, place.previous.end};
  if (place.found.kind == TokenKind::Assign)
    errors.report(place.previous, diag::ExpectedFound, "`,` between two values",
                  fmt::format("`{}`", word));
  else if (place.earlier.kind == TokenKind::Number && value.endswith("%"))
    errors.report(both, diag::PercentNotSpaced, value)
        .help(fmt::format("put spaces around `%` for the remainder: `{} % {}`", value.drop_back(),
                          word));
  else if (place.earlier.kind == TokenKind::Number)
    errors.report(both, diag::UnitNotGlued).help(fmt::format("write `{}{}`", value, word));
  else if (place.first.kind == TokenKind::Comma && isName(place.earlier.kind))
    errors.report(place.first, diag::CommaBeforeClause, value)
        .help(isClauseWord(value)
                  ? fmt::format("write ` {} {}`", value, word)
                  : fmt::format("items of one line are separated by `;`: `; {} {}`", value, word));
  else if (isClauseWord(word))
    errors.report(place.previous, diag::ClauseWithoutValue, word);
  else
    errors.report(place.previous, diag::ClauseWithoutValue, word)
        .help(fmt::format("if it is one more value, put a comma before it: `{}, {}`", value, word));
  return true;
}

/// Two values side by side: `tensor 8`, `f(2 3)`.
bool ErrorStrategy::reportSecondValue(const Place &place) {
  bool isValue = place.found.kind == TokenKind::Number || place.found.kind == TokenKind::String;
  if (!isValue || !endsValue(place.previous.kind) || place.previous.kind == TokenKind::As)
    return false;
  llvm::StringRef word = errors.text(place.previous), value = errors.text(place.found);
  Diagnostic &diagnostic = errors.report(place.found, diag::ValueAfterValue, word);
  if (isName(place.previous.kind))
    diagnostic.help(
        place.earlier.kind == TokenKind::Comma
            ? fmt::format("a new item starts on a new line or after `;`: `; {} {}`", word, value)
            : fmt::format(
                  "give it to the name with `=`: `{0} = {1}`; parts of an attribute stand in "
                  "a block: `{{ {0} {1} }}`",
                  word, value));
  else
    diagnostic.help(fmt::format("separate values with a comma: `{}, {}`", word, value));
  return true;
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
    words.push_back(has(PerfParser::DOT) ? "`.`" : "a string");
  if (has(PerfParser::PLUS) && !isExpression)
    words.push_back("an operator");
  static constexpr std::pair<size_t, const char *> signs[] = {
      {PerfParser::THEN, "`then`"}, {PerfParser::ELSE, "`else`"},   {PerfParser::COMMA, "`,`"},
      {PerfParser::R_PAREN, "`)`"}, {PerfParser::R_BRACKET, "`]`"}, {PerfParser::R_BRACE, "`}`"},
      {PerfParser::L_BRACE, "`{`"}, {PerfParser::ASSIGN, "`=`"}};
  for (auto [type, sign] : signs)
    if (has(type) &&
        !(isExpression && type != PerfParser::R_PAREN && type != PerfParser::R_BRACKET))
      words.push_back(sign);
  if (has(antlr4::Token::EOF) || has(PerfParser::NEWLINE))
    words.push_back("the end of the line");
  bool isList = has(PerfParser::R_PAREN) || has(PerfParser::R_BRACKET);
  if (isList && !isExpression && !has(PerfParser::COMMA))
    words.insert(words.begin(), "`,`");
  if (words.size() > 4)
    words.resize(4);
  if (words.empty())
    return "the end of the line";
  std::string last = words.pop_back_val();
  return words.empty() ? last : llvm::join(words, ", ") + " or " + last;
}

void ErrorStrategy::reportExpected(antlr4::Parser *parser, const Place &place) {
  auto [previous, found] = std::pair(place.previous, place.found);
  std::string expected = describeExpected(parser);
  bool wantsName = expected == "a name" || llvm::StringRef(expected).startswith("an expression");
  bool isNamed = found.kind == TokenKind::Assign && isReserved(previous.kind);
  if (found.kind == TokenKind::If && isBinary(previous.kind) && expected != "a name") {
    errors.report(found, diag::NeedsParentheses, "if");
    return;
  }
  wantsName |= place.next.kind == TokenKind::Assign;
  if (isNamed || (isReserved(found.kind) && wantsName)) {
    Token word = isNamed ? previous : found;
    errors.report(word, diag::ReservedWord, errors.text(word));
    return;
  }
  if (endsLine(found.kind) || isClosing(found.kind)) {
    Token gap{TokenKind::Stray, previous.end, previous.end};
    errors.report(gap, diag::ExpectedAfter, expected, errors.text(previous));
    return;
  }
  Diagnostic &diagnostic =
      errors.report(found, diag::ExpectedFound, expected, describe(errors, found));
  bool compares = found.kind == TokenKind::Less || found.kind == TokenKind::Greater ||
                  found.kind == TokenKind::LessEqual || found.kind == TokenKind::GreaterEqual;
  bool isFirstWord = endsLine(place.earlier.kind) || place.earlier.kind == TokenKind::LBrace;
  if (compares && isFirstWord && isName(previous.kind))
    diagnostic.help(fmt::format("to check a metric, write `expect {} {} …` in a statement's block",
                                errors.text(previous), errors.text(found)));
  if (found.kind == TokenKind::Assign)
    diagnostic.help(isBinary(previous.kind) ? "the reductions are `+=`, `max=` and `min=`"
                                            : "`==` compares");
}
