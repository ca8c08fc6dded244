// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the syntax share: text in; the tree, or the errors, as text out.
#ifndef PERFC_TEST_UNIT_FRONTEND_SYNTAX_SYNTAXTEXT_H
#define PERFC_TEST_UNIT_FRONTEND_SYNTAX_SYNTAXTEXT_H

#include "frontend/syntax/Parser.h"
#include <string>
#include <vector>

namespace perfc::test {

/// A text, parsed, with all that belongs to it.
struct Parsed {
  explicit Parsed(std::string text);

  SourceManager sources;
  FileId file;
  DiagnosticEngine diagnostics;
  std::unique_ptr<ast::SyntaxFile> tree;
};

/// Expressions fully bracketed, items one a line: `x = (1 + 2)`, `at PE.x <parallel q = 14>`.
std::string treeText(const Parsed &parsed);
std::string treeText(const ast::Expr *expr);

/// The tree of `text`; its errors instead when it has any.
std::string parseText(std::string text);

/// `line:column code message` of each error.
std::vector<std::string> errorsOf(std::string text);

/// The text formatted, or "error".
std::string formatText(std::string text);

/// The programs of test/samples.
std::vector<std::string> samplePaths();
std::string readFile(const std::string &path);
/// `count` copies of `text`, one after the other.
std::string repeat(const std::string &text, size_t count);

} // namespace perfc::test

#endif // PERFC_TEST_UNIT_FRONTEND_SYNTAX_SYNTAXTEXT_H
