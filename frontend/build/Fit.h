// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `calibrate` statement: constants that are fitted to the rows of the file's `validate`
// statements. What is minimised is in docs/calibration.md.
#ifndef PERFC_FRONTEND_BUILD_FIT_H
#define PERFC_FRONTEND_BUILD_FIT_H

#include "frontend/build/FitConstant.h"
#include <functional>

namespace perfc {

/// Constants of one `parameter` line; each has a value of its own.
struct FitLine {
  std::vector<FitConstant> constants;
  /// Of each, what it is expected to be in multiples of the others, `a.share, b.share / 1.1`:
  /// priors and means are of quotients.
  std::vector<double> divisors;
  double low = 0, high = 0; ///< in base units
  bool isLog = false;
  /// What is known beside the measurements: the value, where the fit starts, and the half of its
  /// 90 % interval.
  llvm::Optional<double> prior;
  double priorWidth = 0;
  double alike = 0; ///< half of the 90 % interval around their mean, as a share; 0 for none
  llvm::Optional<FitConstant> mean;
  SourceRange range;
};

/// Groups of rows by their values, with `*`.
using RowGroups = std::vector<std::pair<std::string, std::string>>;

/// `interval a.measured of library = "nccl*"`: the half widths of these constants, by rows that the
/// fit has not seen.
struct FitInterval {
  std::vector<FitConstant> constants;
  RowGroups of;
  SourceRange range;
};

struct Fit {
  std::string name;
  SourceRange range;
  /// Modules whose `validate` statements count as the file's own.
  std::vector<const Module *> tables;
  std::vector<FitLine> lines;
  std::vector<FitInterval> intervals;
  RowGroups only;
  std::vector<std::string> metrics; ///< none for the first
  bool isRobust = true;
  bool isRelative = false; ///< errors are predicted / measured - 1, else its logarithm
  double scale = 0.04;     ///< of errors
  /// So many rows of a group.
  struct OfGroup {
    double rows = 0; ///< 0 for no limit
    std::string by;
  };
  /// What all rows of a group count as at most, of their number.
  std::function<double(double rows)> weight; ///< null where each counts once
  std::string weightBy;
  OfGroup sample; ///< that it is fitted to at most
  std::vector<std::string> leaveOut;
  /// Devices of one family, each with figures of its chip's `layers` of its own.
  struct Family {
    std::string by;                 ///< rows of one group are of one device
    std::vector<std::string> sheet; ///< groups whose values are numbers of its data sheet
    std::string work;               ///< rows of one group do the same; "" where each is by itself
    bool learnsWork = false;        ///< what works amount to is learnt, not counted
    double ridge = 0.03;            ///< how much what the sheet says is shrunk
    double apart = 0;               ///< how far devices of one sheet are apart, as expected
    double leastError = 0.02;       ///< of single rows
    SourceRange range;
  };
  llvm::Optional<Family> family;
};

/// The fit that `statement` declares; nothing after a report.
llvm::Optional<Fit> readFit(Evaluator &evaluator, const ast::Item &statement, const Scope &scope);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_FIT_H
