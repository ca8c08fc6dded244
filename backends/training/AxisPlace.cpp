// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/AxisPlace.h"

#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace perfc;
using namespace perfc::training;
using passes::RankAxis;
using passes::Strategy;

void AxisPlace::add(int64_t ranks, int64_t stride) {
  if (ranks <= 1)
    return;
  if (!list.empty() && list.back().ranks * list.back().stride == stride)
    list.back().ranks *= ranks;
  else
    list.push_back({ranks, stride});
}

int64_t AxisPlace::ranks() const {
  int64_t product = 1;
  for (const AxisDim &dim : list)
    product *= dim.ranks;
  return product;
}

std::pair<AxisPlace, AxisPlace> AxisPlace::split(int64_t ranks) const {
  std::pair<AxisPlace, AxisPlace> result;
  for (const AxisDim &dim : list) {
    int64_t taken = std::gcd(ranks, dim.ranks);
    ranks /= taken;
    result.first.add(taken, dim.stride);
    result.second.add(dim.ranks / taken, dim.stride * taken);
  }
  return result;
}

std::vector<int64_t> AxisPlace::offsets() const {
  std::vector<int64_t> result = {0};
  for (const AxisDim &dim : list) {
    size_t inner = result.size();
    for (int64_t i = 1; i < dim.ranks; ++i)
      for (size_t k = 0; k < inner; ++k)
        result.push_back(result[k] + i * dim.stride);
  }
  return result;
}

static AxisPlace placeOfAll(const Strategy &strategy, llvm::ArrayRef<RankAxis> axes) {
  AxisPlace place;
  int64_t stride = 1;
  for (auto [axis, degree] : strategy.nested()) {
    if (llvm::is_contained(axes, axis))
      place.add(degree, stride);
    stride *= degree;
  }
  return place;
}

AxisPlace training::placeOf(const Strategy &strategy, llvm::StringRef axis) {
  if (axis == "data") // context-parallel ranks have the same weights
    return placeOfAll(strategy, {RankAxis::Context, RankAxis::Data, RankAxis::Expert});
  bool areOthers = axis == "expert_data";
  if (axis != "expert" && !areOthers)
    return placeOfAll(strategy, {*passes::parseAxis(axis)});
  llvm::SmallVector<RankAxis, 4> domain = {RankAxis::Context, RankAxis::Data};
  if (strategy.wholeExperts())
    domain.push_back(RankAxis::Tensor);
  if (llvm::is_contained(strategy.nesting, RankAxis::Expert))
    return placeOfAll(strategy, areOthers ? llvm::ArrayRef<RankAxis>(domain) : RankAxis::Expert);
  auto [experts, others] = placeOfAll(strategy, domain).split(strategy.expert);
  return areOthers ? others : experts;
}
