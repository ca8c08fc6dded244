// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantities: a number with a dimension, kept in base units (s, B, J, m, FLOP, USD, and the counts
// cycle, word, token, chip, …). A number is an exact rational as long as that is possible; products
// of integers that do not fit 64 bits are an error, never a rounded value. Irrational and uncertain
// numbers are reals with an error budget.
#ifndef PERFC_IR_COMMON_QUANTITY_H
#define PERFC_IR_COMMON_QUANTITY_H

#include "ir/common/Rational.h"
#include "ir/common/Uncertain.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <string>
#include <variant>

namespace perfc {

/// The base units. Data is counted in bytes. The counts from Token on do not mix with each other.
enum class BaseUnit : uint8_t {
  Second,
  Byte,
  Joule,
  Metre,
  Flop,
  Op,
  Dollar,
  Cycle,
  Word,
  Token,
  Request,
  Image,
  Sample,
  Chip,
  Node,
  Link,
  Hop,
};
inline constexpr unsigned baseUnitCount = 17;
inline constexpr BaseUnit firstCount = BaseUnit::Token;

/// Exponents of the base units.
class Dimension {
public:
  Dimension() = default;
  Dimension(BaseUnit unit, int exponent = 1) { exponents[static_cast<unsigned>(unit)] = exponent; }

  int operator[](BaseUnit unit) const { return exponents[static_cast<unsigned>(unit)]; }
  bool isNumber() const { return *this == Dimension(); }
  /// A single count unit such as token (a bare number goes with any of them).
  bool isCount() const;
  bool operator==(const Dimension &other) const { return exponents == other.exponents; }
  bool operator!=(const Dimension &other) const { return !(*this == other); }
  friend Dimension operator*(Dimension a, const Dimension &b);
  friend Dimension operator/(Dimension a, const Dimension &b);
  /// Nothing when an exponent is not whole (sqrt of a second).
  llvm::Optional<Dimension> power(Rational exponent) const;
  /// This dimension without its factors of count units.
  Dimension withoutCounts() const;
  /// A bare number, or one of tokens, requests, images and samples: what extents are given in.
  bool isExtent() const;

  /// Unit text in base units: "B/s", "J/B", "s^2", "" for a number.
  std::string unitText() const;
  /// For messages: "a time", "a bandwidth (B/s)", "a plain number".
  std::string describe() const;

private:
  std::array<int8_t, baseUnitCount> exponents{};
};

/// True when a value of dimension `a` may be added to or compared with one of dimension `b`:
/// equal, or one a bare number and the other a count.
bool compatible(const Dimension &a, const Dimension &b);

class Quantity {
public:
  Quantity(Rational value = 0, Dimension dimension = {}) : number(value), dim(dimension) {}
  Quantity(Uncertain value, Dimension dimension) : number(std::move(value)), dim(dimension) {}

  const Dimension &dimension() const { return dim; }
  bool isExact() const { return std::holds_alternative<Rational>(number); }
  bool isInteger() const { return isExact() && rational().isInteger(); }
  Rational rational() const { return std::get<Rational>(number); }
  double toDouble() const;
  Uncertain toUncertain() const;
  Quantity withDimension(Dimension dimension) const;
  int sign() const;
  bool operator==(const Quantity &other) const;

  /// Exact text that `parseQuantity` reads back: "1600000000B/s", "7/3", "0.1J +- 0.01@1f3a…".
  std::string text() const;

private:
  std::variant<Rational, Uncertain> number;
  Dimension dim;
};

/// Why an operation on quantities failed.
enum class QuantityError { None, Dimension, Overflow, DivisionByZero, Domain };

/// a op b for op in + - * / % ^ ; `error` says why nothing came back.
/// + - and % need compatible dimensions, ^ a plain number as exponent.
llvm::Optional<Quantity> apply(llvm::StringRef op, const Quantity &a, const Quantity &b,
                               QuantityError &error);
/// Three-way comparison of central values; dimensions must be compatible.
int compare(const Quantity &a, const Quantity &b);

/// A unit as written: its dimension and its size in base units.
struct Unit {
  Dimension dimension;
  Rational scale;
};

/// `GB/s/chip`, `%`, `x`, `mm2`, `/cm2`, …; nothing when a part is unknown, which is then in `bad`.
llvm::Optional<Unit> parseUnit(llvm::StringRef text, llvm::StringRef &bad);

/// A number token: digits with an optional fraction, exponent and unit. `bad` is the unit part that
/// is unknown, or empty when the number itself does not fit.
llvm::Optional<Quantity> parseNumber(llvm::StringRef text, llvm::StringRef &bad);

/// Reads what Quantity::text writes.
llvm::Optional<Quantity> parseQuantity(llvm::StringRef text);

/// All unit names without prefixes, for suggestions.
llvm::ArrayRef<llvm::StringRef> unitNames();

/// `value` (in base units of `dimension`) as people read it, with 4 significant digits: "6.021 ms",
/// "34.91 days", "1.024 mJ", "108.0 KiB", "312.0 TFLOP/s", "0.4170 mm2", "395,987 tokens/s",
/// "1.600 req per 1000 s"; "12.5 %" is not chosen by itself. Amounts of data in binary units.
std::string formatEngineering(double value, const Dimension &dimension, unsigned digits = 4);
/// The same with its 90 % interval when there is one: "6.021 ms +- 0.4 ms".
std::string formatEngineering(const Uncertain &value, const Dimension &dimension);
/// The same of what a program writes: an exact amount of data is in the base in which it is short.
std::string formatEngineering(const Quantity &quantity);

/// Whether the prefixes of an amount of data are powers of 1024 or of 1000.
enum class SizeBase : uint8_t { Binary, Decimal };
/// The base in which a program has written `bytes`: the one in which they take fewer digits (24GB,
/// 64KiB), binary where both take as many.
SizeBase writtenBase(double bytes);
/// "22.35 GiB" or "24.00 GB". What stands beside a written size has the base of that one.
std::string formatSize(double bytes, SizeBase base);

} // namespace perfc

#endif // PERFC_IR_COMMON_QUANTITY_H
