// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic and text of quantities; units are in Units.cpp.
#include "ir/common/Quantity.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <fmt/format.h>

using namespace perfc;

double Quantity::toDouble() const {
  return isExact() ? rational().toDouble() : std::get<Uncertain>(number).central();
}

Uncertain Quantity::toUncertain() const {
  return isExact() ? Uncertain(rational().toDouble()) : std::get<Uncertain>(number);
}

Quantity Quantity::withDimension(Dimension dimension) const {
  Quantity result = *this;
  result.dim = dimension;
  return result;
}

int Quantity::sign() const {
  double value = toDouble();
  return value < 0 ? -1 : value > 0;
}

static bool sameParts(const Uncertain &a, const Uncertain &b) {
  auto equal = [](const auto &x, const auto &y) {
    return x.source == y.source && x.delta == y.delta;
  };
  return a.central() == b.central() &&
         std::equal(a.contributions().begin(), a.contributions().end(), b.contributions().begin(),
                    b.contributions().end(), equal);
}

bool Quantity::operator==(const Quantity &other) const {
  if (dim != other.dim || isExact() != other.isExact())
    return false;
  return isExact() ? rational() == other.rational() : sameParts(toUncertain(), other.toUncertain());
}

//===-- Arithmetic
//-----------------------------------------------------------------------------===//

static llvm::Optional<Rational> exactly(char op, Rational a, Rational b) {
  switch (op) {
  case '+':
    return add(a, b);
  case '-':
    return subtract(a, b);
  case '*':
    return multiply(a, b);
  case '/':
    return divide(a, b);
  case '%': {
    // The non-negative remainder a - |b| * floor(a / |b|).
    Rational size = b.compare(0) < 0 ? *subtract(0, b) : b;
    auto quotient = divide(a, size);
    auto whole = quotient ? multiply(size, quotient->floor()) : llvm::None;
    return whole ? subtract(a, *whole) : llvm::None;
  }
  default: { // ^
    auto base = root(a, b.denominator());
    return base ? power(*base, b.numerator()) : llvm::None;
  }
  }
}

static Uncertain approximately(char op, const Uncertain &a, const Uncertain &b) {
  switch (op) {
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  case '/':
    return a / b;
  case '%': {
    // a - k |b| with the whole number k held fixed.
    double size = std::fabs(b.central()), whole = std::floor(a.central() / size);
    return a + b.map(-size * whole, b.central() < 0 ? whole : -whole);
  }
  default: {
    double x = a.central(), y = b.central(), result = std::pow(x, y);
    Uncertain inBase = a.map(result, y * std::pow(x, y - 1));
    if (b.isCertain())
      return inBase;
    return inBase + b.map(0, result * std::log(x));
  }
  }
}

static llvm::Optional<Dimension> resultDimension(char op, const Quantity &a, const Quantity &b) {
  if (op == '*')
    return a.dimension() * b.dimension();
  if (op == '/')
    return a.dimension() / b.dimension();
  if (op == '^') {
    if (!b.dimension().isNumber())
      return llvm::None;
    if (a.dimension().isNumber())
      return Dimension();
    return b.isExact() ? a.dimension().power(b.rational()) : llvm::None;
  }
  if (!compatible(a.dimension(), b.dimension()))
    return llvm::None;
  return a.dimension().isNumber() ? b.dimension() : a.dimension();
}

/// Counts, data and operations are exact; what is measured (a rate, a time, an energy) may round.
static bool isExactKind(const Dimension &dimension) {
  using enum BaseUnit;
  return dimension[Second] == 0 && dimension[Joule] == 0 && dimension[Metre] == 0 &&
         dimension[Dollar] == 0;
}

llvm::Optional<Quantity> perfc::apply(llvm::StringRef sign, const Quantity &a, const Quantity &b,
                                      QuantityError &error) {
  char op = sign[0];
  error = QuantityError::None;
  auto dimension = resultDimension(op, a, b);
  if (!dimension) {
    error = QuantityError::Dimension;
    return llvm::None;
  }
  bool divides = op == '/' || op == '%' || (op == '^' && b.sign() < 0 && a.sign() == 0);
  if (divides && (op == '^' || b.sign() == 0)) {
    error = QuantityError::DivisionByZero;
    return llvm::None;
  }
  if (a.isExact() && b.isExact()) {
    if (auto exact = exactly(op, a.rational(), b.rational()))
      return Quantity(*exact, *dimension);
    bool whole = a.isInteger() && b.isInteger() && op != '/' && !(op == '^' && b.sign() < 0);
    if (whole && isExactKind(*dimension)) {
      error = QuantityError::Overflow;
      return llvm::None;
    }
  }
  Uncertain result = approximately(op, a.toUncertain(), b.toUncertain());
  if (!std::isfinite(result.central()) || !std::isfinite(result.halfWidth())) {
    error = QuantityError::Domain;
    return llvm::None;
  }
  return Quantity(result, *dimension);
}

int perfc::compare(const Quantity &a, const Quantity &b) {
  if (a.isExact() && b.isExact())
    return a.rational().compare(b.rational());
  double x = a.toDouble(), y = b.toDouble();
  return x < y ? -1 : x > y;
}

//===-- Text
//-----------------------------------------------------------------------------------===//

/// digits [. digits] [e exponent] as an exact number; nothing when it does not fit.
static llvm::Optional<Rational> parseDecimal(llvm::StringRef text) {
  size_t exponentAt = text.find_first_of("eE");
  llvm::StringRef mantissa = text.substr(0, exponentAt);
  int64_t exponent = 0;
  if (exponentAt != llvm::StringRef::npos) {
    llvm::StringRef digits = text.substr(exponentAt + 1);
    digits.consume_front("+");
    if (digits.getAsInteger(10, exponent) || exponent > 400 || exponent < -400)
      return llvm::None;
  }
  auto [whole, fraction] = mantissa.split('.');
  fraction = fraction.rtrim('0');
  std::string digits = (whole + fraction).str();
  uint64_t value = 0;
  if (llvm::StringRef(digits).getAsInteger(10, value) || value > INT64_MAX)
    return llvm::None;
  auto scale = power(10, exponent - static_cast<int64_t>(fraction.size()));
  return scale ? multiply(static_cast<int64_t>(value), *scale) : llvm::None;
}

/// How many characters of `text` are the number in front of its unit.
static size_t numberLength(llvm::StringRef text) {
  size_t length = text.find_first_not_of("0123456789");
  if (length == llvm::StringRef::npos)
    return text.size();
  if (text[length] == '.' && length + 1 < text.size() && llvm::isDigit(text[length + 1])) {
    length = text.find_first_not_of("0123456789", length + 1);
    if (length == llvm::StringRef::npos)
      return text.size();
  }
  if (text[length] != 'e' && text[length] != 'E')
    return length;
  size_t digit = length + 1;
  if (digit < text.size() && (text[digit] == '+' || text[digit] == '-'))
    ++digit;
  if (digit >= text.size() || !llvm::isDigit(text[digit]))
    return length; // the e begins a unit
  size_t end = text.find_first_not_of("0123456789", digit);
  return end == llvm::StringRef::npos ? text.size() : end;
}

llvm::Optional<Quantity> perfc::parseNumber(llvm::StringRef text, llvm::StringRef &bad) {
  bad = {};
  size_t length = numberLength(text);
  auto unit = parseUnit(text.drop_front(length), bad);
  if (!unit)
    return llvm::None;
  llvm::StringRef digits = text.take_front(length);
  auto exact = parseDecimal(digits);
  if (exact)
    exact = multiply(*exact, unit->scale);
  if (exact)
    return Quantity(*exact, unit->dimension);
  // A whole number that does not fit is an error; anything else may be a real.
  double value = 0;
  if (llvm::all_of(digits, llvm::isDigit) || digits.getAsDouble(value) || !std::isfinite(value))
    return llvm::None;
  return Quantity(Uncertain(value * unit->scale.toDouble()), unit->dimension);
}

/// An exact number as a decimal when it ends after at most 18 places, else as a fraction.
static std::string rationalText(Rational value) {
  int64_t rest = value.denominator();
  int twos = 0, fives = 0;
  for (; rest % 2 == 0; rest /= 2)
    ++twos;
  for (; rest % 5 == 0; rest /= 5)
    ++fives;
  int places = std::max(twos, fives);
  auto scaled =
      rest == 1 && places > 0 && places <= 18 ? multiply(value, *power(10, places)) : llvm::None;
  if (value.isInteger())
    return std::to_string(value.numerator());
  if (!scaled)
    return std::to_string(value.numerator()) + "|" + std::to_string(value.denominator());
  int64_t number = scaled->numerator();
  std::string digits = std::to_string(number < 0 ? -number : number);
  if (digits.size() <= static_cast<size_t>(places))
    digits.insert(0, places + 1 - digits.size(), '0');
  digits.insert(digits.size() - places, ".");
  return (number < 0 ? "-" : "") + digits;
}

std::string Quantity::text() const {
  std::string unit = dim.unitText();
  if (isExact())
    return rationalText(rational()) + unit;
  const Uncertain &value = std::get<Uncertain>(number);
  // `~` marks a real, so that reading the text back does not make it exact.
  std::string result = fmt::format("~{:.17g}{}", value.central(), unit);
  for (const Uncertain::Contribution &part : value.contributions())
    result += fmt::format(" +- {:.17g}@{:x}", part.delta, part.source);
  return result;
}

static llvm::Optional<Rational> parseRational(llvm::StringRef text) {
  bool negative = text.consume_front("-");
  if (text.endswith("|"))
    return llvm::None;
  auto [above, below] = text.split('|');
  auto value = parseDecimal(above);
  int64_t denominator = 1;
  if (!value || (!below.empty() && (below.getAsInteger(10, denominator) || denominator <= 0)))
    return llvm::None;
  return multiply(*value, *Rational::make(negative ? -1 : 1, denominator));
}

static llvm::Optional<Quantity> parseReal(llvm::StringRef text, llvm::StringRef rest) {
  size_t sign = text.startswith("-");
  size_t length = sign + numberLength(text.drop_front(sign));
  double value = 0;
  llvm::StringRef bad;
  auto unit = parseUnit(text.drop_front(length), bad);
  if (!unit || text.take_front(length).getAsDouble(value))
    return llvm::None;
  llvm::SmallVector<Uncertain::Contribution, 2> parts;
  while (!rest.empty()) {
    auto [part, next] = rest.split(" +- ");
    auto [delta, source] = part.split('@');
    Uncertain::Contribution contribution;
    if (delta.getAsDouble(contribution.delta) || source.getAsInteger(16, contribution.source))
      return llvm::None;
    parts.push_back(contribution);
    rest = next;
  }
  return Quantity(Uncertain(value, parts), unit->dimension);
}

llvm::Optional<Quantity> perfc::parseQuantity(llvm::StringRef text) {
  auto [first, rest] = text.split(" +- ");
  if (first.consume_front("~"))
    return parseReal(first, rest);
  size_t length = first.find_first_not_of("-0123456789.|");
  length = std::min(length, first.size());
  llvm::StringRef bad;
  auto value = parseRational(first.take_front(length));
  auto unit = parseUnit(first.drop_front(length), bad);
  if (!value || !unit || !rest.empty())
    return llvm::None;
  auto scaled = multiply(*value, unit->scale);
  return scaled ? llvm::Optional<Quantity>(Quantity(*scaled, unit->dimension)) : llvm::None;
}
