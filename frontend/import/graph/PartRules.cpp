// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of operators that take parts of a tensor.
#include "frontend/import/graph/Inference.h"

using namespace perfc;
using namespace perfc::graph;

static bool split(Inference &inference) {
  if (!inference.needRank(0, 1))
    return false;
  const Shape from = inference.shape(0);
  auto axis = inference.axis(inference.integer("axis", 0), from.size());
  if (!axis)
    return false;
  bool isGiven = false;
  auto sizes = inference.wholes("split", 1, &isGiven);
  if (isGiven && !sizes)
    return true;
  size_t count = inference.outputs();
  if (sizes && sizes->size() != count)
    return inference.fail("it needs a size for each result");
  Dim size = inference.dims.divide(inference.dims.add(from[*axis], static_cast<int64_t>(count) - 1),
                                   static_cast<int64_t>(count));
  Dim offset = 0;
  for (size_t i = 0; i < count; ++i) {
    Shape shape = from;
    Dim rest = inference.dims.subtract(from[*axis], offset);
    shape[*axis] = sizes ? (*sizes)[i] : i + 1 < count ? size : rest;
    offset = inference.dims.add(offset, shape[*axis]);
    if (inference.wants(i) && inference.in(0).content && from.size() == 1 && offset.isNumber() &&
        shape[0].isNumber() && shape[0].constant >= 0) {
      const std::vector<Scalar> &all = *inference.in(0).content;
      int64_t first = offset.constant - shape[0].constant;
      if (first >= 0 && offset.constant <= static_cast<int64_t>(all.size()))
        inference.out(i).content =
            std::vector<Scalar>(all.begin() + first, all.begin() + offset.constant);
    }
    inference.setShape(std::move(shape), i);
  }
  return true;
}

/// A start or an end of a slice: counted from the end where it is negative, and inside [`least`,
/// `most`].
static Dim clamped(Dims &dims, const Dim &written, const Dim &extent, const Dim &least,
                   const Dim &most) {
  constexpr int64_t large = INT32_MAX;
  if (written.isNumber() && written.constant >= large)
    return most;
  if (written.isNumber() && written.constant <= -large)
    return least;
  llvm::Optional<int> sign = dims.compare(written, 0);
  Dim place = sign && *sign < 0 ? dims.add(written, extent) : written;
  return dims.larger(dims.smaller(place, most), least);
}

/// A part whose ends data decides: along its axes as much as there is at most.
static bool openSlice(Inference &inference, const std::vector<int64_t> *axisList) {
  if (!inference.has(1) || !inference.wants(0))
    return true;
  const Shape &from = inference.shape(0), &starts = inference.shape(1);
  if (starts.size() != 1 || !starts[0].isNumber())
    return true;
  Shape shape = from, most(from.size(), 0);
  for (int64_t i = 0; i < starts[0].constant; ++i) {
    if (axisList && i >= static_cast<int64_t>(axisList->size()))
      return inference.fail("its starts, ends, axes and steps differ in number");
    auto axis = inference.axis(axisList ? (*axisList)[i] : i, from.size());
    if (!axis)
      return false;
    most[*axis] = from[*axis];
    shape[*axis] = -1;
  }
  inference.out().openShape = std::move(shape);
  inference.out().most = std::move(most);
  return true;
}

static bool slice(Inference &inference) {
  const Shape from = inference.shape(0);
  auto starts = inference.wholes("starts", 1), ends = inference.wholes("ends", 2);
  bool hasAxes = false, hasSteps = false;
  auto axisList = inference.numbers("axes", 3, &hasAxes),
       steps = inference.numbers("steps", 4, &hasSteps);
  Dims &dims = inference.dims;
  if ((!starts || !ends) && (!hasAxes || axisList))
    return openSlice(inference, axisList ? &*axisList : nullptr);
  if (!starts || !ends || (hasAxes && !axisList) || (hasSteps && !steps))
    return true;
  if (starts->size() != ends->size() || (axisList && axisList->size() != starts->size()) ||
      (steps && steps->size() != starts->size()))
    return inference.fail("its starts, ends, axes and steps differ in number");
  Shape shape = from;
  std::vector<Dim> firsts(from.size(), 0);
  std::vector<int64_t> strides(from.size(), 1);
  for (size_t i = 0; i < starts->size(); ++i) {
    auto axis = inference.axis(axisList ? (*axisList)[i] : static_cast<int64_t>(i), from.size());
    if (!axis)
      return false;
    int64_t step = steps ? (*steps)[i] : 1;
    if (step == 0 || step == INT64_MIN)
      return inference.fail("a step of 0");
    const Dim &extent = from[*axis];
    Dim last = step > 0 ? extent : dims.subtract(extent, 1);
    Dim first = clamped(dims, (*starts)[i], extent, 0, last);
    Dim end = clamped(dims, (*ends)[i], extent, step > 0 ? 0 : -1, last);
    Dim length = step > 0 ? dims.subtract(end, first) : dims.subtract(first, end);
    int64_t by = step > 0 ? step : -step;
    shape[*axis] = dims.larger(dims.divide(dims.add(length, by - 1), by), 0);
    firsts[*axis] = first;
    strides[*axis] = step;
  }
  inference.setShape(std::move(shape));
  std::vector<int64_t> places = stridesOf(from);
  if (llvm::any_of(firsts, [](const Dim &dim) { return !dim.isNumber(); }))
    return true;
  return takeContent(inference, inference.in(0), [&](llvm::ArrayRef<size_t> at) {
    int64_t index = 0;
    for (size_t i = 0; i < at.size(); ++i)
      index += (firsts[i].constant + static_cast<int64_t>(at[i]) * strides[i]) * places[i];
    return static_cast<size_t>(index);
  });
}

static bool gather(Inference &inference) {
  if (!inference.needRank(0, 1) || !inference.needRank(1, 0))
    return false;
  const Shape &from = inference.shape(0), &chosen = inference.shape(1);
  auto axis = inference.axis(inference.integer("axis", 0), from.size());
  if (!axis)
    return false;
  Shape shape(from.begin(), from.begin() + *axis);
  llvm::append_range(shape, chosen);
  shape.append(from.begin() + *axis + 1, from.end());
  if (shape.size() > 16)
    return inference.fail("the result has more than 16 dimensions");
  inference.setShape(std::move(shape));
  const Value &indices = inference.in(1);
  if (!inference.wants(0) || !inference.in(0).content || !indices.content ||
      llvm::any_of(chosen, [](const Dim &dim) { return !dim.isNumber(); }))
    return true;
  std::vector<size_t> places;
  for (const Scalar &index : *indices.content) {
    if (index.isReal || !index.whole.isNumber() || !from[*axis].isNumber())
      return true;
    auto at = inference.axis(index.whole.constant, static_cast<size_t>(from[*axis].constant));
    if (!at)
      return false;
    places.push_back(*at);
  }
  std::vector<int64_t> strides = stridesOf(from), own = stridesOf(chosen);
  return takeContent(inference, inference.in(0), [&](llvm::ArrayRef<size_t> at) {
    size_t place = 0, index = 0, count = own.size();
    for (size_t i = 0; i < count; ++i)
      place += at[*axis + i] * own[i];
    for (size_t i = 0; i < from.size(); ++i)
      index += (i == *axis ? places[place] : at[i < *axis ? i : i + count - 1]) * strides[i];
    return index;
  });
}

static bool ofIndices(Inference &inference) {
  return inference.needRank(1, 0) && inference.setShape(inference.shape(1));
}

static bool gatherNd(Inference &inference) {
  if (!inference.needRank(0, 1) || !inference.needRank(1, 1))
    return false;
  const Shape &from = inference.shape(0), &chosen = inference.shape(1);
  int64_t batch = inference.integer("batch_dims", 0);
  const Dim &length = chosen.back();
  if (!length.isNumber() || batch < 0 || length.constant < 0 ||
      batch + length.constant > static_cast<int64_t>(from.size()))
    return inference.fail("its indices have more numbers than there are dimensions");
  Shape shape(chosen.begin(), chosen.end() - 1);
  shape.append(from.begin() + batch + length.constant, from.end());
  return inference.setShape(std::move(shape));
}

static constexpr ShapeEntry partRuleTable[] = {
    {"Gather", gather}, {"GatherElements", ofIndices}, {"GatherND", gatherNd}, {"Slice", slice},
    {"Split", split},
};

llvm::ArrayRef<ShapeEntry> graph::partRules() { return partRuleTable; }
