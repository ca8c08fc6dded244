// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantities as people read them: engineering units, four significant digits.
#include "ir/common/Quantity.h"
#include "ir/common/Written.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>

using namespace perfc;

/// A prefix that may stand before a unit, and its size.
struct Scale {
  llvm::StringLiteral prefix;
  double size;
};

static constexpr Scale decimalScales[] = {{"P", 1e15}, {"T", 1e12},  {"G", 1e9},  {"M", 1e6},
                                          {"k", 1e3},  {"", 1},      {"m", 1e-3}, {"u", 1e-6},
                                          {"n", 1e-9}, {"p", 1e-12}, {"f", 1e-15}};
static constexpr Scale binaryScales[] = {
    {"Ti", 1099511627776.0}, {"Gi", 1073741824.0}, {"Mi", 1048576.0}, {"Ki", 1024.0}, {"", 1}};
static constexpr Scale areaScales[] = {{"m", 1e-6}, {"u", 1e-12}};

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
  return fmt::format("{:.{}f}", value, std::max(places, 0));
}

static std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", std::fabs(value));
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(at, ",");
  return (value < 0 ? "-" : "") + digits;
}

/// The prefix with which `value` has one to three places before its point, as far as there is one.
static const Scale &scaleOf(double value, llvm::ArrayRef<Scale> scales, unsigned digits) {
  double size = std::fabs(value);
  const Scale *chosen = nullptr;
  for (const Scale &scale : scales) {
    chosen = &scale;
    // What would round up to the next prefix takes that prefix.
    if (size >= scale.size * (1 - 0.5 * std::pow(10, -static_cast<int>(digits))))
      break;
  }
  if (size == 0)
    chosen = llvm::find_if(scales, [](const Scale &scale) { return scale.size == 1; });
  return chosen == scales.end() ? scales.front() : *chosen;
}

namespace {
/// The unit in which people read a dimension, and its prefixes.
struct ReadUnit {
  std::string name;
  llvm::ArrayRef<Scale> scales;
};
} // namespace

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

std::string perfc::formatEngineering(double value, const Dimension &dimension, unsigned digits) {
  if (std::isnan(value))
    return "not a number";
  ReadUnit unit = readUnitOf(dimension);
  if (isCounted(dimension)) {
    bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
    std::string text = whole ? grouped(value) : significant(value, digits);
    return unit.name.empty() ? text : text + " " + unit.name;
  }
  const Scale &scale = scaleOf(value, unit.scales, digits);
  return significant(value / scale.size, digits) + " " + scale.prefix.str() + unit.name;
}

std::string perfc::formatEngineering(const Uncertain &value, const Dimension &dimension) {
  std::string text = formatEngineering(value.central(), dimension);
  if (value.isCertain())
    return text;
  return text + " +- " + formatEngineering(value.halfWidth(), dimension, 2);
}

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
