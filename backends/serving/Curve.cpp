// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Curve.h"

#include <algorithm>

using namespace perfc::serving;

void Axis::add(int64_t size) {
  auto value = static_cast<double>(size);
  auto place = std::lower_bound(sizes.begin(), sizes.end(), value);
  if (place == sizes.end() || *place != value)
    sizes.insert(place, value);
}

size_t Axis::indexOf(int64_t size) const {
  return static_cast<size_t>(
      std::lower_bound(sizes.begin(), sizes.end(), static_cast<double>(size)) - sizes.begin());
}

std::array<Axis::Weight, 2> Axis::linear(double value) const {
  if (sizes.size() < 2)
    return {{{0, 1}, {0, 0}}};
  auto above =
      static_cast<size_t>(std::upper_bound(sizes.begin(), sizes.end(), value) - sizes.begin());
  size_t high = std::min(std::max<size_t>(above, 1), sizes.size() - 1);
  double share = (value - sizes[high - 1]) / (sizes[high] - sizes[high - 1]);
  return {{{high - 1, 1 - share}, {high, share}}};
}

std::array<Axis::Weight, 3> Axis::quadratic(double value) const {
  if (sizes.size() < 3) {
    auto two = linear(value);
    return {{two[0], two[1], {0, 0}}};
  }
  auto above =
      static_cast<size_t>(std::upper_bound(sizes.begin(), sizes.end(), value) - sizes.begin());
  size_t middle = std::min(std::max<size_t>(above, 1), sizes.size() - 2);
  double a = sizes[middle - 1], b = sizes[middle], c = sizes[middle + 1];
  return {{{middle - 1, (value - b) * (value - c) / ((a - b) * (a - c))},
           {middle, (value - a) * (value - c) / ((b - a) * (b - c))},
           {middle + 1, (value - a) * (value - b) / ((c - a) * (c - b))}}};
}
