// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of operators that compute shapes, whose results are known where these are.
#include "frontend/import/graph/Inference.h"
#include <cmath>

using namespace perfc;
using namespace perfc::graph;

static bool shapeOf(Inference &inference) {
  const Shape &from = inference.shape(0);
  auto rank = static_cast<int64_t>(from.size());
  auto place = [&](llvm::StringRef name, int64_t otherwise) {
    int64_t at = inference.integer(name, otherwise);
    at = at < 0 ? at + rank : at;
    return std::min(std::max<int64_t>(at, 0), rank);
  };
  int64_t first = place("start", 0), end = std::max(first, place("end", rank));
  inference.setShape({Dim(end - first)});
  if (!inference.wants(0))
    return true;
  inference.out().type = Int64;
  inference.out().content = std::vector<Scalar>(from.begin() + first, from.begin() + end);
  return true;
}

static bool sizeOf(Inference &inference) {
  inference.setShape({});
  if (inference.wants(0)) {
    inference.out().type = Int64;
    inference.out().content = std::vector<Scalar>{inference.dims.product(inference.shape(0))};
  }
  return true;
}

static constexpr int64_t mostOpen = 16; ///< dimensions of a size that data decides

/// The `count` sizes of a list that data has a part in, -1 for those that it says.
static Shape partsOfList(Inference &inference, size_t count) {
  Shape sizes;
  int maker = inference.in(0).maker;
  if (maker >= 0 && inference.net.ops[maker].type == "Concat")
    for (int part : inference.net.ops[maker].inputs) {
      const auto &known = inference.net.values[part].content;
      sizes.push_back(known && known->size() == 1 ? known->front().whole : Dim(-1));
    }
  return sizes.size() == count ? sizes : Shape(count, -1);
}

static bool constantOfShape(Inference &inference) {
  auto wanted = inference.wholes("", 0);
  if (!wanted) { // how many dimensions there are is known, of what size data says
    if (!inference.has(0) || !inference.wants(0))
      return true;
    const Shape &list = inference.shape(0);
    if (list.size() != 1 || !list[0].isNumber() || list[0].constant < 0 ||
        list[0].constant > mostOpen)
      return true;
    // It fills up what data leaves: where that is as large as it can be, nothing.
    inference.out().openShape = partsOfList(inference, static_cast<size_t>(list[0].constant));
    inference.out().most = Shape(inference.out().openShape->size(), 1);
    return true;
  }
  Shape shape(wanted->begin(), wanted->end());
  Dim count = inference.dims.product(shape);
  if (!inference.wants(0))
    return true;
  Scalar value = Scalar::ofReal(0);
  inference.out().type = Float;
  if (const Attribute *given = inference.attribute("value"); given && given->tensor) {
    const Tensor &tensor = *given->tensor;
    inference.out().type = tensor.type;
    if (!tensor.integers.empty())
      value = Dim(tensor.integers[0]);
    else if (!tensor.reals.empty())
      value = Scalar::ofReal(tensor.reals[0]);
  }
  inference.setShape(std::move(shape));
  if (isKept(count))
    inference.out().content = std::vector<Scalar>(static_cast<size_t>(count.constant), value);
  return true;
}

static bool range(Inference &inference) {
  if (!inference.needRank(0, 0) || !inference.needRank(1, 0) || !inference.needRank(2, 0))
    return false;
  for (size_t i : {0, 1, 2})
    if (!inference.in(i).content || inference.in(i).content->size() != 1)
      return true;
  const Scalar &start = (*inference.in(0).content)[0], &end = (*inference.in(1).content)[0],
               &step = (*inference.in(2).content)[0];
  if (!step.isNumber() || step.toReal() == 0)
    return true;
  if (start.isReal || end.isReal || step.isReal) {
    if (!start.isNumber() || !end.isNumber())
      return true;
    double count = std::ceil((end.toReal() - start.toReal()) / step.toReal());
    return count < 9e15 ? inference.setShape({Dim(static_cast<int64_t>(std::max(0.0, count)))})
                        : inference.fail("it is too long");
  }
  Dims &dims = inference.dims;
  int64_t by = step.whole.constant;
  Dim length = dims.subtract(end.whole, start.whole);
  if (by < 0)
    length = dims.multiply(length, -1);
  by = by < 0 ? -by : by;
  Dim count = dims.larger(dims.divide(dims.add(length, by - 1), by), 0);
  inference.setShape({count});
  if (!isKept(count) || !inference.wants(0))
    return true;
  std::vector<Scalar> result;
  Dim at = start.whole;
  for (int64_t i = 0; i < count.constant; ++i) {
    result.emplace_back(at);
    at = dims.add(at, step.whole);
  }
  inference.out().content = std::move(result);
  return true;
}

static constexpr ShapeEntry sizeRuleTable[] = {
    {"ConstantOfShape", constantOfShape},
    {"Range", range},
    {"Shape", shapeOf},
    {"Size", sizeOf},
};

llvm::ArrayRef<ShapeEntry> graph::sizeRules() { return sizeRuleTable; }
