// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A real number with its error budget: a central value and one signed contribution per uncertainty
// source. A contribution is the change of the value when that source moves from its centre to the
// upper end of its central 90 % interval, to first order. Contributions of one source add linearly
// (they are correlated), those of different sources in quadrature (GUM, JCGM 100:2008, eq. 10); the
// interval is computed when it is asked for, so composition keeps the correlations.
#ifndef PERFC_IR_COMMON_UNCERTAIN_H
#define PERFC_IR_COMMON_UNCERTAIN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace perfc {

/// Identity of one written `+-`: a hash of its file and offset, stable between runs.
using UncertaintySource = uint64_t;

UncertaintySource uncertaintySource(llvm::StringRef path, uint32_t offset);

class Uncertain {
public:
  struct Contribution {
    UncertaintySource source;
    double delta; ///< signed, in the value's unit
  };

  Uncertain(double value = 0) : value(value) {}
  /// value +- halfWidth from one source.
  Uncertain(double value, double halfWidth, UncertaintySource source);
  /// In any order; those of one source are added up.
  Uncertain(double value, llvm::ArrayRef<Contribution> contributions);

  double central() const { return value; }
  /// Half the width of the central 90 % interval: sqrt of the sum of squared contributions.
  double halfWidth() const;
  bool isCertain() const { return parts.empty(); }
  /// Sorted by source.
  llvm::ArrayRef<Contribution> contributions() const { return parts; }

  /// f(x) to first order: a central value and the derivative there.
  Uncertain map(double newValue, double derivative) const;

  Uncertain &operator+=(const Uncertain &other) { return *this = *this + other; }
  friend Uncertain operator+(const Uncertain &a, const Uncertain &b);
  friend Uncertain operator-(const Uncertain &a, const Uncertain &b);
  friend Uncertain operator*(const Uncertain &a, const Uncertain &b);
  friend Uncertain operator/(const Uncertain &a, const Uncertain &b);

private:
  static Uncertain combine(double value, const Uncertain &a, double scaleA, const Uncertain &b,
                           double scaleB);

  double value;
  std::vector<Contribution> parts;
};

/// The larger by central value, with its contributions (first order: the maximum follows one side).
Uncertain max(const Uncertain &a, const Uncertain &b);
Uncertain min(const Uncertain &a, const Uncertain &b);

} // namespace perfc

#endif // PERFC_IR_COMMON_UNCERTAIN_H
