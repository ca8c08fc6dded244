// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The unit system: base units, prefixes, dimensions and their text.
#include "ir/common/Quantity.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;

static constexpr llvm::StringLiteral baseNames[baseUnitCount] = {
    "s",     "B",   "J",     "m",      "FLOP", "OP",   "USD",  "cycle", "word",
    "token", "req", "image", "sample", "chip", "node", "link", "hop"};

//===-- Dimension
//------------------------------------------------------------------------------===//

bool Dimension::isCount() const {
  int sum = 0;
  for (unsigned i = 0; i < baseUnitCount; ++i) {
    if (exponents[i] != 0 && i < static_cast<unsigned>(firstCount))
      return false;
    sum += exponents[i];
  }
  return sum == 1 && llvm::count_if(exponents, [](int8_t e) { return e != 0; }) == 1;
}

bool Dimension::isExtent() const {
  using enum BaseUnit;
  return withoutCounts().isNumber() && (*this)[Chip] == 0 && (*this)[Node] == 0 &&
         (*this)[Link] == 0 && (*this)[Hop] == 0;
}

Dimension Dimension::withoutCounts() const {
  Dimension result = *this;
  for (unsigned i = static_cast<unsigned>(firstCount); i < baseUnitCount; ++i)
    result.exponents[i] = 0;
  return result;
}

namespace perfc {

Dimension operator*(Dimension a, const Dimension &b) {
  for (unsigned i = 0; i < baseUnitCount; ++i)
    a.exponents[i] += b.exponents[i];
  return a;
}

Dimension operator/(Dimension a, const Dimension &b) {
  for (unsigned i = 0; i < baseUnitCount; ++i)
    a.exponents[i] -= b.exponents[i];
  return a;
}

} // namespace perfc

llvm::Optional<Dimension> Dimension::power(Rational exponent) const {
  Dimension result;
  for (unsigned i = 0; i < baseUnitCount; ++i) {
    auto product = multiply(Rational(exponents[i]), exponent);
    if (!product || !product->isInteger() || product->numerator() > 100 ||
        product->numerator() < -100)
      return llvm::None;
    result.exponents[i] = static_cast<int8_t>(product->numerator());
  }
  return result;
}

/// One side of the fraction bar: "B*s^2".
static std::string product(llvm::ArrayRef<int8_t> exponents, int sign) {
  std::string text;
  for (unsigned i = 0; i < baseUnitCount; ++i) {
    int exponent = sign * exponents[i];
    if (exponent <= 0)
      continue;
    text += (text.empty() ? "" : "*") + baseNames[i].str();
    if (exponent > 1)
      text += "^" + std::to_string(exponent);
  }
  return text;
}

std::string Dimension::unitText() const {
  std::string below = product(exponents, -1);
  std::string text = product(exponents, 1);
  for (char &c : below)
    c = c == '*' ? '/' : c;
  return below.empty() ? text : text + "/" + below;
}

std::string Dimension::describe() const {
  static const std::pair<Dimension, llvm::StringLiteral> known[] = {
      {{}, "a plain number"},
      {BaseUnit::Second, "a time"},
      {BaseUnit::Byte, "an amount of data"},
      {BaseUnit::Word, "an amount of data"},
      {BaseUnit::Joule, "an energy"},
      {BaseUnit::Metre, "a length"},
      {Dimension(BaseUnit::Metre, 2), "an area"},
      {BaseUnit::Dollar, "an amount of money"},
      {Dimension() / BaseUnit::Second, "a frequency"},
      {Dimension(BaseUnit::Byte) / BaseUnit::Second, "a bandwidth"},
      {Dimension(BaseUnit::Joule) / BaseUnit::Second, "a power"},
  };
  for (const auto &[dimension, name] : known)
    if (dimension == *this)
      return isNumber() ? name.str() : name.str() + " (" + unitText() + ")";
  return "a quantity in " + unitText();
}

bool perfc::compatible(const Dimension &a, const Dimension &b) {
  if (a == b)
    return true;
  // A bare number goes with any count, also inside a quotient: FLOP/s with FLOP/s/chip does not.
  return (a.isNumber() && b.isCount()) || (b.isNumber() && a.isCount());
}

//===-- Units
//----------------------------------------------------------------------------------===//

struct BaseEntry {
  llvm::StringLiteral name;
  Dimension dimension;
  Rational scale;
  enum Prefixes { None, Decimal, Large, Data } prefixes;
  int prefixPower; ///< 2 for areas: mm2 is (mm)^2
};

static llvm::ArrayRef<BaseEntry> baseEntries() {
  static const BaseEntry table[] = {
      {"s", BaseUnit::Second, 1, BaseEntry::Decimal, 1},
      {"min", BaseUnit::Second, 60, BaseEntry::None, 1},
      {"h", BaseUnit::Second, 3600, BaseEntry::None, 1},
      {"day", BaseUnit::Second, 86400, BaseEntry::None, 1},
      {"Hz", Dimension() / BaseUnit::Second, 1, BaseEntry::Decimal, 1},
      {"B", BaseUnit::Byte, 1, BaseEntry::Data, 1},
      {"b", BaseUnit::Byte, *Rational::make(1, 8), BaseEntry::Data, 1},
      {"J", BaseUnit::Joule, 1, BaseEntry::Decimal, 1},
      {"Wh", BaseUnit::Joule, 3600, BaseEntry::Decimal, 1},
      {"W", Dimension(BaseUnit::Joule) / BaseUnit::Second, 1, BaseEntry::Decimal, 1},
      {"m", BaseUnit::Metre, 1, BaseEntry::Decimal, 1},
      {"m2", Dimension(BaseUnit::Metre, 2), 1, BaseEntry::Decimal, 2},
      {"FLOP", BaseUnit::Flop, 1, BaseEntry::Decimal, 1},
      {"OP", BaseUnit::Op, 1, BaseEntry::Decimal, 1},
      {"USD", BaseUnit::Dollar, 1, BaseEntry::Decimal, 1},
      {"cycle", BaseUnit::Cycle, 1, BaseEntry::Large, 1},
      {"word", BaseUnit::Word, 1, BaseEntry::Large, 1},
      {"token", BaseUnit::Token, 1, BaseEntry::Large, 1},
      {"req", BaseUnit::Request, 1, BaseEntry::Large, 1},
      {"image", BaseUnit::Image, 1, BaseEntry::Large, 1},
      {"sample", BaseUnit::Sample, 1, BaseEntry::Large, 1},
      {"chip", BaseUnit::Chip, 1, BaseEntry::Large, 1},
      {"node", BaseUnit::Node, 1, BaseEntry::Large, 1},
      {"link", BaseUnit::Link, 1, BaseEntry::Large, 1},
      {"hop", BaseUnit::Hop, 1, BaseEntry::Large, 1},
      {"x", Dimension(), 1, BaseEntry::None, 1},
      {"%", Dimension(), *Rational::make(1, 100), BaseEntry::None, 1},
  };
  return table;
}

llvm::ArrayRef<llvm::StringRef> perfc::unitNames() {
  static const llvm::SmallVector<llvm::StringRef, 48> names = [] {
    llvm::SmallVector<llvm::StringRef, 48> list;
    for (const BaseEntry &entry : baseEntries())
      list.push_back(entry.name);
    for (llvm::StringRef common : {"ms", "us", "ns", "MHz", "GHz",  "KiB",  "MiB",     "GiB",
                                   "KB", "MB", "GB", "TB",  "GB/s", "TB/s", "B/cycle", "pJ",
                                   "nJ", "uJ", "mJ", "mm2", "um2",  "nm",   "GFLOP",   "TFLOP/s"})
      list.push_back(common);
    return list;
  }();
  return names;
}

/// The size of a prefix, or nothing.
static llvm::Optional<Rational> prefixScale(llvm::StringRef prefix, BaseEntry::Prefixes allowed) {
  static constexpr struct {
    llvm::StringLiteral text;
    int exponent;
    bool large;
  } decimal[] = {{"f", -15, false}, {"p", -12, false}, {"n", -9, false}, {"u", -6, false},
                 {"m", -3, false},  {"c", -2, false},  {"k", 3, true},   {"K", 3, true},
                 {"M", 6, true},    {"G", 9, true},    {"T", 12, true},  {"P", 15, true},
                 {"E", 18, true}};
  static constexpr llvm::StringLiteral binary[] = {"Ki", "Mi", "Gi", "Ti", "Pi"};
  if (allowed == BaseEntry::None)
    return llvm::None;
  for (const auto &entry : decimal)
    if (entry.text == prefix && (entry.large || allowed == BaseEntry::Decimal))
      return power(10, entry.exponent);
  if (allowed == BaseEntry::Data)
    for (unsigned i = 0; i < 5; ++i)
      if (binary[i] == prefix)
        return power(1024, i + 1);
  return llvm::None;
}

static llvm::Optional<Unit> parseUnitWord(llvm::StringRef word) {
  for (const BaseEntry &entry : baseEntries())
    if (entry.name == word)
      return Unit{entry.dimension, entry.scale};
  for (const BaseEntry &entry : baseEntries()) {
    if (!word.endswith(entry.name))
      continue;
    auto scale = prefixScale(word.drop_back(entry.name.size()), entry.prefixes);
    if (scale)
      scale = power(*scale, entry.prefixPower);
    if (scale)
      scale = multiply(*scale, entry.scale);
    if (scale)
      return Unit{entry.dimension, *scale};
  }
  return llvm::None;
}

llvm::Optional<Unit> perfc::parseUnit(llvm::StringRef text, llvm::StringRef &bad) {
  llvm::StringRef whole = text;
  Unit result{{}, 1};
  bool below = false;
  for (bool first = true; !text.empty() || first; first = false) {
    llvm::StringRef word = text.take_until([](char c) { return c == '/' || c == '*'; });
    llvm::StringRef name = word.take_until([](char c) { return c == '^'; });
    if (!(first && name.empty())) {
      auto unit = parseUnitWord(name);
      int64_t exponent = 1;
      bool hasExponent = name.size() != word.size();
      if (!unit || (hasExponent && (word.drop_front(name.size() + 1).getAsInteger(10, exponent) ||
                                    exponent < 1 || exponent > 9))) {
        bad = word.empty() ? whole : word; // an empty one would read as "does not fit"
        return llvm::None;
      }
      auto scale = power(unit->scale, exponent);
      auto dimension = unit->dimension.power(Rational(exponent));
      if (scale)
        scale = below ? divide(result.scale, *scale) : multiply(result.scale, *scale);
      if (!scale || !dimension) {
        bad = word;
        return llvm::None;
      }
      result.scale = *scale;
      result.dimension = below ? result.dimension / *dimension : result.dimension * *dimension;
    }
    text = text.drop_front(word.size());
    if (text.empty())
      break;
    below |= text.front() == '/';
    text = text.drop_front();
    if (text.empty()) { // "B/": a separator with nothing behind it
      bad = whole;
      return llvm::None;
    }
  }
  return result;
}
