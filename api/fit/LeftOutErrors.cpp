// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/LeftOutErrors.h"

#include "api/Agreement.h"
#include "api/fit/Unknowns.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>

using namespace perfc;
using namespace perfc::api;

void LeftOutErrors::add(llvm::ArrayRef<ValidationRow> rows, const Fit &fit) {
  double sum = 0;
  size_t before = errors.size();
  for (const ValidationRow &row : rows)
    if (const Prediction *prediction = predictionOf(row, fit)) {
      double deviation = prediction->halfWidth / endOfInterval / prediction->predicted->real;
      double error = std::log(prediction->predicted->real / prediction->reference->real);
      errors.push_back(std::fabs(error) / deviation);
      sum += std::fabs(error);
    }
  if (errors.size() > before)
    means.push_back(sum / static_cast<double>(errors.size() - before));
}

double LeftOutErrors::mean() const {
  double sum = std::accumulate(means.begin(), means.end(), 0.0);
  return means.empty() ? 0 : sum / static_cast<double>(means.size());
}

bool LeftOutErrors::areSignificantlyBelow(const LeftOutErrors &other) const {
  constexpr double clear = 3;
  constexpr size_t enoughParts = 7;
  if (means.size() < enoughParts)
    return false;
  auto count = static_cast<double>(means.size());
  double gain = other.mean() - mean(), squares = 0;
  for (auto [one, another] : llvm::zip(means, other.means))
    squares += (another - one - gain) * (another - one - gain);
  return gain > clear * std::sqrt(squares / (count - 1) / count);
}

double LeftOutErrors::widening() const {
  constexpr double outside = 0.1;
  // Of few errors the tenth is not known that well (Vovk et al., 2005).
  auto count = static_cast<double>(errors.size());
  double share = errors.empty() ? 1 : std::min(1.0, (1 - outside) * (count + 1) / count);
  return std::max(1.0, quantile(errors, share).getValueOr(0) / endOfInterval);
}
