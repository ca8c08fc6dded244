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

bool graph::takeContent(Inference &inference, const Value &value,
                        llvm::function_ref<size_t(llvm::ArrayRef<size_t>)> indexOf) {
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

std::vector<int64_t> graph::stridesOf(const Shape &shape) {
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
    llvm::Optional<int64_t> at = index.toWhole();
    if (!at)
      return true;
    places.push_back(static_cast<size_t>(*at < 0 ? *at + count : *at));
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
  if (int64_t most = inference.integer("k", 0); most > 0) // of operator sets before 10
    count = std::vector<Dim>{most};
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
    {"Concat", concat},
    {"CumSum", sameShape},
    {"Dropout", dropout},
    {"Expand", expand},
    {"EyeLike", sameShape},
    {"Flatten", flatten},
    {"Identity", same},
    {"OneHot", oneHot},
    {"Pad", pad},
    {"Reshape", reshape},
    {"ReverseSequence", sameShape},
    {"Scatter", sameShape},
    {"ScatterElements", sameShape},
    {"ScatterND", sameShape},
    {"Squeeze", squeeze},
    {"Tile", tile},
    {"TopK", topK},
    {"Transpose", transpose},
    {"Trilu", sameShape},
    {"Unsqueeze", unsqueeze},
};

llvm::ArrayRef<ShapeEntry> graph::layoutRules() { return layoutRuleTable; }
