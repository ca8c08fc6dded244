// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax errors of one file: a range of bytes becomes a diagnostic, and after
// `maxSyntaxErrors` of them the file is given up, since what follows is rarely about the text.
#ifndef PERFC_FRONTEND_SYNTAX_SYNTAXERRORS_H
#define PERFC_FRONTEND_SYNTAX_SYNTAXERRORS_H

#include "frontend/syntax/Token.h"
#include "ir/common/Diagnostics.h"

namespace perfc::syntax {

inline constexpr unsigned maxSyntaxErrors = 20;

class SyntaxErrors {
public:
  SyntaxErrors(const SourceManager &sources, FileId file, DiagnosticEngine &diagnostics)
      : source(sources.text(file)), file(file), diagnostics(diagnostics) {}

  /// Reports an error at `where`; the reference is valid until the next one.
  template <typename... Args>
  Diagnostic &report(SourceRange where, const DiagnosticKind &kind, const Args &...args) {
    ++count;
    return diagnostics.report(where, kind, args...);
  }
  template <typename... Args>
  Diagnostic &report(Token token, const DiagnosticKind &kind, const Args &...args) {
    return report(range(token), kind, args...);
  }

  /// True once the file is to be given up; `giveUp` makes it so at once.
  bool isFull() const { return stopped || count >= maxSyntaxErrors; }
  void giveUp() { stopped = true; }
  /// True when errors were many enough to end the reading, which is then said at `where`.
  void reportIfTooMany(uint32_t where);

  SourceRange range(Token token) const { return {file, token.begin, token.end}; }
  llvm::StringRef text(Token token) const { return source.slice(token.begin, token.end); }
  llvm::StringRef text() const { return source; }
  FileId fileId() const { return file; }

private:
  llvm::StringRef source;
  FileId file;
  DiagnosticEngine &diagnostics;
  unsigned count = 0;
  bool stopped = false;
};

/// Checks that `text` is UTF-8; reports the first byte that is not and returns false.
bool checkUtf8(SyntaxErrors &errors);

/// Reports a run of bytes that no token may hold: `$`, a NUL byte, `±` with its ASCII spelling.
void reportStray(SyntaxErrors &errors, Token run);

} // namespace perfc::syntax

#endif // PERFC_FRONTEND_SYNTAX_SYNTAXERRORS_H
