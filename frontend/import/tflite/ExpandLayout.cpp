// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rearrangements: what they need to know stands mostly in further operands.
#include "frontend/import/tflite/Expand.h"

using namespace perfc;
using namespace perfc::graph;
using namespace perfc::tflite;

/// Dimension `axis` of `rank`, which may count from the end; nothing with a report.
static llvm::Optional<size_t> place(Expander &expander, int64_t axis, size_t rank) {
  auto wide = static_cast<int64_t>(rank);
  if (axis >= -wide && axis < wide)
    return static_cast<size_t>(axis < 0 ? axis + wide : axis);
  expander.fail(fmt::format("there is no axis {} of {}", axis, counted(rank, "dimension")));
  return llvm::None;
}

static void reshape(Expander &expander) {
  llvm::Optional<Shape> shape = expander.has(1) ? expander.known(1) : llvm::None;
  const Attribute *given = expander.node.find("new_shape");
  if (!shape && given && !given->integers.empty())
    shape = Shape(given->integers.begin(), given->integers.end());
  // What data decide the file says, where it says anything.
  const ValueInfo *declared = expander.declared(0);
  if (!shape && declared && declared->hasShape) {
    shape.emplace();
    for (const DeclaredDim &dim : declared->shape)
      shape->push_back(dim.value);
  }
  if (!shape || llvm::count_if(*shape, [](const Dim &dim) { return dim.is(-1); }) > 1)
    return expander.leave();
  expander.resultAs(expander.reshape(expander.input(0), *shape));
}

static void squeeze(Expander &expander) {
  const Attribute *given = expander.node.find("squeeze_dims");
  std::vector<int64_t> axes = given ? given->integers : std::vector<int64_t>();
  const Shape shape = expander.shape(expander.input(0));
  bool isGiven = !axes.empty();
  for (size_t i = 0; i < shape.size(); ++i)
    if (!isGiven && shape[i].is(1))
      axes.push_back(static_cast<int64_t>(i));
  int x = expander.input(0);
  expander.resultAs(axes.empty() ? expander.op("Identity", {x})
                                 : expander.op("Squeeze", {x}, {{"axes", axes}}));
}

static void expandDims(Expander &expander) {
  if (auto axes = needNumbers(expander, 1))
    expander.resultAs(expander.op("Unsqueeze", {expander.input(0)}, {{"axes", *axes}}));
}

static void transpose(Expander &expander) {
  if (auto order = needNumbers(expander, 1))
    expander.resultAs(expander.transpose(expander.input(0), *order));
}

static void concatenation(Expander &expander) {
  std::vector<int> operands;
  for (size_t i = 0; i < expander.inputCount(); ++i)
    operands.push_back(expander.input(i));
  int value = expander.op("Concat", operands, {{"axis", {expander.integer("axis", 0)}}});
  expander.resultAs(activated(expander, value));
}

static void pack(Expander &expander) {
  std::vector<int64_t> axis = {expander.integer("axis", 0)};
  std::vector<int> operands;
  for (size_t i = 0; i < expander.inputCount(); ++i)
    operands.push_back(expander.op("Unsqueeze", {expander.input(i)}, {{"axes", axis}}));
  expander.resultAs(expander.op("Concat", operands, {{"axis", axis}}));
}

/// Parts of `sizes` along an axis, each a result.
static void cut(Expander &expander, int value, size_t axis, llvm::ArrayRef<Dim> sizes,
                bool isSingle) {
  Dim at = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int part = expander.part(value, axis, at, sizes[i]);
    at = expander.dims.add(at, sizes[i]);
    if (isSingle)
      part = expander.op("Squeeze", {part}, {{"axes", {static_cast<int64_t>(axis)}}});
    expander.result(i, part);
  }
}

static void unpack(Expander &expander) {
  int x = expander.input(0);
  auto axis = place(expander, expander.integer("axis", 0), expander.rank(x));
  if (axis)
    cut(expander, x, *axis, std::vector<Dim>(expander.node.outputs.size(), Dim(1)), true);
}

/// Operands: the axis, and what is split.
static void split(Expander &expander) {
  auto axes = needNumbers(expander, 0);
  if (!axes)
    return;
  int x = expander.input(1);
  size_t count = expander.node.outputs.size();
  auto axis = place(expander, axes->empty() ? 0 : axes->front(), expander.rank(x));
  if (!axis)
    return;
  auto size = expander.dims.exactQuotient(expander.shape(x)[*axis], static_cast<int64_t>(count));
  if (!size)
    return expander.fail(fmt::format("it cannot be split into {} equal parts", count));
  cut(expander, x, *axis, std::vector<Dim>(count, *size), false);
}

static void splitInto(Expander &expander) {
  auto sizes = need(expander, 1);
  auto axes = sizes ? needNumbers(expander, 2) : llvm::None;
  if (!axes)
    return;
  int x = expander.input(0);
  auto axis = place(expander, axes->empty() ? 0 : axes->front(), expander.rank(x));
  if (!axis)
    return;
  Dims &dims = expander.dims;
  Dim rest = expander.shape(x)[*axis];
  for (const Dim &size : *sizes)
    rest = size.is(-1) ? rest : dims.subtract(rest, size);
  for (Dim &size : *sizes)
    size = size.is(-1) ? rest : size;
  cut(expander, x, *axis, *sizes, false);
}

/// Operands: where it begins, and how long it is, -1 for all that is left.
static void slice(Expander &expander) {
  auto starts = need(expander, 1), sizes = starts ? need(expander, 2) : llvm::None;
  int x = expander.input(0);
  if (!sizes)
    return;
  if (starts->size() != expander.rank(x) || sizes->size() != starts->size())
    return expander.fail("it needs a start and a size for each dimension");
  Shape ends;
  for (size_t i = 0; i < sizes->size(); ++i)
    ends.push_back((*sizes)[i].is(-1) ? expander.shape(x)[i]
                                      : expander.dims.add((*starts)[i], (*sizes)[i]));
  expander.resultAs(expander.op("Slice", {x, expander.wholes(*starts), expander.wholes(ends)}));
}

/// Starts, ends and steps, of which bits of masks say that they are the whole dimension, one place
/// of it, or a new one.
static void stridedSlice(Expander &expander) {
  auto starts = need(expander, 1), ends = starts ? need(expander, 2) : llvm::None,
       steps = ends ? need(expander, 3) : llvm::None;
  int x = expander.input(0);
  if (!steps)
    return;
  if (ends->size() != starts->size() || steps->size() != starts->size() || starts->size() > 16)
    return expander.fail("its starts, ends and steps differ in number");
  auto isSet = [&](llvm::StringRef mask, size_t bit) {
    return (expander.integer(mask, 0) >> bit & 1) != 0;
  };
  Shape from, to, by, axes;
  std::vector<int64_t> gone, added;
  const size_t rank = expander.rank(x);
  size_t fresh = 0;
  for (size_t i = 0; i < starts->size(); ++i)
    fresh += isSet("new_axis_mask", i);
  size_t axis = 0, place = 0;
  for (size_t i = 0; i < starts->size(); ++i) {
    if (isSet("ellipsis_mask", i)) {
      size_t given = starts->size() - fresh - 1;
      size_t all = rank > given ? rank - given : 0;
      axis += all;
      place += all;
      continue;
    }
    if (isSet("new_axis_mask", i)) {
      added.push_back(static_cast<int64_t>(place++));
      continue;
    }
    if (axis >= rank)
      return expander.fail("it has more starts than dimensions");
    Dim start = (*starts)[i], end = (*ends)[i], step = (*steps)[i];
    bool isBack = step.isNumber() && step.constant < 0;
    if (expander.integer("offset", 0) != 0)
      end = expander.dims.add(start, end);
    if (isSet("shrink_axis_mask", i)) {
      gone.push_back(static_cast<int64_t>(axis));
      step = 1;
      end = start.is(-1) ? Dim(INT32_MAX) : expander.dims.add(start, 1);
    } else {
      ++place;
      if (isSet("begin_mask", i))
        start = isBack ? INT32_MAX : 0;
      if (isSet("end_mask", i))
        end = isBack ? INT32_MIN : INT32_MAX;
    }
    from.push_back(start);
    to.push_back(end);
    by.push_back(step);
    axes.push_back(static_cast<int64_t>(axis++));
  }
  int value = x;
  if (!axes.empty())
    value = expander.op("Slice", {x, expander.wholes(from), expander.wholes(to),
                                  expander.wholes(axes), expander.wholes(by)});
  if (!gone.empty())
    value = expander.op("Squeeze", {value}, {{"axes", gone}});
  if (!added.empty())
    value = expander.op("Unsqueeze", {value}, {{"axes", added}});
  expander.resultAs(value);
}

static void reverse(Expander &expander) {
  auto list = needNumbers(expander, 1);
  if (!list)
    return;
  std::vector<Dim> none(list->size(), Dim(-1)), all(list->size(), Dim(INT32_MIN)), axes;
  for (int64_t axis : *list)
    axes.push_back(axis);
  int steps = expander.wholes(Shape(none.begin(), none.end()));
  expander.resultAs(expander.op(
      "Slice", {expander.input(0), steps, expander.wholes(Shape(all.begin(), all.end())),
                expander.wholes(Shape(axes.begin(), axes.end())), steps}));
}

/// Pads are [before, after] for each dimension.
static int padded(Expander &expander, int value, const Shape &pads, llvm::StringRef mode) {
  Shape list;
  for (size_t side : {0, 1})
    for (size_t i = side; i < pads.size(); i += 2)
      list.push_back(pads[i]);
  return expander.op("Pad", {value, expander.wholes(list)}, {{"mode", {}, 0, mode}});
}

static void pad(Expander &expander) {
  auto pads = need(expander, 1);
  if (!pads)
    return;
  if (pads->size() != 2 * expander.rank(expander.input(0)))
    return expander.fail("it needs two pads for each dimension");
  bool isMirror = expander.node.op == "MIRROR_PAD";
  expander.resultAs(padded(expander, expander.input(0), *pads, isMirror ? "reflect" : "constant"));
}

static void tile(Expander &expander) {
  if (need(expander, 1))
    expander.resultAs(expander.op("Tile", {expander.input(0), expander.input(1)}));
}

static void broadcast(Expander &expander) {
  if (need(expander, 1))
    expander.resultAs(expander.op("Expand", {expander.input(0), expander.input(1)}));
}

static void fill(Expander &expander) {
  if (need(expander, 0))
    expander.resultAs(expander.op("Expand", {expander.input(1), expander.input(0)}));
}

static void zeros(Expander &expander) {
  int shape = expander.op("Shape", {expander.input(0)});
  expander.resultAs(expander.op("ConstantOfShape", {shape}));
}

static void gather(Expander &expander) {
  if (expander.integer("batch_dims", 0) != 0)
    return expander.leave();
  expander.resultAs(expander.op("Gather", {expander.input(0), expander.input(1)},
                                {{"axis", {expander.integer("axis", 0)}}}));
}

static void lookUp(Expander &expander) {
  expander.resultAs(expander.op("Gather", {expander.input(1), expander.input(0)}));
}

static void oneHot(Expander &expander) {
  auto depth = needNumbers(expander, 1);
  if (!depth)
    return;
  int values = expander.op(
      "Concat",
      {expander.reshape(expander.input(3), {1}), expander.reshape(expander.input(2), {1})},
      {{"axis", {0}}});
  expander.resultAs(expander.op("OneHot", {expander.input(0), expander.input(1), values},
                                {{"axis", {expander.integer("axis", -1)}}}));
}

/// An image of the size that the second operand is.
static void resize(Expander &expander) {
  auto size = need(expander, 1);
  if (!size)
    return;
  int x = channelsFirst(expander, expander.input(0));
  if (size->size() != 2 || expander.rank(x) != 4)
    return expander.fail("it needs an image, and its new height and width");
  const Shape from = expander.shape(x);
  bool isNearest = expander.node.op == "RESIZE_NEAREST_NEIGHBOR";
  int value = expander.op("Resize",
                          {x, -1, -1, expander.wholes({from[0], from[1], (*size)[0], (*size)[1]})},
                          {{"mode", {}, 0, isNearest ? "nearest" : "linear"}});
  expander.resultAs(channelsLast(expander, value));
}

/// Blocks of places become channels, or the other way round; channels are last.
static void blocks(Expander &expander) {
  int x = expander.input(0);
  const Shape of = expander.shape(x);
  int64_t side = expander.integer("block_size", 0);
  if (of.size() != 4 || side < 1 || side > 1 << 15)
    return expander.leave();
  Dims &dims = expander.dims;
  if (expander.node.op == "SPACE_TO_DEPTH") {
    auto down = dims.exactQuotient(of[1], side), across = dims.exactQuotient(of[2], side);
    if (!down || !across)
      return expander.fail(fmt::format("blocks of {} do not fill the image", side));
    int turned = expander.transpose(expander.reshape(x, {of[0], *down, side, *across, side, of[3]}),
                                    {0, 1, 3, 2, 4, 5});
    return expander.resultAs(
        expander.reshape(turned, {of[0], *down, *across, dims.multiply(of[3], side * side)}));
  }
  auto deep = dims.exactQuotient(of[3], side * side);
  if (!deep)
    return expander.fail(fmt::format("its channels are not those of blocks of {}", side));
  int turned = expander.transpose(expander.reshape(x, {of[0], of[1], of[2], side, side, *deep}),
                                  {0, 1, 3, 2, 4, 5});
  expander.resultAs(expander.reshape(
      turned, {of[0], dims.multiply(of[1], side), dims.multiply(of[2], side), *deep}));
}

/// Blocks of places of an image become images of their own, as convolutions with holes have it.
static void spaceToBatch(Expander &expander) {
  auto block = need(expander, 1), pads = block ? need(expander, 2) : llvm::None;
  if (!pads)
    return;
  Shape of = expander.shape(expander.input(0));
  if (block->size() + 1 > of.size() || pads->size() != 2 * block->size() || block->size() > 4)
    return expander.fail("it needs a block and two pads for each side");
  Dims &dims = expander.dims;
  Shape all(2, 0), cut = {of[0]}, to = {of[0]};
  all.append(pads->begin(), pads->end());
  all.resize(2 * of.size(), 0);
  std::vector<int64_t> order;
  for (size_t i = 0; i < block->size(); ++i) {
    Dim padded = dims.add(of[i + 1], dims.add((*pads)[2 * i], (*pads)[2 * i + 1]));
    auto count = dims.exactQuotient(padded, (*block)[i]);
    if (!count)
      return expander.fail("its blocks do not fill the image");
    cut.push_back(*count);
    cut.push_back((*block)[i]);
    order.push_back(static_cast<int64_t>(2 * i + 2));
    to[0] = dims.multiply(to[0], (*block)[i]);
    to.push_back(*count);
  }
  order.push_back(0);
  for (size_t i = 0; i < block->size(); ++i)
    order.push_back(static_cast<int64_t>(2 * i + 1));
  for (size_t i = block->size() + 1; i < of.size(); ++i) {
    order.push_back(static_cast<int64_t>(cut.size()));
    cut.push_back(of[i]);
    to.push_back(of[i]);
  }
  int value = padded(expander, expander.input(0), all, "constant");
  value = expander.transpose(expander.reshape(value, cut), order);
  expander.resultAs(expander.reshape(value, to));
}

static void batchToSpace(Expander &expander) {
  auto block = need(expander, 1), crops = block ? need(expander, 2) : llvm::None;
  if (!crops)
    return;
  const Shape of = expander.shape(expander.input(0));
  size_t sides = block->size();
  if (sides + 1 > of.size() || crops->size() != 2 * sides || sides > 4)
    return expander.fail("it needs a block and two crops for each side");
  Dims &dims = expander.dims;
  Dim count = dims.product(*block);
  auto batch = dims.exactQuotient(of[0], count);
  if (!batch)
    return expander.fail("its images are not those of blocks");
  Shape cut(block->begin(), block->end()), to = {*batch}, starts, ends, axes;
  cut.push_back(*batch);
  std::vector<int64_t> order = {static_cast<int64_t>(sides)};
  for (size_t i = 0; i < sides; ++i) {
    cut.push_back(of[i + 1]);
    order.push_back(static_cast<int64_t>(sides + 1 + i));
    order.push_back(static_cast<int64_t>(i));
    to.push_back(dims.multiply(of[i + 1], (*block)[i]));
    starts.push_back((*crops)[2 * i]);
    ends.push_back(dims.subtract(to.back(), (*crops)[2 * i + 1]));
    axes.push_back(static_cast<int64_t>(i + 1));
  }
  for (size_t i = sides + 1; i < of.size(); ++i) {
    order.push_back(static_cast<int64_t>(cut.size()));
    cut.push_back(of[i]);
    to.push_back(of[i]);
  }
  int value = expander.transpose(expander.reshape(expander.input(0), cut), order);
  value = expander.reshape(value, to);
  expander.resultAs(expander.op(
      "Slice", {value, expander.wholes(starts), expander.wholes(ends), expander.wholes(axes)}));
}

/// Selections and what is written where data says, without a function, look at each element once.
static constexpr ExpansionEntry layoutTable[] = {
    {"BATCH_TO_SPACE_ND", "tflite", batchToSpace},
    {"BROADCAST_TO", "tflite", broadcast},
    {"CONCATENATION", "tflite", concatenation},
    {"DEPTH_TO_SPACE", "tflite", blocks},
    {"EMBEDDING_LOOKUP", "tflite", lookUp},
    {"EXPAND_DIMS", "tflite", expandDims},
    {"FILL", "tflite", fill},
    {"GATHER", "tflite", gather},
    {"MIRROR_PAD", "tflite", pad},
    {"NON_MAX_SUPPRESSION_V4", "tflite", nullptr},
    {"NON_MAX_SUPPRESSION_V5", "tflite", nullptr},
    {"ONE_HOT", "tflite", oneHot},
    {"PACK", "tflite", pack},
    {"PAD", "tflite", pad},
    {"PADV2", "tflite", pad},
    {"RESHAPE", "tflite", reshape},
    {"RESIZE_BILINEAR", "tflite", resize},
    {"RESIZE_NEAREST_NEIGHBOR", "tflite", resize},
    {"REVERSE_V2", "tflite", reverse},
    {"SCATTER_ND", "tflite", nullptr},
    {"SLICE", "tflite", slice},
    {"SPACE_TO_BATCH_ND", "tflite", spaceToBatch},
    {"SPACE_TO_DEPTH", "tflite", blocks},
    {"SPLIT", "tflite", split},
    {"SPLIT_V", "tflite", splitInto},
    {"SQUEEZE", "tflite", squeeze},
    {"STRIDED_SLICE", "tflite", stridedSlice},
    {"TILE", "tflite", tile},
    {"TOPK_V2", "tflite", nullptr},
    {"TRANSPOSE", "tflite", transpose},
    {"UNIQUE", "tflite", nullptr},
    {"UNPACK", "tflite", unpack},
    {"ZEROS_LIKE", "tflite", zeros},
};

llvm::ArrayRef<ExpansionEntry> tflite::layoutExpansions() { return layoutTable; }
