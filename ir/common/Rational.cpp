// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/Rational.h"

#include <cmath>
#include <cstdint>

using namespace perfc;

static __int128 greatestCommonDivisor(__int128 a, __int128 b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b != 0) {
    __int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

llvm::Optional<Rational> Rational::make(__int128 numerator, __int128 denominator) {
  if (denominator == 0)
    return llvm::None;
  if (__int128 common = greatestCommonDivisor(numerator, denominator); common > 1) {
    numerator /= common;
    denominator /= common;
  }
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  if (numerator > INT64_MAX || numerator < -INT64_MAX || denominator > INT64_MAX)
    return llvm::None;
  Rational result;
  result.num = static_cast<int64_t>(numerator);
  result.den = static_cast<int64_t>(denominator);
  return result;
}

int64_t Rational::floor() const {
  int64_t quotient = num / den;
  return quotient * den > num ? quotient - 1 : quotient;
}

int64_t Rational::ceil() const {
  int64_t quotient = num / den;
  return quotient * den < num ? quotient + 1 : quotient;
}

int Rational::compare(Rational other) const {
  __int128 left = static_cast<__int128>(num) * other.den;
  __int128 right = static_cast<__int128>(other.num) * den;
  return left < right ? -1 : left > right ? 1 : 0;
}

llvm::Optional<Rational> perfc::add(Rational a, Rational b) {
  // Each product is below 2^126, so the sum fits 128 bits.
  return Rational::make(static_cast<__int128>(a.numerator()) * b.denominator() +
                            static_cast<__int128>(b.numerator()) * a.denominator(),
                        static_cast<__int128>(a.denominator()) * b.denominator());
}

llvm::Optional<Rational> perfc::subtract(Rational a, Rational b) {
  return add(a, *Rational::make(-static_cast<__int128>(b.numerator()), b.denominator()));
}

llvm::Optional<Rational> perfc::multiply(Rational a, Rational b) {
  return Rational::make(static_cast<__int128>(a.numerator()) * b.numerator(),
                        static_cast<__int128>(a.denominator()) * b.denominator());
}

llvm::Optional<Rational> perfc::divide(Rational a, Rational b) {
  return Rational::make(static_cast<__int128>(a.numerator()) * b.denominator(),
                        static_cast<__int128>(a.denominator()) * b.numerator());
}

llvm::Optional<Rational> perfc::power(Rational a, int64_t exponent) {
  if (exponent < 0) {
    auto inverse = divide(1, a);
    if (!inverse || exponent == INT64_MIN)
      return llvm::None;
    return power(*inverse, -exponent);
  }
  llvm::Optional<Rational> result = Rational(1);
  llvm::Optional<Rational> base = a;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = base ? multiply(*result, *base) : llvm::None;
    if (!result)
      return llvm::None;
    if (exponent > 1 && base)
      base = multiply(*base, *base);
  }
  return result;
}

/// The whole root of a number from 0 on; nothing when there is none.
static llvm::Optional<int64_t> wholeRoot(int64_t a, int64_t degree) {
  auto nearest = static_cast<int64_t>(
      std::llround(std::pow(static_cast<double>(a), 1.0 / static_cast<double>(degree))));
  auto back = power(Rational(nearest), degree);
  return back && *back == Rational(a) ? llvm::Optional<int64_t>(nearest) : llvm::None;
}

llvm::Optional<Rational> perfc::root(Rational a, int64_t degree) {
  if (degree == 1)
    return a;
  if (degree < 1 || a.compare(0) < 0)
    return llvm::None;
  auto above = wholeRoot(a.numerator(), degree);
  auto below = wholeRoot(a.denominator(), degree);
  return above && below ? Rational::make(*above, *below) : llvm::None;
}

llvm::Optional<int64_t> perfc::checkedAdd(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result))
    return llvm::None;
  return result;
}

llvm::Optional<int64_t> perfc::checkedMultiply(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    return llvm::None;
  return result;
}
