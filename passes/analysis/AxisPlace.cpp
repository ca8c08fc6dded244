// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/AxisPlace.h"

#include <numeric>

using namespace perfc;

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
    std::size_t inner = result.size();
    for (int64_t i = 1; i < dim.ranks; ++i)
      for (std::size_t k = 0; k < inner; ++k)
        result.push_back(result[k] + i * dim.stride);
  }
  return result;
}

int64_t AxisPlace::groupOf(int64_t rank) const {
  for (std::size_t i = list.size(); i-- > 0;) // the farthest first: nearer strides stay as they are
    rank = rank / (list[i].stride * list[i].ranks) * list[i].stride + rank % list[i].stride;
  return rank;
}

std::vector<int64_t> AxisPlace::groupFrom(int64_t rank) const {
  for (const AxisDim &dim : list)
    if (rank / dim.stride % dim.ranks != 0)
      return {};
  std::vector<int64_t> group = offsets();
  for (int64_t &member : group)
    member += rank;
  return group;
}

AxisPlace perfc::placeOfCollective(const ir::Operation &collective) {
  std::vector<int64_t> dims = collective.intsAttr("dimensions");
  if (dims.empty())
    return {collective.intAttr("ranks", 1), collective.intAttr("stride", 1)};
  AxisPlace place;
  for (size_t i = 0; i + 1 < dims.size(); i += 2)
    place.add(dims[i], dims[i + 1]);
  return place;
}

void perfc::placeCollective(ir::Operation &collective, const AxisPlace &place) {
  collective.setAttr("ranks", place.ranks());
  collective.setAttr("stride", place.stride());
  if (place.dims().size() <= 1)
    return;
  ir::AttrList dimensions;
  for (const AxisDim &dim : place.dims())
    for (int64_t number : {dim.ranks, dim.stride})
      dimensions.emplace_back(number);
  collective.setAttr("dimensions", std::move(dimensions));
}
