// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/sparse/DensityModel.h"

#include "backends/core/Hypergeometric.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

DensityModel::DensityModel(const Density *given, int64_t size) : size(size), nonzeros(size) {
  if (!given)
    return;
  isFixed = given->distribution == Distribution::FixedStructured;
  density = given->value;
  nonzeros = static_cast<int64_t>(std::ceil(density * static_cast<double>(size)));
}

/// The probability that none of `drawn` elements is among the `marked` of `total`.
static double noneOf(int64_t marked, int64_t drawn, int64_t total) {
  return probabilityOfNone(static_cast<double>(marked), static_cast<double>(drawn),
                           static_cast<double>(total));
}

int64_t DensityModel::least(int64_t shape) const {
  if (isFixed)
    return static_cast<int64_t>(std::floor(static_cast<double>(shape) * density));
  return std::max<int64_t>(0, shape + nonzeros - size);
}

int64_t DensityModel::most(int64_t shape) const {
  if (isFixed)
    return static_cast<int64_t>(std::ceil(static_cast<double>(shape) * density));
  return std::min(shape, nonzeros);
}

std::vector<double> DensityModel::probabilities(int64_t shape) const {
  if (isFixed) {
    double exact = static_cast<double>(shape) * density, above = exact - std::floor(exact);
    if (above == 0)
      return {1};
    return {1 - above, above};
  }
  int64_t first = least(shape), last = most(shape);
  auto atLog = [&](int64_t k) {
    auto choose = [](int64_t n, int64_t of) {
      return logChoose(static_cast<long double>(n), static_cast<long double>(of));
    };
    return std::exp(choose(nonzeros, k) + choose(size - nonzeros, shape - k) - choose(size, shape));
  };
  std::vector<double> result;
  long double probability =
      first == 0 ? static_cast<long double>(noneOf(nonzeros, shape, size)) : atLog(first);
  for (int64_t k = first; k <= last; ++k) {
    result.push_back(static_cast<double>(probability));
    if (probability < 1e-4000L) { // lost in the tail: start again
      probability = k < last ? atLog(k + 1) : 0;
      continue;
    }
    probability *= static_cast<long double>(nonzeros - k) * static_cast<long double>(shape - k) /
                   (static_cast<long double>(k + 1) *
                    static_cast<long double>(size - nonzeros - shape + k + 1));
  }
  return result;
}

double DensityModel::emptyProbability(int64_t shape) const {
  if (!isFixed)
    return noneOf(nonzeros, shape, size);
  double exact = static_cast<double>(shape) * density;
  return exact >= 1 ? 0 : 1 - exact;
}

double DensityModel::emptyProbability(int64_t shape, const KnownTile &within) const {
  return isFixed ? emptyProbability(shape) : noneOf(within.occupancy, shape, within.shape);
}

double DensityModel::elementDensity() const {
  double mean = isFixed ? density : static_cast<double>(nonzeros) / static_cast<double>(size);
  return std::round(mean * 1000000) / 1000000;
}
