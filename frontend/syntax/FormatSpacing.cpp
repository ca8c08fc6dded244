// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/FormatLines.h"

using namespace perfc;
using namespace perfc::syntax;

namespace {

/// Walks over a line and knows, at each token, what it is there: a word may be the head of an item,
/// a clause, an operand, the name of a reduction.
class Spacing {
public:
  explicit Spacing(std::vector<FormatToken> &tokens) : tokens(tokens) {}

  void run() {
    for (size_t i = 0; i < tokens.size(); ++i) {
      tokens[i].gap = i > 0 && wantsSpace(i) ? 1 : 0;
      advance(i);
    }
    for (size_t i = 1; i < tokens.size(); ++i) {
      bool isBroken = tokens[i].isBreakBefore && mayBreakAfter(tokens, i - 1);
      tokens[i].isBreakBefore = isBroken || !tokens[i - 1].comments.empty();
    }
  }

private:
  /// Where the walk is.
  enum class State {
    Start,   ///< of an item
    Head,    ///< after the word of an item or a clause: a value follows
    Operand, ///< a value must follow
    Value,   ///< after a complete value
  };

  TokenKind kind(size_t i) const { return i < tokens.size() ? tokens[i].kind : TokenKind::End; }
  bool isGlued(size_t i) const { return tokens[i].spaces == 0; }

  bool isReduction(size_t i) const;
  bool isTightStar(size_t i) const;
  bool isIndexedTarget(size_t open) const;
  bool wantsSpace(size_t i) const;
  bool wantsSpaceBeforeBracket(size_t i) const;
  void advance(size_t i);

  std::vector<FormatToken> &tokens;
  State state = State::Start;
  bool isSign = false;            ///< the token before is a `-` before a value
  bool isReducing = false;        ///< the token before is the name of a reduction
  std::vector<bool> importBraces; ///< of the open braces, which belong to an import
};

} // namespace

/// `max` in `m[i] max= e`, and in `m max= e` when it is written so.
bool Spacing::isReduction(size_t i) const {
  if (!isName(kind(i)) || kind(i + 1) != TokenKind::Assign)
    return false;
  if (state == State::Value)
    return true;
  return state == State::Head && isGlued(i + 1) && i + 2 < tokens.size() && !isGlued(i + 2) &&
         (tokens[i].text == "max" || tokens[i].text == "min");
}

/// The author's `2*x` stays tight; every other operator has one way.
bool Spacing::isTightStar(size_t i) const {
  return kind(i) == TokenKind::Star && isGlued(i) && i + 1 < tokens.size() && isGlued(i + 1);
}

/// Tells `O[n] += e` from `stages [1, 2]`.
bool Spacing::isIndexedTarget(size_t open) const {
  unsigned depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    if (isOpening(kind(i)))
      ++depth;
    else if (isClosing(kind(i)) && --depth == 0) {
      TokenKind next = kind(i + 1);
      bool isSet = next == TokenKind::Assign || next == TokenKind::PlusAssign;
      return isSet || (isName(next) && kind(i + 2) == TokenKind::Assign);
    }
  }
  return false;
}

bool Spacing::wantsSpaceBeforeBracket(size_t i) const {
  TokenKind previous = kind(i - 1);
  if (isOpening(previous) || isSign || previous == TokenKind::Caret ||
      previous == TokenKind::DotDot || previous == TokenKind::Dot || isTightStar(i - 1))
    return false;
  if (state == State::Value)
    return false;
  bool isTarget = state == State::Head && kind(i) == TokenKind::LBracket && isIndexedTarget(i);
  return !isTarget;
}

bool Spacing::wantsSpace(size_t i) const {
  TokenKind previous = kind(i - 1), next = kind(i);
  switch (next) {
  case TokenKind::Comma:
  case TokenKind::Semi:
  case TokenKind::Colon:
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::Dot:
  case TokenKind::DotDot:
  case TokenKind::Caret:
    return false;
  case TokenKind::LParen:
  case TokenKind::LBracket:
    return wantsSpaceBeforeBracket(i);
  case TokenKind::LBrace:
    return previous != TokenKind::Dot;
  case TokenKind::RBrace:
    return previous != TokenKind::LBrace && (importBraces.empty() || !importBraces.back());
  case TokenKind::Assign:
    return !isReducing;
  default:
    break;
  }
  switch (previous) {
  case TokenKind::LParen:
  case TokenKind::LBracket:
  case TokenKind::Dot:
  case TokenKind::DotDot:
  case TokenKind::Caret:
    return false;
  case TokenKind::LBrace:
    return importBraces.empty() || !importBraces.back();
  default:
    return !isSign && !isTightStar(i) && !isTightStar(i - 1);
  }
}

void Spacing::advance(size_t i) {
  TokenKind token = kind(i);
  bool isMinusSign = token == TokenKind::Minus && state != State::Value;
  isReducing = isReduction(i);
  isSign = isMinusSign;
  switch (token) {
  case TokenKind::Semi:
    state = State::Start;
    return;
  case TokenKind::LBrace:
    importBraces.push_back(i > 0 && kind(i - 1) == TokenKind::Dot);
    state = State::Start;
    return;
  case TokenKind::RBrace:
    if (!importBraces.empty())
      importBraces.pop_back();
    state = State::Value;
    return;
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::Ellipsis:
    state = State::Value;
    return;
  default:
    break;
  }
  bool isWord = isName(token) || token == TokenKind::Import;
  if (!isWord || (token == TokenKind::Step && state == State::Value)) {
    state = State::Operand;
    return;
  }
  bool isHead = state == State::Start || (state == State::Value && !isReducing);
  state = isHead ? State::Head : State::Value;
}

void syntax::setGaps(std::vector<FormatToken> &tokens) { Spacing(tokens).run(); }

bool syntax::mayBreakAfter(llvm::ArrayRef<FormatToken> tokens, size_t i) {
  if (i + 1 >= tokens.size())
    return false;
  switch (tokens[i].kind) {
  case TokenKind::Comma:
    return true;
  case TokenKind::LParen:
  case TokenKind::LBracket:
    return !isClosing(tokens[i + 1].kind);
  case TokenKind::Assign:
  case TokenKind::PlusAssign:
  case TokenKind::Arrow:
  case TokenKind::In:
  case TokenKind::DotDot:
  case TokenKind::Caret:
    return false;
  default:
    return isBinary(tokens[i].kind) && tokens[i + 1].gap > 0;
  }
}
