// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens at a syntax error: one message that says what is expected in the words of a user,
// then everything up to the next newline, `;` or the block's `}` is skipped, and the item is marked
// (by its context's `exception`) so that no tree is built for it. For .cpp files that include
// ANTLR.
#ifndef PERFC_FRONTEND_SYNTAX_ERRORSTRATEGY_H
#define PERFC_FRONTEND_SYNTAX_ERRORSTRATEGY_H

#include "antlr4-runtime.h"
#include "frontend/syntax/SyntaxErrors.h"

namespace perfc::syntax {

/// Thrown, and caught by ItemParser, when the file has too many errors to go on.
struct GiveUp {};

class ErrorStrategy final : public antlr4::ANTLRErrorStrategy {
public:
  explicit ErrorStrategy(SyntaxErrors &errors) : errors(errors) {}

  void reset(antlr4::Parser *) override { isRecovering = false; }
  antlr4::Token *recoverInline(antlr4::Parser *parser) override;
  void recover(antlr4::Parser *parser, std::exception_ptr error) override;
  void sync(antlr4::Parser *parser) override;
  bool inErrorRecoveryMode(antlr4::Parser *) override { return isRecovering; }
  void reportMatch(antlr4::Parser *) override { isRecovering = false; }
  void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &error) override;

private:
  /// The tokens around an error; `found` is the one that does not fit.
  struct Place {
    Token first, earlier, previous, found, next;
  };

  void report(antlr4::Parser *parser);
  bool reportHabit(const Place &place);
  bool reportLineStart(const Place &place);
  bool reportEmptyClause(const Place &place);
  bool reportSecondValue(const Place &place);
  void reportExpected(antlr4::Parser *parser, const Place &place);
  void skipLine(antlr4::Parser *parser);

  SyntaxErrors &errors;
  bool isRecovering = false;
};

} // namespace perfc::syntax

#endif // PERFC_FRONTEND_SYNTAX_ERRORSTRATEGY_H
