// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From text to syntax tree. The lexer and parser are generated from grammar/ by ANTLR and stay
// behind this header. A file is parsed one top-level item at a time (the newline filter knows where
// an item ends), so that memory follows the largest item and not the file; nesting deeper than
// `maxNesting` is refused before the generated parser sees it.
#ifndef PERFC_FRONTEND_SYNTAX_PARSER_H
#define PERFC_FRONTEND_SYNTAX_PARSER_H

#include "frontend/syntax/AST.h"
#include "ir/common/Diagnostics.h"
#include <memory>

namespace perfc {

inline constexpr unsigned maxNesting = 256;

/// Parses `file`. Always returns a tree: items with syntax errors are reported and left out.
std::unique_ptr<ast::SyntaxFile> parseFile(const SourceManager &sources, FileId file,
                                           DiagnosticEngine &diagnostics);

/// Parses the items that stand in `part` of the file of `tree`, into its arena. The file is UTF-8.
llvm::ArrayRef<ast::Item *> parsePart(ast::SyntaxFile &tree, SourceRange part,
                                      const SourceManager &sources, DiagnosticEngine &diagnostics);

/// Where an item of a file stands, and its first two words: `let`, `x`.
struct Heading {
  llvm::StringRef word, name;
  SourceRange range;
};

/// The items of `file`, which is formatted: an item begins where a line does with a letter, and all
/// other lines are comments, indented, or close a bracket. Nothing is parsed.
llvm::SmallVector<Heading, 0> outline(const SourceManager &sources, FileId file);

/// Formats `file` in the one style of the language; nothing when the file has syntax errors (which
/// are reported). Comments are kept, and formatting formatted text changes nothing.
llvm::Optional<std::string> formatFile(const SourceManager &sources, FileId file,
                                       DiagnosticEngine &diagnostics);

} // namespace perfc

#endif // PERFC_FRONTEND_SYNTAX_PARSER_H
