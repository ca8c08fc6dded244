// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantities as people read them: engineering units, four significant digits.
#include "ir/common/Quantity.h"
#include "ir/common/Written.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>

using namespace perfc;

namespace {
/// A prefix that may stand before a unit, its size, and the least value that is read with it: of
/// the size itself where that is 0.
struct Scale {
  llvm::StringLiteral prefix;
  double size;
  double from = 0;
};

/// The unit in which people read a dimension, and its prefixes, the largest first. Some read on
/// behind the unit: "req per 1000 s".
struct ReadUnit {
  std::string name;
  llvm::ArrayRef<Scale> scales;
  bool isBehind = false;
};
} // namespace

static constexpr Scale decimalScales[] = {{"E", 1e18}, {"P", 1e15}, {"T", 1e12},  {"G", 1e9},
                                          {"M", 1e6},  {"k", 1e3},  {"", 1},      {"m", 1e-3},
                                          {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12}, {"f", 1e-15}};
static constexpr Scale binaryScales[] = {{"Ei", 1152921504606846976.0},
                                         {"Pi", 1125899906842624.0},
                                         {"Ti", 1099511627776.0},
                                         {"Gi", 1073741824.0},
                                         {"Mi", 1048576.0},
                                         {"Ki", 1024.0},
                                         {"", 1}};
static constexpr Scale areaScales[] = {{"m", 1e-6, 1e-8}, {"u", 1e-12}};
static constexpr Scale noScales[] = {{"", 1}};
/// Whole units of time: nobody reads kiloseconds.
static constexpr Scale timeScales[] = {{"days", 86400, 2 * 86400.0},
                                       {"h", 3600, 2 * 3600.0},
                                       {"min", 60, 1000},
                                       {"s", 1},
                                       {"ms", 1e-3},
                                       {"us", 1e-6},
                                       {"ns", 1e-9},
                                       {"ps", 1e-12},
                                       {"fs", 1e-15}};
/// What is slower than any clock is something else that happens so often.
static constexpr Scale frequencyScales[] = {
    {"GHz", 1e9}, {"MHz", 1e6}, {"per s", 1, 1e-1}, {"per 1000 s", 1e-3}};
static constexpr Scale rateScales[] = {{"/s", 1, 1e-1}, {" per 1000 s", 1e-3}};
/// Prices of tokens are given per million.
static constexpr Scale tokenPriceScales[] = {{"/token", 1, 1e-2}, {" per million tokens", 1e-6}};

static std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", std::fabs(value));
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(at, ",");
  return (value < 0 ? "-" : "") + digits;
}

static std::string significant(double value, unsigned digits) {
  if (value == 0)
    return "0";
  int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  // Rounding may carry into the next power of ten: 9.9996 is 10.00.
  double rounded = std::round(value / std::pow(10, magnitude - static_cast<int>(digits) + 1));
  if (std::fabs(rounded) >= std::pow(10, digits))
    ++magnitude;
  int places = static_cast<int>(digits) - 1 - magnitude;
  if (magnitude >= 15 || magnitude < -6)
    return fmt::format("{:.{}e}", value, digits - 1);
  if (magnitude >= 4 && places <= 0)
    return grouped(value);
  return fmt::format("{:.{}f}", value, std::max(places, 0));
}

/// The prefix with which `value` has one to three places before its point, as far as there is one.
static const Scale &scaleOf(double value, llvm::ArrayRef<Scale> scales, unsigned digits) {
  double size = std::fabs(value);
  const Scale *chosen = nullptr;
  for (const Scale &scale : scales) {
    chosen = &scale;
    // What would round up to the next prefix takes that prefix.
    double least = scale.from > 0 ? scale.from : scale.size;
    if (size >= least * (1 - 0.5 * std::pow(10, -static_cast<int>(digits))))
      break;
  }
  if (size == 0)
    chosen = llvm::find_if(scales, [](const Scale &scale) { return scale.size == 1; });
  return chosen == scales.end() ? scales.front() : *chosen;
}

static ReadUnit readUnitOf(const Dimension &dimension) {
  using enum BaseUnit;
  if (dimension == Dimension(Byte))
    return {"B", binaryScales};
  if (dimension == Dimension(Metre, 2))
    return {"m2", areaScales};
  if (dimension == Dimension() / Second)
    return {"Hz", decimalScales};
  if (dimension == Dimension(Joule) / Second)
    return {"W", decimalScales};
  return {dimension.unitText(), decimalScales};
}

/// Numbers and counts are read without prefixes.
static bool isCounted(const Dimension &dimension) {
  using enum BaseUnit;
  return dimension.withoutCounts().isNumber() || dimension == Dimension(Cycle) ||
         dimension == Dimension(Word);
}

/// A base unit in texts for people: things that are counted have a plural.
static std::string readName(BaseUnit unit) {
  using enum BaseUnit;
  std::string name = Dimension(unit).unitText();
  return unit == Token || unit == Image || unit == Sample ? name + "s" : name;
}

/// The base units with a positive exponent, energy first and time last: "J*s", not "s*J".
static std::vector<BaseUnit> unitsAbove(const Dimension &dimension) {
  using enum BaseUnit;
  std::vector<BaseUnit> result;
  for (unsigned i = 0; i < baseUnitCount; ++i)
    if (dimension[static_cast<BaseUnit>(i)] > 0)
      result.push_back(static_cast<BaseUnit>(i));
  auto isLast = [](BaseUnit unit) { return unit == Second || unit == Metre; };
  llvm::stable_sort(result, [&](BaseUnit a, BaseUnit b) { return isLast(a) < isLast(b); });
  llvm::stable_sort(result, [](BaseUnit a, BaseUnit b) { return (a == Joule) > (b == Joule); });
  return result;
}

/// The unit of a result: that of readUnitOf, except where nobody says it so.
static ReadUnit resultUnitOf(const Dimension &dimension) {
  using enum BaseUnit;
  if (dimension == Dimension(Second))
    return {"", timeScales};
  if (dimension == Dimension() / Second)
    return {"", frequencyScales};
  if (dimension == Dimension(Dollar) / Token)
    return {"USD", tokenPriceScales, true};
  ReadUnit unit = readUnitOf(dimension);
  std::vector<BaseUnit> above = unitsAbove(dimension);
  if (above.empty())
    return {unit.name, noScales};
  if (unit.name != dimension.unitText() || dimension == Dimension(Byte))
    return unit;
  bool isCount = above.front() >= firstCount;
  if (isCount && dimension == Dimension(above.front()) / Second)
    return {readName(above.front()), rateScales, true};
  std::string text;
  Dimension below = dimension;
  for (BaseUnit base : above) {
    text += (text.empty() ? "" : "*") +
            (dimension[base] == 1 ? readName(base) : Dimension(base, dimension[base]).unitText());
    below = below / Dimension(base, dimension[base]);
  }
  text += below.unitText(); // "/s/chip"
  // A prefix would belong to a square, and nobody says kilodollars, kilotokens or kiloseconds.
  bool takesPrefix = dimension[above.front()] == 1 && !isCount && above.front() != Dollar;
  llvm::ArrayRef<Scale> scales = takesPrefix ? decimalScales : llvm::makeArrayRef(noScales);
  if (takesPrefix && above.front() == Second)
    scales = scales.drop_until([](const Scale &scale) { return scale.size == 1; });
  return {text, scales};
}

static std::string scaled(double value, const ReadUnit &unit, const Scale &scale, unsigned digits) {
  std::string name =
      unit.isBehind ? unit.name + scale.prefix.str() : scale.prefix.str() + unit.name;
  return significant(value / scale.size, digits) + " " + name;
}

/// `value` with the prefix of `unit` that suits it.
static std::string inUnit(double value, const ReadUnit &unit, unsigned digits) {
  return scaled(value, unit, scaleOf(value, unit.scales, digits), digits);
}

std::string perfc::formatEngineering(double value, const Dimension &dimension, unsigned digits) {
  if (std::isnan(value))
    return "not a number";
  if (!isCounted(dimension))
    return inUnit(value, resultUnitOf(dimension), digits);
  bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  std::string text = whole ? grouped(value) : significant(value, digits);
  std::string name = dimension.isCount() ? resultUnitOf(dimension).name : dimension.unitText();
  return name.empty() ? text : text + " " + name;
}

std::string perfc::formatEngineering(const Uncertain &value, const Dimension &dimension) {
  std::string text = formatEngineering(value.central(), dimension);
  if (value.isCertain())
    return text;
  ReadUnit unit = resultUnitOf(dimension);
  double half = value.halfWidth();
  if (unit.isBehind) // over the same time
    return text + " +- " + scaled(half, unit, scaleOf(value.central(), unit.scales, 4), 2);
  return text + " +- " + formatEngineering(half, dimension, 2);
}

std::string perfc::formatEngineering(const Quantity &quantity) {
  if (quantity.isExact() && quantity.dimension() == Dimension(BaseUnit::Byte))
    return formatSize(quantity.toDouble(), writtenBase(quantity.toDouble()));
  return formatEngineering(quantity.toUncertain(), quantity.dimension());
}

//===-- Amounts of data
//------------------------------------------------------------------------===//

static llvm::ArrayRef<Scale> scalesOf(SizeBase base) {
  if (base == SizeBase::Binary)
    return binaryScales;
  return decimalScales;
}

SizeBase perfc::writtenBase(double bytes) {
  auto length = [&](SizeBase base) {
    return fmt::format("{}", bytes / scaleOf(bytes, scalesOf(base), 15).size).size();
  };
  return length(SizeBase::Decimal) < length(SizeBase::Binary) ? SizeBase::Decimal
                                                              : SizeBase::Binary;
}

std::string perfc::formatSize(double bytes, SizeBase base) {
  return inUnit(bytes, {"B", scalesOf(base)}, 4);
}

//===-- As a program writes it
//-----------------------------------------------------------------===//

/// The shortest decimal of an exact quantity, with a prefix or none; "" when it is no decimal.
static std::string shortest(const Quantity &quantity) {
  std::string best = quantity.text();
  if (!quantity.isExact() || llvm::StringRef(best).contains('|'))
    return "";
  ReadUnit unit = readUnitOf(quantity.dimension());
  if (isCounted(quantity.dimension()))
    return best;
  for (llvm::ArrayRef<Scale> scales : {llvm::makeArrayRef(decimalScales), unit.scales})
    for (const Scale &scale : scales) {
      std::string suffix = scale.prefix.str() + unit.name;
      llvm::StringRef bad;
      llvm::Optional<Unit> prefixed = parseUnit(suffix, bad);
      if (!prefixed || prefixed->dimension != quantity.dimension())
        continue;
      auto count = divide(quantity.rational(), prefixed->scale);
      std::string text = count ? Quantity(*count).text() + suffix : best;
      if (text.size() < best.size() && !llvm::StringRef(text).contains('|'))
        best = text;
    }
  return best;
}

std::string perfc::written(const Quantity &quantity) {
  if (std::string exact = shortest(quantity); !exact.empty())
    return exact;
  const Dimension &dimension = quantity.dimension();
  double value = quantity.toDouble(), width = quantity.toUncertain().halfWidth();
  ReadUnit unit = readUnitOf(dimension);
  Scale scale = isCounted(dimension) ? Scale{"", 1} : scaleOf(value, unit.scales, 6);
  llvm::StringRef bad;
  llvm::Optional<Unit> prefixed = parseUnit(scale.prefix.str() + unit.name, bad);
  if (!prefixed || prefixed->dimension != dimension) // not all units take all prefixes
    scale = {"", 1};
  std::string suffix = scale.prefix.str() + unit.name;
  std::string result = fmt::format("{:.6g}{}", value / scale.size, suffix);
  if (width == 0)
    return result;
  return value == 0 ? fmt::format("{} +- {:.4g}{}", result, width / scale.size, suffix)
                    : fmt::format("{} +- {:.4g}%", result, 100 * width / std::fabs(value));
}
