// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fits have found as a program: a declaration `from` each that has fitted constants, with
// these and their 90 % intervals.
#ifndef PERFC_API_FIT_FITTEXT_H
#define PERFC_API_FIT_FITTEXT_H

#include "api/fit/Calibration.h"

namespace perfc::api {

/// `root` is the path of the program, which the text imports.
std::string fittedProgram(const FitRows &rows, llvm::ArrayRef<FitFindings> findings,
                          llvm::StringRef root, const SourceManager &sources);

/// The line that makes `decl` visible in a program beside the one at `root`.
std::string importLine(const Decl &decl, llvm::StringRef root, const SourceManager &sources);

/// A constant's value as the program writes it, with its interval: "5330cycle +- 2.1%".
std::string textWithInterval(const FitConstant &constant, const FitFindings::Constant &found,
                             unsigned digits);

} // namespace perfc::api

#endif // PERFC_API_FIT_FITTEXT_H
