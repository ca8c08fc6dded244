// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a MAESTRO file. Commas, colons, parentheses, semicolons and arrows only separate, as
// spaces do: `K: 64`, `K 64` and `K -> 64` are the same. Braces stand for themselves, `//` starts a
// comment.
#ifndef PERFC_FRONTEND_IMPORT_MAESTRO_TOKENS_H
#define PERFC_FRONTEND_IMPORT_MAESTRO_TOKENS_H

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/Optional.h"
#include <utility>

namespace perfc::maestro {

struct Token {
  llvm::StringRef text; ///< "" at the end of the file
  SourceRange range;
  bool isEnd() const { return text.empty(); }
  bool is(llvm::StringRef other) const { return text == other; }
  /// A name or a number, not a brace.
  bool isWord() const { return !isEnd() && !is("{") && !is("}"); }
};

/// All tokens of `file`, the end last.
std::vector<Token> tokenize(const SourceManager &sources, FileId file);

/// Reads tokens one after another; what is wrong is reported once per call.
class TokenReader {
public:
  TokenReader(DiagnosticEngine &diagnostics, FileId file)
      : diagnostics(diagnostics), tokens(tokenize(diagnostics.sourceManager(), file)) {}

  const Token &peek() const { return tokens[position]; }
  /// The current token; the reader moves on, but never beyond the end.
  Token next();
  /// Moves on if the current token is `text`.
  bool skip(llvm::StringRef text);
  /// The same, with a report that `text` is expected if it is another.
  bool expect(llvm::StringRef text);
  /// A name or number; `what` is for the report.
  llvm::Optional<Token> word(llvm::StringRef what);
  /// Blocks that are open here.
  unsigned depth() const { return open; }
  /// Moves on until no more than `depth` blocks are open, or to the end.
  void leaveBlocks(unsigned depth);
  /// Says what is missing; of a file that ends early only once.
  void reportExpected(llvm::StringRef what);

  DiagnosticEngine &diagnostics;

private:
  std::vector<Token> tokens;
  size_t position = 0;
  unsigned open = 0;
  bool endReported = false;
};

} // namespace perfc::maestro

#endif // PERFC_FRONTEND_IMPORT_MAESTRO_TOKENS_H
