// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text as the formatter sees it: one FormatLine per line of the result, with its tokens, its
// comment and how deep it is indented. Formatter.cpp states the style.
#ifndef PERFC_FRONTEND_SYNTAX_FORMATLINES_H
#define PERFC_FRONTEND_SYNTAX_FORMATLINES_H

#include "frontend/syntax/Token.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace perfc::syntax {

/// The widest line that is not broken.
inline constexpr unsigned maxColumns = 110;

/// Further lines of one item are indented by this.
inline constexpr unsigned continuationIndent = 4;

/// Characters of UTF-8 text.
unsigned displayWidth(llvm::StringRef text);

struct FormatToken {
  TokenKind kind = TokenKind::End;
  llvm::StringRef text;
  unsigned column = 0;        ///< in the source, from 0
  unsigned spaces = 0;        ///< before it in the source, on its line
  unsigned gap = 0;           ///< before it in the result: 0 or 1, more when it is aligned
  bool isBreakBefore = false; ///< starts a line of the result, within its item
  std::vector<llvm::StringRef> comments; ///< after it, within its line; the line breaks after each
};

struct FormatLine {
  unsigned indent = 0; ///< blocks around it
  bool isBlankBefore = false;
  bool isOneLine = true;           ///< its tokens stood on one line of the source
  bool isContinued = false;        ///< only a comment, which goes on with that of the line before
  std::vector<FormatToken> tokens; ///< empty: a line with a comment only
  llvm::StringRef comment;         ///< at its end, or ""
  unsigned commentColumn = 0;      ///< in the source

  /// The column at which its tokens end, and the farthest one where it is broken before that.
  unsigned endColumn() const;
  unsigned width() const;
};

/// Splits a text without syntax errors into lines: a block that was on one line stays on it if it
/// fits. Sets the gaps.
std::vector<FormatLine> splitLines(llvm::StringRef text);

/// Sets the gap before each token of a line to what the style wants: 0 or 1.
void setGaps(std::vector<FormatToken> &tokens);

/// True when a line may end after token `i`: a comma, an operator, an opening parenthesis.
bool mayBreakAfter(llvm::ArrayRef<FormatToken> tokens, size_t i);

/// The lines as text: aligned where the author aligned them, broken where they are too long.
std::string printLines(std::vector<FormatLine> &lines);

} // namespace perfc::syntax

#endif // PERFC_FRONTEND_SYNTAX_FORMATLINES_H
