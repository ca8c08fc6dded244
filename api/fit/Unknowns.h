// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is looked for in place of the constants of a fit: logarithms of them or, on a linear scale,
// shares of the way between their bounds.
#ifndef PERFC_API_FIT_UNKNOWNS_H
#define PERFC_API_FIT_UNKNOWNS_H

#include "api/fit/FitRows.h"
#include "api/fit/Minimise.h"

namespace perfc::api {

/// The 5 % and 95 % points of a normal distribution are so many standard deviations away.
constexpr double endOfInterval = 1.6448536269514722;

/// A fit's unknowns, and the values of constants that they stand for.
class Unknowns {
public:
  Unknowns(const Fit &fit, size_t firstConstant, const ConstantValues &values);

  /// Lets the unknowns of constants that have a prior start from what is `written` as well.
  void startAt(llvm::ArrayRef<const FitConstant *> written);
  /// Puts into `values` what the unknowns stand for.
  void set(llvm::ArrayRef<double> unknowns, ConstantValues &values) const;
  double valueOf(size_t unknown, double at) const;
  std::vector<LinearTerm> terms() const;

  struct Place {
    const FitLine *line;
    size_t constant; ///< its index among all
    size_t number;   ///< in its line
  };
  std::vector<Place> places;
  std::vector<Unknown> unknowns;
  /// The mean of a line: its constant, and the unknowns that it is of.
  struct Mean {
    size_t constant, begin, end;
  };
  std::vector<Mean> means;
  const Fit &fit;

private:
  /// What the unknown is expected to be more than others of its line.
  double expectedOf(size_t unknown) const;
  double unknownOf(const FitLine &line, double value) const;
};

} // namespace perfc::api

#endif // PERFC_API_FIT_UNKNOWNS_H
