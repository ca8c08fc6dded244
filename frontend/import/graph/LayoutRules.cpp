// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of operators that move elements.
#include "frontend/import/graph/Inference.h"
#include <numeric>

using namespace perfc;
using namespace perfc::graph;

/// Keeps the elements of operand 0 in their order, where they are known.
static bool keepContent(Inference &inference) {
  if (inference.in(0).content && inference.wants(0))
    inference.out().content = inference.in(0).content;
  return true;
}

static bool same(Inference &inference) {
  return inference.needRank(0, 0) && inference.setShape(inference.shape(0)) &&
         keepContent(inference);
}

static bool reshape(Inference &inference) {
  bool isGiven = false;
  auto wanted = inference.wholes("shape", 1, &isGiven);
  if (!wanted)
    return isGiven || inference.fail("it has no shape");
  Shape shape(wanted->begin(), wanted->end());
  const Shape &from = inference.shape(0);
  bool keepsZero = inference.integer("allowzero", 0) != 0;
  llvm::Optional<size_t> open;
  Dim known = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].is(0) && !keepsZero) {
      if (i >= from.size())
        return inference.fail("a dimension of 0 stands for none of the operand");
      shape[i] = from[i];
    }
    if (shape[i].is(-1)) {
      if (open)
        return inference.fail("two dimensions are -1");
      open = i;
      continue;
    }
    if (shape[i].isNumber() && shape[i].constant < 0)
      return inference.fail(fmt::format("there is no dimension of {}", shape[i].constant));
    known = inference.dims.multiply(known, shape[i]);
  }
  Dim all = inference.dims.product(from);
  if (open) {
    if (known.is(0))
      return inference.fail("a dimension of -1 beside one of 0");
    if (all.isNumber() && known.isNumber() && all.constant % known.constant)
      return inference.fail(
          fmt::format("{} elements are no multiple of {}", all.constant, known.constant));
    shape[*open] = inference.dims.divide(all, known);
  } else if (all.isNumber() && known.isNumber() && all != known) {
    return inference.fail(
        fmt::format("{} elements do not fit a shape of {}", all.constant, known.constant));
  }
  return inference.setShape(std::move(shape)) && keepContent(inference);
}

static bool flatten(Inference &inference) {
  const Shape &from = inference.shape(0);
  int64_t axis = inference.integer("axis", 1), rank = static_cast<int64_t>(from.size());
  if (axis < -rank || axis > rank)
    return inference.fail("its axis is outside the operand");
  llvm::ArrayRef<Dim> all = from;
  auto at = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  return inference.setShape({inference.dims.product(all.take_front(at)),
                             inference.dims.product(all.drop_front(at))}) &&
         keepContent(inference);
}

static bool squeeze(Inference &inference) {
  const Shape &from = inference.shape(0);
  bool isGiven = false;
  auto list = inference.numbers("axes", 1, &isGiven);
  if (isGiven && !list)
    return true;
  Shape shape;
  std::vector<size_t> axes;
  if (isGiven) {
    auto found = inference.axes(*list, from.size());
    if (!found)
      return false;
    axes = *found;
  }
  for (size_t i = 0; i < from.size(); ++i) {
    bool goes = isGiven ? llvm::is_contained(axes, i) : from[i].is(1);
    if (goes && from[i].isNumber() && !from[i].is(1))
      return inference.fail(fmt::format("dimension {} is {} and not 1", i, from[i].constant));
    if (!goes)
      shape.push_back(from[i]);
  }
  return inference.setShape(std::move(shape)) && keepContent(inference);
}

static bool unsqueeze(Inference &inference) {
  auto list = inference.numbers("axes", 1);
  if (!list)
    return true;
  const Shape &from = inference.shape(0);
  size_t rank = from.size() + list->size();
  auto axes = inference.axes(*list, rank);
  if (!axes || rank > 16)
    return axes && inference.fail("the result has more than 16 dimensions");
  Shape shape;
  for (size_t i = 0, next = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(*axes, i) ? Dim(1) : from[next++]);
  return inference.setShape(std::move(shape)) && keepContent(inference);
}

/// The elements of `value` at the places that `indexOf` gives for each of the result, by its
/// coordinates.
template <typename IndexOf>
static bool takeContent(Inference &inference, const Value &value, IndexOf indexOf) {
  Value &out = inference.out();
  if (!value.content || !isKept(inference.dims.product(out.shape)) ||
      llvm::any_of(out.shape, [](const Dim &dim) { return !dim.isNumber(); }) ||
      llvm::any_of(value.shape, [](const Dim &dim) { return !dim.isNumber(); }))
    return true;
  std::vector<size_t> at(out.shape.size());
  std::vector<Scalar> result;
  auto count = static_cast<size_t>(inference.dims.product(out.shape).constant);
  for (size_t i = 0; i < count; ++i) {
    size_t index = indexOf(llvm::ArrayRef<size_t>(at));
    if (index >= value.content->size())
      return true;
    result.push_back((*value.content)[index]);
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < static_cast<size_t>(out.shape[d].constant))
        break;
      at[d] = 0;
    }
  }
  out.content = std::move(result);
  return true;
}

/// How far apart elements along each dimension stand.
static std::vector<int64_t> stridesOf(const Shape &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * (shape[i].isNumber() ? shape[i].constant : 1);
  return strides;
}

static bool transpose(Inference &inference) {
  const Shape &from = inference.shape(0);
  std::vector<int64_t> order(from.size());
  std::iota(order.rbegin(), order.rend(), 0);
  if (const Attribute *given = inference.attribute("perm"))
    order = given->integers;
  auto sorted = inference.axes(order, from.size());
  if (!sorted || sorted->size() != from.size())
    return inference.fail("`perm` is no order of the dimensions");
  Shape shape;
  for (int64_t i : order)
    shape.push_back(from[*inference.axis(i, from.size())]);
  inference.setShape(std::move(shape));
  std::vector<int64_t> strides = stridesOf(from);
  return takeContent(inference, inference.in(0), [&](llvm::ArrayRef<size_t> at) {
    size_t index = 0;
    for (size_t i = 0; i < at.size(); ++i)
      index += at[i] * strides[*inference.axis(order[i], from.size())];
    return index;
  });
}

static bool expand(Inference &inference) {
  auto wanted = inference.wholes("shape", 1);
  if (!wanted)
    return true;
  auto shape = inference.broadcast(inference.shape(0), Shape(wanted->begin(), wanted->end()));
  if (!shape)
    return false;
  inference.setShape(*shape);
  const Shape &from = inference.shape(0);
  std::vector<int64_t> strides = stridesOf(from);
  return takeContent(inference, inference.in(0), [&](llvm::ArrayRef<size_t> at) {
    size_t index = 0, offset = at.size() - from.size();
    for (size_t i = 0; i < from.size(); ++i)
      index += (from[i].is(1) ? 0 : at[offset + i]) * strides[i];
    return index;
  });
}

static bool tile(Inference &inference) {
  auto counts = inference.wholes("repeats", 1);
  if (!counts)
    return true;
  Shape shape = inference.shape(0);
  if (counts->size() != shape.size())
    return inference.fail("it needs a count for each dimension");
  for (size_t i = 0; i < shape.size(); ++i)
    shape[i] = inference.dims.multiply(shape[i], (*counts)[i]);
  return inference.setShape(std::move(shape));
}

static bool concat(Inference &inference) {
  if (!inference.needRank(0, 1))
    return false;
  Shape shape = inference.shape(0);
  auto axis = inference.axis(inference.integer("axis", 1), shape.size());
  if (!axis)
    return false;
  bool allKnown = shape.size() == 1;
  std::vector<Scalar> content;
  for (size_t i = 0; i < inference.op.inputs.size(); ++i) {
    if (!inference.has(i) || inference.shape(i).size() != shape.size())
      return inference.fail("its operands have different ranks");
    if (i)
      shape[*axis] = inference.dims.add(shape[*axis], inference.shape(i)[*axis]);
    for (size_t d = 0; d < shape.size(); ++d) {
      const Dim &other = inference.shape(i)[d];
      if (d == *axis || shape[d] == other)
        continue;
      if (shape[d].isNumber() && other.isNumber())
        return inference.fail(fmt::format("dimensions {} of its operands are {} and {}", d,
                                          shape[d].constant, other.constant));
      if (other.isNumber())
        shape[d] = other;
    }
    allKnown = allKnown && inference.in(i).content &&
               content.size() + inference.in(i).content->size() <= mostKeptElements;
    if (allKnown)
      llvm::append_range(content, *inference.in(i).content);
  }
  inference.setShape(std::move(shape));
  if (allKnown)
    inference.out().content = std::move(content);
  return true;
}

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

static bool pad(Inference &inference) {
  Shape shape = inference.shape(0);
  auto pads = inference.wholes("pads", 1);
  bool hasAxes = false;
  auto axes = inference.numbers("axes", 3, &hasAxes);
  if (!pads || (hasAxes && !axes))
    return true;
  size_t count = axes ? axes->size() : shape.size();
  if (pads->size() != 2 * count)
    return inference.fail("it needs two numbers for each dimension");
  for (size_t i = 0; i < count; ++i) {
    auto axis = inference.axis(axes ? (*axes)[i] : static_cast<int64_t>(i), shape.size());
    if (!axis)
      return false;
    Dim both = inference.dims.add((*pads)[i], (*pads)[i + count]);
    shape[*axis] = inference.dims.add(shape[*axis], both);
  }
  return inference.setShape(std::move(shape));
}

static bool oneHot(Inference &inference) {
  Shape shape = inference.shape(0);
  auto depth = inference.wholes("", 1);
  if (!depth || depth->size() != 1)
    return true;
  auto axis = inference.axis(inference.integer("axis", -1), shape.size() + 1);
  if (!axis)
    return false;
  shape.insert(shape.begin() + *axis, depth->front());
  if (inference.wants(0) && inference.has(2))
    inference.out().type = inference.in(2).type;
  inference.setShape(std::move(shape));
  // Where the indices are known, so are the elements: the second value there, else the first.
  if (!inference.wants(0) || !inference.has(2) || !inference.in(2).content ||
      inference.in(2).content->size() != 2 || !inference.in(0).content ||
      !depth->front().isNumber())
    return true;
  int64_t count = depth->front().constant;
  std::vector<size_t> places;
  for (const Scalar &index : *inference.in(0).content) {
    if (!index.isNumber())
      return true;
    auto at = static_cast<int64_t>(index.toReal());
    places.push_back(static_cast<size_t>(at < 0 ? at + count : at));
  }
  std::vector<int64_t> strides = stridesOf(inference.shape(0));
  return takeContent(inference, inference.in(2), [&](llvm::ArrayRef<size_t> at) {
    size_t place = 0;
    for (size_t i = 0; i < strides.size(); ++i)
      place += at[i < *axis ? i : i + 1] * strides[i];
    return static_cast<size_t>(place < places.size() && places[place] == at[*axis]);
  });
}

static bool topK(Inference &inference) {
  if (!inference.needRank(0, 1))
    return false;
  auto count = inference.wholes("k", 1);
  Shape shape = inference.shape(0);
  auto axis = inference.axis(inference.integer("axis", -1), shape.size());
  if (!axis || !count || count->size() != 1)
    return axis.hasValue();
  shape[*axis] = count->front();
  if (inference.wants(1))
    inference.out(1).type = Int64;
  return inference.setShape(shape) && inference.setShape(shape, 1);
}

static bool dropout(Inference &inference) {
  if (inference.wants(1)) {
    inference.setShape(inference.shape(0), 1);
    inference.out(1).type = Bool;
  }
  return same(inference);
}

static bool sameShape(Inference &inference) {
  return inference.needRank(0, 0) && inference.setShape(inference.shape(0));
}

static constexpr ShapeEntry layoutRuleTable[] = {
    {"Concat", concat},       {"CumSum", sameShape},
    {"Dropout", dropout},     {"Expand", expand},
    {"EyeLike", sameShape},   {"Flatten", flatten},
    {"Gather", gather},       {"GatherElements", ofIndices},
    {"GatherND", gatherNd},   {"Identity", same},
    {"OneHot", oneHot},       {"Pad", pad},
    {"Reshape", reshape},     {"ReverseSequence", sameShape},
    {"Scatter", sameShape},   {"ScatterElements", sameShape},
    {"ScatterND", sameShape}, {"Slice", slice},
    {"Split", split},         {"Squeeze", squeeze},
    {"Tile", tile},           {"TopK", topK},
    {"Transpose", transpose}, {"Trilu", sameShape},
    {"Unsqueeze", unsqueeze},
};

llvm::ArrayRef<ShapeEntry> graph::layoutRules() { return layoutRuleTable; }
