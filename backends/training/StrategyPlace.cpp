// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/StrategyPlace.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::training;
using passes::RankAxis;
using passes::Strategy;

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
