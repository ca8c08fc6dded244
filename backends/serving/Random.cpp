// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Random.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::serving;

double Random::next() {
  auto high = static_cast<double>(engine() >> 5), low = static_cast<double>(engine() >> 6);
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double Random::exponential() { return -std::log(1.0 - next()); }

double Random::normal() {
  if (hasSpare) {
    hasSpare = false;
    return spare;
  }
  double x, y, square;
  do {
    x = 2.0 * next() - 1.0;
    y = 2.0 * next() - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  double scale = std::sqrt(-2.0 * std::log(square) / square);
  spare = scale * x;
  hasSpare = true;
  return scale * y;
}

double Random::smallGamma(double shape) {
  for (;;) {
    double u = next(), v = exponential();
    if (u <= 1.0 - shape) {
      double x = std::pow(u, 1.0 / shape);
      if (x <= v)
        return x;
      continue;
    }
    double y = -std::log((1.0 - u) / shape);
    double x = std::pow(1.0 - shape + shape * y, 1.0 / shape);
    if (x <= v + y)
      return x;
  }
}

double Random::gamma(double shape) {
  if (shape == 1.0)
    return exponential();
  if (shape < 1.0)
    return smallGamma(shape);
  double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    double x, v;
    do {
      x = normal();
      v = 1.0 + c * x;
    } while (v <= 0.0);
    v = v * v * v;
    double u = next();
    if (u < 1.0 - 0.0331 * (x * x) * (x * x) ||
        std::log(u) < 0.5 * x * x + d * (1.0 - v + std::log(v)))
      return d * v;
  }
}

std::function<double()> serving::zipf(int64_t least, int64_t most, double theta, Random &random) {
  auto sum = [&](int64_t count) {
    double value = 0;
    for (int64_t i = 1; i < count; ++i)
      value += 1 / std::pow(static_cast<double>(i), theta);
    return value;
  };
  auto items = static_cast<double>(most - least + 1);
  double all = sum(most - least + 1);
  double eta = (1 - std::pow(2 / items, 1 - theta)) / (1 - sum(2) / (all + 1e-8));
  return [=, &random] {
    double u = random.next(), first = static_cast<double>(least);
    if (u * all < 1)
      return first;
    if (u * all < 1 + std::pow(0.5, theta))
      return std::min(first + 1, static_cast<double>(most));
    double place = std::floor(items * std::pow(eta * u - eta + 1, 1 / (1 - theta)));
    return first + std::min(std::max(place, 0.0), items - 1);
  };
}

/// The next state of SplitMix64, and what it puts out.
static uint64_t mixed(uint64_t state) {
  state += 0x9e3779b97f4a7c15;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
  return state ^ (state >> 31);
}

double serving::uniformOf(uint64_t seed, uint64_t first, uint64_t second) {
  uint64_t bits = mixed(mixed(mixed(seed) ^ first) ^ second);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}
