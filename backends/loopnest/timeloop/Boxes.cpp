// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/Boxes.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

double timeloop::volume(llvm::ArrayRef<int64_t> box) {
  double product = 1;
  for (size_t i = 0; i < box.size(); i += 2)
    product *= static_cast<double>(box[i + 1] - box[i]);
  return product;
}

double Boxes::volume() const {
  double sum = 0;
  for (size_t i = 0; i < size(); ++i)
    sum += timeloop::volume((*this)[i]);
  return sum;
}

void Boxes::sort() {
  if (size() < 2)
    return;
  llvm::SmallVector<Box, 8> list;
  for (size_t i = 0; i < size(); ++i)
    list.emplace_back((*this)[i].begin(), (*this)[i].end());
  llvm::sort(list);
  bounds.clear();
  for (const Box &box : list)
    bounds.append(box.begin(), box.end());
}

void timeloop::subtract(llvm::ArrayRef<int64_t> box, llvm::ArrayRef<int64_t> cut, Boxes &result) {
  result.clear();
  for (size_t i = 0; i < box.size(); i += 2)
    if (box[i + 1] <= cut[i] || cut[i + 1] <= box[i]) {
      result.add(box);
      return;
    }
  Box middle(box.begin(), box.end());
  for (size_t i = 0; i < box.size(); i += 2) {
    int64_t low = middle[i], high = middle[i + 1];
    if (low < cut[i]) {
      middle[i + 1] = cut[i];
      result.add(middle);
      middle[i] = low = cut[i];
      middle[i + 1] = high;
    }
    if (cut[i + 1] < high) {
      middle[i] = cut[i + 1];
      result.add(middle);
      middle[i] = low;
      middle[i + 1] = cut[i + 1];
    }
  }
}

/// The tool weighs each box with its volume and divides again; kept for its rounding.
static double centre(int64_t low, int64_t high, double weight) {
  return (static_cast<double>(low) + static_cast<double>(high - 1 - low) / 2) * weight / weight;
}

void timeloop::translation(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to,
                           Offset &result) {
  result.clear();
  for (size_t i = 0; i < from.size(); i += 2) {
    if (from[i + 1] - from[i] == to[i + 1] - to[i]) {
      result.push_back(to[i] - from[i]);
      continue;
    }
    double distance =
        centre(to[i], to[i + 1], volume(to)) - centre(from[i], from[i + 1], volume(from));
    result.push_back(static_cast<int64_t>(std::round(distance)));
  }
}

bool timeloop::isShifted(const Boxes &from, const Boxes &to, Offset &result) {
  if (from.size() != to.size())
    return false;
  result.clear();
  for (size_t i = 0; i < from[0].size(); i += 2)
    result.push_back(to[0][i] - from[0][i]);
  for (size_t k = 0; k < from.size(); ++k)
    for (size_t i = 0; i < from[k].size(); ++i)
      if (to[k][i] - from[k][i] != result[i / 2])
        return false;
  return true;
}
