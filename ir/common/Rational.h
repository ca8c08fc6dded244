// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact rational numbers over 64-bit integers. Every operation is exact or gives nothing: counts
// neither round nor wrap. Values are kept in lowest terms with a positive denominator.
#ifndef PERFC_IR_COMMON_RATIONAL_H
#define PERFC_IR_COMMON_RATIONAL_H

#include "llvm/ADT/Optional.h"
#include <cstdint>
#include <string>

namespace perfc {

class Rational {
public:
  constexpr Rational(int64_t integer = 0) : num(integer), den(1) {}

  /// numerator / denominator in lowest terms; nothing if it does not fit or denominator is 0.
  static llvm::Optional<Rational> make(__int128 numerator, __int128 denominator);

  int64_t numerator() const { return num; }
  int64_t denominator() const { return den; }
  bool isInteger() const { return den == 1; }
  double toDouble() const { return static_cast<double>(num) / static_cast<double>(den); }

  int64_t floor() const;
  int64_t ceil() const;
  /// Negative, zero or positive, as this is less than, equal to or greater than `other`.
  int compare(Rational other) const;
  bool operator==(const Rational &other) const { return num == other.num && den == other.den; }

private:
  int64_t num;
  int64_t den;
};

llvm::Optional<Rational> add(Rational a, Rational b);
llvm::Optional<Rational> subtract(Rational a, Rational b);
llvm::Optional<Rational> multiply(Rational a, Rational b);
/// Nothing when `b` is zero or the quotient does not fit.
llvm::Optional<Rational> divide(Rational a, Rational b);
/// a to an integer power.
llvm::Optional<Rational> power(Rational a, int64_t exponent);
/// The `degree`-th root of `a` where that is rational: 4 for the second root of 16.
llvm::Optional<Rational> root(Rational a, int64_t degree);

/// Checked 64-bit integer arithmetic: nothing on overflow.
llvm::Optional<int64_t> checkedAdd(int64_t a, int64_t b);
llvm::Optional<int64_t> checkedMultiply(int64_t a, int64_t b);

/// The quotient of a by b > 0, rounded up.
constexpr int64_t ceilDivide(int64_t a, int64_t b) { return a > 0 ? (a - 1) / b + 1 : a / b; }

} // namespace perfc

#endif // PERFC_IR_COMMON_RATIONAL_H
