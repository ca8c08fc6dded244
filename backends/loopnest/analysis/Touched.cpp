// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Touched.h"
#include "backends/loopnest/analysis/Checked.h"

using namespace perfc;
using namespace perfc::loopnest;

Touched::Touched(const FlatNest &flat) : flat(flat) {
  offsets.assign(1, Point(flat.nest->dims.size(), 0));
  for (const FlatLoop &loop : flat.parallel) {
    std::vector<Point> longer;
    for (const Point &offset : offsets)
      for (int64_t i = 0; i < loop.factor; ++i) {
        longer.push_back(offset);
        for (const FlatDrive &drive : loop.drives)
          longer.back()[drive.dim] += i * drive.step;
      }
    offsets = std::move(longer);
  }
  for (const Tensor &tensor : flat.nest->tensors) {
    Checked size = 1;
    auto &low = lows.emplace_back();
    auto &stride = strides.emplace_back();
    for (const Subscript &rank : tensor.ranks) {
      int64_t least = rank.constant, range = 1;
      for (const Term &term : rank.terms) {
        int64_t reach = term.coefficient * (flat.nest->dims[term.dim].size - 1);
        least += std::min<int64_t>(reach, 0);
        range += reach < 0 ? -reach : reach;
      }
      low.push_back(least);
      stride.push_back(size.value());
      size *= range;
    }
    tooWide |= size.overflowed();
  }
}

int64_t loopnest::valueAt(const Subscript &expr, const Point &point) {
  int64_t value = expr.constant;
  for (const Term &term : expr.terms)
    value += term.coefficient * point[term.dim];
  return value;
}

int64_t Touched::element(unsigned t, const Point &point) const {
  const Tensor &tensor = flat.nest->tensors[t];
  int64_t number = 0;
  for (unsigned r = 0; r < tensor.ranks.size(); ++r) {
    const Subscript &rank = tensor.ranks[r];
    int64_t value = valueAt(rank, point);
    if (rank.extent && (value < 0 || value >= *rank.extent))
      return -1;
    number += (value - lows[t][r]) * strides[t][r];
  }
  return number;
}

bool Touched::pointAt(const Point &base, int64_t lane, Point &point) const {
  const Point &offset = offsets[lane];
  for (unsigned d = 0; d < base.size(); ++d) {
    point[d] = base[d] + offset[d];
    if (point[d] < 0 || point[d] >= flat.nest->dims[d].size)
      return false;
  }
  return llvm::all_of(flat.nest->conditions,
                      [&](const Subscript &condition) { return valueAt(condition, point) >= 0; });
}

Point Touched::base(llvm::ArrayRef<int64_t> when) const {
  Point result(flat.nest->dims.size(), 0);
  for (unsigned i = 0; i < when.size(); ++i)
    for (const FlatDrive &drive : flat.temporal[i].drives)
      result[drive.dim] += when[i] * drive.step;
  return result;
}

bool Touched::next(llvm::MutableArrayRef<int64_t> when, unsigned from) const {
  for (unsigned i = when.size(); i-- > from;) {
    if (++when[i] < flat.temporal[i].factor)
      return true;
    when[i] = 0;
  }
  return false;
}
