// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rearrangements, and tensors that are made of nothing. Where sizes are computed, the file says the
// shape of the result.
#include "frontend/import/torch/Call.h"

using namespace perfc;
using namespace perfc::graph;
using namespace perfc::torch;

static void view(Expander &expander) {
  Call call(expander);
  auto shape = call.resultShape();
  if (!shape)
    return expander.leave();
  call.result(expander.reshape(call.tensor(call.has("self") ? "self" : "input"), *shape));
}

static void expand(Expander &expander) {
  Call call(expander);
  auto shape = call.resultShape();
  if (!shape)
    return expander.leave();
  call.result(call.op("Expand", {call.tensor("self"), expander.wholes(*shape)}));
}

/// The same values, maybe in another format.
static void same(Expander &expander) {
  Call call(expander);
  int x = call.tensor(call.has("self") ? "self" : "input");
  const ValueInfo *declared = expander.declared(0);
  bool isOther = declared && declared->type != NoType && declared->type != expander.type(x);
  if (x >= 0 && !isOther)
    return expander.result(0, x); // another name
  call.result(isOther ? call.op("Cast", {x}, {{"to", {declared->type}}})
                      : call.op("Identity", {x}));
}

/// What is written into a tensor is its value.
static void overwrite(Expander &expander) {
  Call call(expander);
  auto shape = call.resultShape();
  if (!shape)
    return expander.leave();
  int source = call.tensor("src");
  call.result(expander.shape(source) == *shape
                  ? source
                  : call.op("Expand", {source, expander.wholes(*shape)}));
}

static void permute(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  std::vector<int64_t> order = call.list("dims");
  const auto rank = static_cast<int64_t>(expander.rank(x));
  llvm::StringRef op = expander.node.op;
  if (op == "numpy_T") {
    for (int64_t i = rank - 1; i >= 0; --i)
      order.push_back(i);
  } else if (op != "permute") {
    bool isPlain = op == "t" || op == "mT", isAxis = call.has("axis0");
    int64_t one = isPlain ? rank - 2 : call.whole(isAxis ? "axis0" : "dim0", 0),
            other = isPlain ? rank - 1 : call.whole(isAxis ? "axis1" : "dim1", 1);
    auto first = call.place(one, expander.rank(x)),
         second = first ? call.place(other, expander.rank(x)) : llvm::None;
    if (!second)
      return;
    for (int64_t i = 0; i < rank; ++i)
      order.push_back(i);
    std::swap(order[*first], order[*second]);
  }
  for (int64_t &dim : order)
    dim = dim < 0 ? dim + rank : dim;
  call.result(expander.transpose(x, order));
}

static void squeeze(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  const Shape of = expander.shape(x);
  std::vector<int64_t> axes;
  bool isGiven = call.has("dim");
  for (int64_t dim : call.list("dim"))
    if (auto at = call.place(dim, of.size()); at && of[*at].is(1))
      axes.push_back(static_cast<int64_t>(*at));
  for (size_t i = 0; !isGiven && i < of.size(); ++i)
    if (of[i].is(1))
      axes.push_back(static_cast<int64_t>(i));
  call.result(axes.empty() ? call.op("Identity", {x}) : call.op("Squeeze", {x}, {{"axes", axes}}));
}

static void unsqueeze(Expander &expander) {
  Call call(expander);
  call.result(call.op("Unsqueeze", {call.tensor("self")}, {{"axes", {call.whole("dim", 0)}}}));
}

/// An operand of one dimension without elements, such as a cache that nothing is in yet, is none.
static void concatenate(Expander &expander) {
  Call call(expander);
  std::vector<int> list = call.tensors("tensors");
  auto shape = call.resultShape();
  llvm::erase_if(list, [&](int value) {
    const Shape of = expander.shape(value);
    return of.size() == 1 && of[0].is(0) && (!shape || shape->size() != 1);
  });
  if (list.size() == 1)
    return call.result(call.op("Identity", list));
  call.result(call.op("Concat", list, {{"axis", {call.whole("dim", 0)}}}));
}

static void stack(Expander &expander) {
  Call call(expander);
  std::vector<int64_t> axis = {call.whole("dim", 0)};
  std::vector<int> list;
  for (int value : call.tensors("tensors"))
    list.push_back(call.op("Unsqueeze", {value}, {{"axes", axis}}));
  call.result(call.op("Concat", list, {{"axis", axis}}));
}

/// Parts along a dimension, as long as their results are; of `unbind` one place each.
static void split(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  auto axis = call.place(call.whole("dim", 0), expander.rank(x));
  if (!axis)
    return;
  bool isSingle = expander.node.op == "unbind";
  Dim at = 0;
  for (size_t i = 0; i < expander.node.outputs.size(); ++i) {
    auto shape = call.resultShape(i);
    if (!isSingle && (!shape || shape->size() <= *axis))
      return expander.fail("the shapes of its results are not those of parts");
    Dim count = isSingle ? Dim(1) : (*shape)[*axis];
    int part = expander.part(x, *axis, at, count);
    at = call.dims.add(at, count);
    if (isSingle)
      part = call.op("Squeeze", {part}, {{"axes", {static_cast<int64_t>(*axis)}}});
    expander.result(i, part);
  }
}

static void slice(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  int64_t axis = call.whole("dim", 0), start = call.whole("start", 0), step = call.whole("step", 1);
  int64_t end = call.has("end") ? call.whole("end", INT32_MAX) : INT32_MAX;
  end = std::min<int64_t>(end, INT32_MAX);
  for (llvm::StringRef name : {"start", "end"})
    if (!expander.text(name).empty())
      return expander.leave();
  call.result(call.op("Slice", {x, expander.wholes({start}), expander.wholes({end}),
                                expander.wholes({axis}), expander.wholes({step})}));
}

static void select(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  auto axis = call.place(call.whole("dim", 0), expander.rank(x));
  if (!axis)
    return;
  int64_t index = call.whole("index", 0);
  Dim at = index < 0 ? call.dims.add(expander.shape(x)[*axis], index) : Dim(index);
  int part = expander.part(x, *axis, at, 1);
  call.result(call.op("Squeeze", {part}, {{"axes", {static_cast<int64_t>(*axis)}}}));
}

static void gather(Expander &expander) {
  Call call(expander);
  bool isElement = expander.node.op == "gather";
  call.result(call.op(isElement ? "GatherElements" : "Gather",
                      {call.tensor("self"), call.tensor("index")},
                      {{"axis", {call.whole("dim", 0)}}}));
}

static void flip(Expander &expander) {
  Call call(expander);
  Shape axes, steps, ends;
  for (int64_t dim : call.list("dims")) {
    axes.push_back(dim);
    steps.push_back(-1);
    ends.push_back(INT32_MIN);
  }
  int back = expander.wholes(steps);
  call.result(call.op(
      "Slice", {call.tensor("self"), back, expander.wholes(ends), expander.wholes(axes), back}));
}

/// What leaves at one end comes back at the other.
static void roll(Expander &expander) {
  Call call(expander);
  int value = call.tensor("self");
  std::vector<int64_t> shifts = call.list("shifts"), list = call.list("dims");
  if (list.empty() || shifts.size() != list.size())
    return expander.leave();
  for (size_t i = 0; i < list.size(); ++i) {
    auto axis = call.place(list[i], expander.rank(value));
    if (!axis)
      return;
    const Dim extent = expander.shape(value)[*axis];
    if (!extent.isNumber() || extent.constant < 1)
      return expander.leave();
    int64_t shift = (shifts[i] % extent.constant + extent.constant) % extent.constant;
    if (shift == 0)
      continue;
    int64_t kept = extent.constant - shift;
    value = call.op(
        "Concat", {expander.part(value, *axis, kept, shift), expander.part(value, *axis, 0, kept)},
        {{"axis", {static_cast<int64_t>(*axis)}}});
  }
  call.result(value);
}

/// Each place along a dimension so many times, one behind the other.
static void repeatEach(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  auto shape = call.resultShape();
  int64_t count = call.whole("repeats", 0);
  if (call.tensor("repeats") >= 0 || !call.has("dim") || count < 1 || !shape)
    return expander.leave();
  auto axis = call.place(call.whole("dim", 0), expander.rank(x));
  if (!axis)
    return;
  Shape thin = expander.shape(x), wide = thin;
  auto behind = static_cast<std::ptrdiff_t>(*axis) + 1;
  thin.insert(thin.begin() + behind, 1);
  wide.insert(wide.begin() + behind, count);
  int value = call.op("Expand", {expander.reshape(x, thin), expander.wholes(wide)});
  call.result(expander.reshape(value, *shape));
}

static void repeat(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  const Shape of = expander.shape(x);
  std::vector<int64_t> counts = call.list(call.has("dims") ? "dims" : "repeats");
  if (call.has("dims") && counts.size() < of.size())
    counts.insert(counts.begin(), of.size() - counts.size(), 1);
  if (counts.size() < of.size())
    return expander.leave();
  Shape form(counts.size() - of.size(), 1);
  form.append(of.begin(), of.end());
  int list = expander.wholes(Shape(counts.begin(), counts.end()));
  call.result(call.op("Tile", {expander.reshape(x, form), list}));
}

/// Pads of the last dimension come first, each before and after.
static void pad(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  std::vector<int64_t> given = call.list("pad");
  size_t rank = expander.rank(x);
  if (given.size() % 2 || given.size() > 2 * rank)
    return expander.fail("its pads are not two for each dimension");
  Shape pads(2 * rank, 0);
  for (size_t i = 0; i < given.size(); ++i)
    pads[(i % 2 ? 2 * rank : rank) - 1 - i / 2] = given[i];
  bool isMirror = expander.node.op.contains("reflect") || expander.text("mode") == "reflect";
  call.result(call.op("Pad", {x, expander.wholes(pads)},
                      {{"mode", {}, 0, isMirror ? "reflect" : "constant"}}));
}

static void resize(Expander &expander) {
  Call call(expander);
  auto shape = call.resultShape();
  int x = call.tensor(call.has("self") ? "self" : "input");
  if (!shape || expander.rank(x) != shape->size())
    return expander.stream();
  llvm::StringRef op = expander.node.op;
  llvm::StringRef mode = op.contains("nearest") ? "nearest"
                         : op.contains("cubic") ? "cubic"
                                                : "linear";
  call.result(call.op("Resize", {x, -1, -1, expander.wholes(*shape)}, {{"mode", {}, 0, mode}}));
}

/// What lies at places between those of an image.
static void sample(Expander &expander) {
  Call call(expander);
  static constexpr llvm::StringLiteral modes[] = {"linear", "nearest", "cubic"};
  auto mode = static_cast<size_t>(call.whole("interpolation_mode", 0));
  if (mode > 1 || expander.rank(call.tensor("input")) != 4)
    return expander.stream();
  call.result(call.op("GridSample", {call.tensor("input"), call.tensor("grid")},
                      {{"mode", {}, 0, modes[mode]}}));
}

/// Blocks of channels become neighbours in the image: [N, C*r*r, H, W] as [N, C, H*r, W*r].
static void pixelShuffle(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  const Shape of = expander.shape(x);
  int64_t by = call.whole("upscale_factor", 0);
  if (of.size() != 4 || by < 1 || by > INT32_MAX)
    return expander.leave();
  auto channels = call.dims.exactQuotient(of[1], by * by);
  if (!channels)
    return expander.fail("its channels are no blocks of that size");
  int value = expander.reshape(x, {of[0], *channels, by, by, of[2], of[3]});
  value = expander.transpose(value, {0, 1, 4, 2, 5, 3});
  call.result(expander.reshape(
      value, {of[0], *channels, call.dims.multiply(of[2], by), call.dims.multiply(of[3], by)}));
}

/// Places that one tensor of whole numbers says; others, such as those where something holds, are
/// looked for.
static void index(Expander &expander) {
  Call call(expander);
  std::vector<int> indices = call.tensors("indices");
  auto isGiven = [](int value) { return value >= 0; };
  auto first = llvm::find_if(indices, isGiven);
  bool isWhole = first != indices.end() && llvm::count_if(indices, isGiven) == 1 &&
                 (expander.type(*first) == Int64 || expander.type(*first) == Int32);
  if (!isWhole)
    return expander.stream();
  call.result(
      call.op("Gather", {call.tensor("self"), *first}, {{"axis", {first - indices.begin()}}}));
}

/// Numbers that are the same in every run are made once.
static void constant(Expander &expander) {
  const ValueInfo *declared = expander.declared(0);
  auto shape = Call(expander).resultShape();
  if (!shape)
    return expander.leave();
  expander.result(0, expander.stored(*shape, declared->type));
}

static constexpr ExpansionEntry layoutTable[] = {
    {"_index_put_impl", "aten", nullptr},
    {"_reshape_alias", "aten", view},
    {"_to_copy", "aten", same},
    {"_unique2", "aten", nullptr},
    {"_unsafe_index", "aten", index},
    {"_unsafe_view", "aten", view},
    {"_upsample_bicubic2d_aa", "aten", resize},
    {"_upsample_bilinear2d_aa", "aten", resize},
    {"_upsample_nearest_exact2d", "aten", resize},
    {"alias", "aten", same},
    {"arange", "aten", constant},
    {"argsort", "aten", nullptr},
    {"bernoulli", "aten", nullptr},
    {"bincount", "aten", nullptr},
    {"block_diag", "aten", nullptr},
    {"broadcast_to", "aten", expand},
    {"bucketize", "aten", nullptr},
    {"cat", "aten", concatenate},
    {"channel_shuffle", "aten", nullptr},
    {"chunk", "aten", split},
    {"clone", "aten", same},
    {"col2im", "aten", nullptr},
    {"concat", "aten", concatenate},
    {"concatenate", "aten", concatenate},
    {"constant_pad_nd", "aten", pad},
    {"contiguous", "aten", same},
    {"copy", "aten", overwrite},
    {"copy_", "aten", nullptr},
    {"count_nonzero", "aten", nullptr},
    {"cummax", "aten", nullptr},
    {"cummin", "aten", nullptr},
    {"cumprod", "aten", nullptr},
    {"detach", "aten", same},
    {"diag", "aten", nullptr},
    {"diag_embed", "aten", nullptr},
    {"diagonal", "aten", nullptr},
    {"diagonal_scatter", "aten", nullptr},
    {"dropout", "aten", same},
    {"empty", "aten", constant},
    {"empty_like", "aten", constant},
    {"expand", "aten", expand},
    {"expand_as", "aten", expand},
    {"eye", "aten", constant},
    {"feature_dropout", "aten", same},
    {"fill", "aten", constant},
    {"flatten", "aten", view},
    {"flip", "aten", flip},
    {"full", "aten", constant},
    {"full_like", "aten", constant},
    {"gather", "aten", gather},
    {"grid_sampler", "aten", sample},
    {"grid_sampler_2d", "aten", sample},
    {"grid_sampler_3d", "aten", nullptr},
    {"hamming_window", "aten", constant},
    {"hann_window", "aten", constant},
    {"histc", "aten", nullptr},
    {"im2col", "aten", nullptr},
    {"index", "aten", index},
    {"index_add", "aten", nullptr},
    {"index_copy", "aten", nullptr},
    {"index_fill", "aten", nullptr},
    {"index_put", "aten", nullptr},
    {"index_reduce", "aten", nullptr},
    {"index_select", "aten", gather},
    {"isin", "aten", nullptr},
    {"kthvalue", "aten", nullptr},
    {"lift_fresh_copy", "aten", same},
    {"linspace", "aten", constant},
    {"logcumsumexp", "aten", nullptr},
    {"logspace", "aten", constant},
    {"mT", "aten", permute},
    {"masked_scatter", "aten", nullptr},
    {"masked_select", "aten", nullptr},
    {"max_unpool2d", "aten", nullptr},
    {"median", "aten", nullptr},
    {"mode", "aten", nullptr},
    {"msort", "aten", nullptr},
    {"multinomial", "aten", nullptr},
    {"new_empty", "aten", constant},
    {"new_full", "aten", constant},
    {"new_ones", "aten", constant},
    {"new_zeros", "aten", constant},
    {"nonzero", "aten", nullptr},
    {"nonzero_numpy", "aten", nullptr},
    {"normal", "aten", nullptr},
    {"normal_functional", "aten", nullptr},
    {"numpy_T", "aten", permute},
    {"one_hot", "aten", nullptr},
    {"ones", "aten", constant},
    {"ones_like", "aten", constant},
    {"pad", "aten", pad},
    {"permute", "aten", permute},
    {"pixel_shuffle", "aten", pixelShuffle},
    {"pixel_unshuffle", "aten", nullptr},
    {"rand", "aten", nullptr},
    {"rand_like", "aten", nullptr},
    {"randint", "aten", nullptr},
    {"randint_like", "aten", nullptr},
    {"randn", "aten", nullptr},
    {"randn_like", "aten", nullptr},
    {"randperm", "aten", nullptr},
    {"real", "aten", same},
    {"reflection_pad2d", "aten", pad},
    {"repeat", "aten", repeat},
    {"repeat_interleave", "aten", repeatEach},
    {"replication_pad1d", "aten", nullptr},
    {"replication_pad2d", "aten", nullptr},
    {"replication_pad3d", "aten", nullptr},
    {"reshape", "aten", view},
    {"reshape_as", "aten", view},
    {"roll", "aten", roll},
    {"rot90", "aten", nullptr},
    {"scalar_tensor", "aten", constant},
    {"scatter", "aten", nullptr},
    {"scatter_add", "aten", nullptr},
    {"scatter_reduce", "aten", nullptr},
    {"searchsorted", "aten", nullptr},
    {"select", "aten", select},
    {"select_scatter", "aten", nullptr},
    {"slice", "aten", slice},
    {"slice_scatter", "aten", nullptr},
    {"sort", "aten", nullptr},
    {"split", "aten", split},
    {"split_with_sizes", "aten", split},
    {"squeeze", "aten", squeeze},
    {"stack", "aten", stack},
    {"swapaxes", "aten", permute},
    {"swapdims", "aten", permute},
    {"t", "aten", permute},
    {"take", "aten", nullptr},
    {"take_along_dim", "aten", nullptr},
    {"tensor_split", "aten", split},
    {"tile", "aten", repeat},
    {"to", "aten", same},
    {"topk", "aten", nullptr},
    {"transpose", "aten", permute},
    {"tril", "aten", nullptr},
    {"tril_indices", "aten", constant},
    {"triu", "aten", nullptr},
    {"triu_indices", "aten", constant},
    {"type_as", "aten", same},
    {"unbind", "aten", split},
    {"unflatten", "aten", view},
    {"unfold", "aten", nullptr},
    {"uniform", "aten", nullptr},
    {"unique", "aten", nullptr},
    {"unique_consecutive", "aten", nullptr},
    {"unsafe_chunk", "aten", split},
    {"unsafe_split", "aten", split},
    {"unsqueeze", "aten", unsqueeze},
    {"upsample_bicubic2d", "aten", resize},
    {"upsample_bilinear2d", "aten", resize},
    {"upsample_linear1d", "aten", resize},
    {"upsample_nearest1d", "aten", resize},
    {"upsample_nearest2d", "aten", resize},
    {"upsample_nearest3d", "aten", resize},
    {"upsample_trilinear3d", "aten", resize},
    {"view", "aten", view},
    {"view_as", "aten", view},
    {"zero", "aten", constant},
    {"zeros", "aten", constant},
    {"zeros_like", "aten", constant},
};

llvm::ArrayRef<ExpansionEntry> torch::layoutExpansions() { return layoutTable; }
