// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the builders share: a program in; its IR, or its errors, as text out.
#ifndef PERFC_TEST_UNIT_FRONTEND_BUILD_COMPILED_H
#define PERFC_TEST_UNIT_FRONTEND_BUILD_COMPILED_H

#include "frontend/build/Compilation.h"
#include <string>
#include <vector>

namespace perfc::test {

/// A program, checked and built into one module of verified IR.
struct Compiled {
  explicit Compiled(std::string text, Compilation::Defines defines = {});

  /// The IR of the module; the errors when there are any.
  std::string ir() const;
  /// `line:column code message` of each diagnostic, one a line.
  std::string errors() const;
  /// The lines of the IR that contain `text`, without their indentation.
  std::vector<std::string> lines(llvm::StringRef text) const;
  /// The only such line; what was found instead when there is not exactly one.
  std::string line(llvm::StringRef text) const;

  SourceManager sources;
  DiagnosticEngine diagnostics;
  Compilation compilation;
  ir::Module module;
};

bool has(const std::string &text, const std::string &part);
/// The code of the one error in `text`; 0 when there is none, 10000 + n when there are n.
unsigned codeIn(const std::string &text);

/// An op, and a program that evaluates it on a chip: `op(arguments)`.
std::string runOp(const std::string &op, const std::string &call);
/// A body of a workload `w() -> y` between tensors, evaluated on a chip.
std::string runBody(const std::string &before, const std::string &body);
/// A minimal chip `c`.
extern const char *const chip;

} // namespace perfc::test

#endif // PERFC_TEST_UNIT_FRONTEND_BUILD_COMPILED_H
