// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/Uncertain.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace perfc;

/// Of what two figures contribute: less of it is no contribution.
static constexpr double rounding = 1e-12;

UncertaintySource perfc::uncertaintySource(llvm::StringRef path, uint32_t offset) {
  // FNV-1a: stable over runs and machines, unlike llvm::hash_value.
  uint64_t hash = 1469598103934665603ull;
  auto mix = [&](unsigned char byte) { hash = (hash ^ byte) * 1099511628211ull; };
  for (char c : path)
    mix(c);
  for (int shift = 0; shift < 32; shift += 8)
    mix(offset >> shift);
  return hash;
}

Uncertain::Uncertain(double value, double halfWidth, UncertaintySource source) : value(value) {
  if (halfWidth != 0)
    parts.push_back({source, halfWidth});
}

Uncertain::Uncertain(double value, llvm::ArrayRef<Contribution> contributions)
    : value(value), parts(contributions.begin(), contributions.end()) {
  std::sort(parts.begin(), parts.end(),
            [](const Contribution &a, const Contribution &b) { return a.source < b.source; });
  // Contributions of one source add linearly, so a source stands once.
  std::vector<Contribution> merged;
  for (const Contribution &part : parts) {
    if (!merged.empty() && merged.back().source == part.source)
      merged.back().delta += part.delta;
    else
      merged.push_back(part);
  }
  llvm::erase_if(merged, [](const Contribution &part) { return part.delta == 0; });
  parts = std::move(merged);
}

double Uncertain::halfWidth() const {
  double sum = 0;
  for (const Contribution &part : parts)
    sum += part.delta * part.delta;
  return std::sqrt(sum);
}

Uncertain Uncertain::map(double newValue, double derivative) const {
  Uncertain result(newValue);
  if (derivative == 0)
    return result;
  result.parts = parts;
  for (Contribution &part : result.parts)
    part.delta *= derivative;
  return result;
}

Uncertain Uncertain::combine(double value, const Uncertain &a, double scaleA, const Uncertain &b,
                             double scaleB) {
  Uncertain result(value);
  result.parts.reserve(std::max(a.parts.size(), b.parts.size()));
  auto left = a.parts.begin(), right = b.parts.begin();
  while (left != a.parts.end() || right != b.parts.end()) {
    bool takeLeft =
        right == b.parts.end() || (left != a.parts.end() && left->source <= right->source);
    bool takeRight =
        left == a.parts.end() || (right != b.parts.end() && right->source <= left->source);
    UncertaintySource source = takeLeft ? left->source : right->source;
    double ofA = takeLeft ? scaleA * (left++)->delta : 0;
    double ofB = takeRight ? scaleB * (right++)->delta : 0;
    // What is left where both cancel is rounding.
    if (std::abs(ofA + ofB) > rounding * std::max(std::abs(ofA), std::abs(ofB)))
      result.parts.push_back({source, ofA + ofB});
  }
  return result;
}

namespace perfc {

Uncertain operator+(const Uncertain &a, const Uncertain &b) {
  return Uncertain::combine(a.value + b.value, a, 1, b, 1);
}

Uncertain operator-(const Uncertain &a, const Uncertain &b) {
  return Uncertain::combine(a.value - b.value, a, 1, b, -1);
}

Uncertain operator*(const Uncertain &a, const Uncertain &b) {
  return Uncertain::combine(a.value * b.value, a, b.value, b, a.value);
}

Uncertain operator/(const Uncertain &a, const Uncertain &b) {
  double quotient = a.value / b.value;
  return Uncertain::combine(quotient, a, 1 / b.value, b, -quotient / b.value);
}

Uncertain max(const Uncertain &a, const Uncertain &b) { return a.central() >= b.central() ? a : b; }
Uncertain min(const Uncertain &a, const Uncertain &b) { return a.central() <= b.central() ? a : b; }

} // namespace perfc
