// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of names, values and elaboration share: text in; values, nodes or errors as text
// out.
#ifndef PERFC_TEST_UNIT_FRONTEND_SEMA_EVALUATED_H
#define PERFC_TEST_UNIT_FRONTEND_SEMA_EVALUATED_H

#include "frontend/sema/Elaborator.h"
#include <string>

namespace perfc::test {

/// A program, loaded, with all that belongs to it.
struct Loaded {
  explicit Loaded(std::string text, std::string path = "test.perf");

  /// The value of the file's `let` or `param` `name`; the errors when there are any.
  std::string value(llvm::StringRef name = "x");
  /// The tree of the file's declaration `name` after elaboration; the errors when there are any.
  std::string tree(llvm::StringRef name);
  /// `line:column code message` of each diagnostic, one a line.
  std::string errors() const;
  const Decl *find(llvm::StringRef name);

  SourceManager sources;
  DiagnosticEngine diagnostics;
  Program program;
  Evaluator evaluator;
  Elaborator elaborator;
  const Module *root;
};

/// The value of `x` in `text`.
std::string valueIn(std::string text);
/// The value of `expression`.
std::string valueOf(const std::string &expression);
/// The code of the one error in `text`, whose `x` is evaluated; 0 when there is none.
unsigned codeIn(std::string text);
unsigned codeOf(const std::string &expression);

} // namespace perfc::test

#endif // PERFC_TEST_UNIT_FRONTEND_SEMA_EVALUATED_H
