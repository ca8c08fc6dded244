// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constant of a program: the value of a word in a declaration, of an argument of what it is made
// from, or of a `let`, and of a member of a record there, by a dotted name such as `hopper.launch`,
// `my_phone.DRAM.bandwidth` or `my_library.fp8.loss`. What stands in its place is an expression;
// a fit puts other values there (Compilation::setConstants).
#ifndef PERFC_FRONTEND_BUILD_FITCONSTANT_H
#define PERFC_FRONTEND_BUILD_FITCONSTANT_H

#include "frontend/sema/Evaluator.h"

namespace perfc {

struct FitConstant {
  std::string path;           ///< as written
  const Decl *decl = nullptr; ///< the first name of it
  /// The lines that lead to it in the declaration, outermost first; none for a `let` and for an
  /// argument.
  std::vector<const ast::Item *> lines;
  llvm::StringRef clause; ///< the word of a clause of the last line; "" for its own value
  const ast::Expr *place = nullptr;
  std::vector<FitConstant> others; ///< that have the same value, `a.launch = b.launch`
  double written = 0;              ///< in base units, as all values of it
  Dimension dimension;

  /// `value` as the program would write it, with so many significant digits: "5330cycle".
  std::string text(double value, unsigned digits) const;
};

/// The name of a part, `GLB` of `memory GLB { … }` and `PE` of `array PE[16] { … }`; "" for another
/// line.
llvm::StringRef partName(const ast::Item &item);

/// The constants called `path`, in the order of the declaration: one, or those of all parts that a
/// `*` in it stands for, `nvlink4.*.ll.start`. None after a report.
std::vector<FitConstant> findConstants(Evaluator &evaluator, const ast::Expr &path,
                                       const Scope &scope);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_FITCONSTANT_H
