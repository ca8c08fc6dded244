// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers with weights, and windows over images. Weights of a convolution are [filters, sides…,
// channels], those of a depthwise one [1, sides…, filters].
#include "frontend/import/tflite/Expand.h"

using namespace perfc;
using namespace perfc::graph;
using namespace perfc::tflite;

static std::vector<int64_t> sides(Expander &expander, std::initializer_list<llvm::StringRef> names,
                                  int64_t otherwise = 1) {
  std::vector<int64_t> list;
  for (llvm::StringRef name : names)
    list.push_back(expander.integer(name, otherwise));
  return list;
}

static llvm::StringRef padding(Expander &expander) {
  return expander.integer("padding", 0) == 0 ? "SAME_UPPER" : "VALID";
}

static std::vector<int> withBias(Expander &expander, std::vector<int> operands, size_t bias = 2) {
  if (expander.has(bias))
    operands.push_back(expander.input(bias));
  return operands;
}

static void conv(Expander &expander, int weights, int64_t groups, std::vector<int64_t> strides,
                 std::vector<int64_t> dilations) {
  int x = channelsFirst(expander, expander.input(0));
  int value = expander.op("Conv", withBias(expander, {x, weights}),
                          {{"strides", std::move(strides)},
                           {"dilations", std::move(dilations)},
                           {"group", {groups}},
                           {"auto_pad", {}, 0, padding(expander)}});
  expander.resultAs(channelsLast(expander, activated(expander, value)));
}

static void conv2d(Expander &expander) {
  int weights = expander.input(1);
  if (expander.rank(expander.input(0)) != 4 || expander.rank(weights) != 4)
    return expander.fail("its operands have other dimensions than it needs");
  // Weights for a part of the channels are those of groups.
  Dim all = expander.shape(expander.input(0))[3], own = expander.shape(weights)[3];
  auto groups = expander.dims.exactQuotient(all, own);
  conv(expander, channelsFirst(expander, weights),
       groups && groups->isNumber() ? groups->constant : 1,
       sides(expander, {"stride_h", "stride_w"}), sides(expander, {"dilation_h", "dilation_w"}));
}

static void depthwise(Expander &expander) {
  int weights = expander.input(1);
  if (expander.rank(expander.input(0)) != 4 || expander.rank(weights) != 4)
    return expander.fail("its operands have other dimensions than it needs");
  const Dim channels = expander.shape(expander.input(0))[3];
  if (!channels.isNumber())
    return expander.leave();
  conv(expander, expander.transpose(weights, {3, 0, 1, 2}), channels.constant,
       sides(expander, {"stride_h", "stride_w"}), sides(expander, {"dilation_h", "dilation_w"}));
}

static void conv3d(Expander &expander) {
  if (expander.rank(expander.input(0)) != 5 || expander.rank(expander.input(1)) != 5)
    return expander.fail("its operands have other dimensions than it needs");
  conv(expander, expander.transpose(expander.input(1), {4, 3, 0, 1, 2}), 1,
       sides(expander, {"stride_d", "stride_h", "stride_w"}),
       sides(expander, {"dilation_d", "dilation_h", "dilation_w"}));
}

/// The extents of the result are the first operand; where that is only known when the model runs,
/// the file says them.
static llvm::Optional<std::vector<int64_t>> extentsOfResult(Expander &expander) {
  if (const ValueInfo *said = expander.known(0) ? nullptr : expander.declared(0)) {
    std::vector<int64_t> extents;
    for (const DeclaredDim &dim : said->shape)
      if (dim.value > 0)
        extents.push_back(dim.value);
    if (!extents.empty() && extents.size() == said->shape.size())
      return extents;
  }
  return needNumbers(expander, 0);
}

/// The transposed convolution of `x` with `weights` whose result has the extents `result`, in
/// steps of `strides`: pads are what is over, at both ends where the file says so.
static void transposed(Expander &expander, int x, int weights, size_t bias,
                       const std::vector<int64_t> &result, const std::vector<int64_t> &strides,
                       bool isSame) {
  std::vector<int64_t> pads(4), more(2);
  for (size_t i = 0; i < 2; ++i) {
    const Dim from = expander.shape(x)[i + 1], kernel = expander.shape(weights)[i + 1];
    if (!from.isNumber() || !kernel.isNumber())
      return expander.leave();
    int64_t over = (from.constant - 1) * strides[i] + kernel.constant - result[i + 1];
    pads[i] = isSame ? std::max<int64_t>(over, 0) / 2 : 0;
    pads[i + 2] = std::max<int64_t>(over, 0) - pads[i];
    more[i] = std::max<int64_t>(-over, 0);
  }
  x = channelsFirst(expander, x);
  int value = expander.op("ConvTranspose",
                          withBias(expander, {x, expander.transpose(weights, {3, 0, 1, 2})}, bias),
                          {{"strides", strides}, {"pads", pads}, {"output_padding", more}});
  expander.resultAs(channelsLast(expander, activated(expander, value)));
}

static void transposedConv(Expander &expander) {
  int weights = expander.input(1), x = expander.input(2);
  auto result = extentsOfResult(expander);
  if (!result)
    return;
  if (result->size() != 4 || expander.rank(weights) != 4 || expander.rank(x) != 4)
    return expander.fail("its operands have other dimensions than it needs");
  transposed(expander, x, weights, 3, *result, sides(expander, {"stride_h", "stride_w"}),
             expander.integer("padding", 0) == 0);
}

/// The operator of MediaPipe: its steps are how much larger the result is than the operand.
static void transposedWithBias(Expander &expander) {
  int x = expander.input(0), weights = expander.input(1);
  const ValueInfo *said = expander.declared(0);
  if (expander.rank(x) != 4 || expander.rank(weights) != 4 || !said || said->shape.size() != 4)
    return expander.leave();
  std::vector<int64_t> result, strides;
  for (size_t i = 0; i < 4; ++i)
    result.push_back(said->shape[i].value);
  for (size_t i = 1; i < 3; ++i) {
    const Dim from = expander.shape(x)[i];
    if (!from.isNumber() || from.constant <= 0 || result[i] < from.constant)
      return expander.leave();
    strides.push_back(result[i] / from.constant);
  }
  transposed(expander, x, weights, 2, result, strides, true);
}

static int window(Expander &expander, llvm::StringRef type, int value) {
  if (expander.rank(value) != 4)
    expander.fail("its operands have other dimensions than it needs");
  return channelsLast(expander,
                      expander.op(type, {channelsFirst(expander, value)},
                                  {{"kernel_shape", sides(expander, {"filter_h", "filter_w"})},
                                   {"strides", sides(expander, {"stride_h", "stride_w"})},
                                   {"auto_pad", {}, 0, padding(expander)}}));
}

static void averagePool(Expander &expander) {
  int value = window(expander, "AveragePool", expander.input(0));
  expander.resultAs(activated(expander, value));
}

static void maxPool(Expander &expander) {
  expander.resultAs(activated(expander, window(expander, "MaxPool", expander.input(0))));
}

/// sqrt(mean of squares)
static void l2Pool(Expander &expander) {
  int x = expander.input(0);
  int mean = window(expander, "AveragePool", expander.op("Mul", {x, x}));
  expander.resultAs(activated(expander, expander.op("Sqrt", {mean})));
}

/// Weights are [filters, channels]; the operand counts as rows of so many channels.
static void fullyConnected(Expander &expander) {
  int x = expander.input(0), weights = expander.input(1);
  if (expander.rank(weights) != 2 || expander.rank(x) < 1)
    return expander.fail("its operands have other dimensions than it needs");
  Dims &dims = expander.dims;
  const Shape from = expander.shape(x);
  const Dim channels = expander.shape(weights)[1];
  bool keeps = expander.integer("keep_num_dims", 0) != 0 && from.size() > 2;
  if (keeps) {
    int value = expander.op("MatMul", {x, expander.transpose(weights, {1, 0})});
    return expander.resultAs(activated(expander, expander.plus(value, expander.input(2))));
  }
  if (from.size() != 2 || from[1] != channels)
    x = expander.reshape(x, {dims.divide(dims.product(from), channels), channels});
  expander.resultAs(activated(
      expander, expander.op("Gemm", withBias(expander, {x, weights}), {{"transB", {1}}})));
}

static void batchMatMul(Expander &expander) {
  auto operand = [&](size_t index, llvm::StringRef option) {
    int value = expander.input(index);
    size_t rank = expander.rank(value);
    std::vector<int64_t> order(rank);
    for (size_t i = 0; i < rank; ++i)
      order[i] = static_cast<int64_t>(i);
    if (expander.integer(option, 0) == 0 || rank < 2)
      return value;
    std::swap(order[rank - 1], order[rank - 2]);
    return expander.transpose(value, order);
  };
  int left = operand(0, "adj_x"), right = operand(1, "adj_y");
  expander.resultAs(expander.op("MatMul", {left, right}));
}

/// The gates' tables one above the other, in ONNX's order of gates: input, output, forget, cell.
static int gates(Expander &expander, std::initializer_list<size_t> inputs, int64_t axis = 1) {
  std::vector<int> list;
  for (size_t input : inputs)
    list.push_back(expander.op("Unsqueeze", {expander.input(input)}, {{"axes", {0}}}));
  return expander.op("Concat", list, {{"axis", {axis}}});
}

/// Operands: x, four tables for it and four for the state (input, forget, cell, output), three of
/// peepholes, four biases, and others.
static void lstm(Expander &expander) {
  bool isPlain = expander.rank(expander.input(0)) == 3;
  for (size_t i : {1, 2, 3, 4, 5, 6, 7, 8})
    isPlain &= expander.has(i) && expander.rank(expander.input(i)) == 2;
  for (size_t i : {12, 13, 14, 15})
    isPlain &= expander.has(i) && expander.rank(expander.input(i)) == 1;
  for (size_t i : {9, 10, 11, 16, 17})
    isPlain &= !expander.has(i);
  if (!isPlain)
    return expander.leave();
  bool isTimeFirst = expander.integer("time_major", 0) != 0;
  int x = expander.input(0);
  x = isTimeFirst ? x : expander.transpose(x, {1, 0, 2});
  int weights = gates(expander, {1, 4, 2, 3}), state = gates(expander, {5, 8, 6, 7});
  int biases = gates(expander, {12, 15, 13, 14});
  // ONNX has biases of both tables, of which the second is none here.
  int none = expander.stored(expander.shape(biases), expander.type(biases));
  int both = expander.op("Concat", {biases, none}, {{"axis", {1}}});
  const Shape shape = expander.shape(expander.input(5));
  if (!shape[1].isNumber())
    return expander.leave();
  int value =
      expander.op("LSTM", {x, weights, state, both}, {{"hidden_size", {shape[1].constant}}});
  value = expander.op("Squeeze", {value}, {{"axes", {1}}});
  expander.resultAs(isTimeFirst ? value : expander.transpose(value, {1, 0, 2}));
}

static void rnn(Expander &expander) {
  if (expander.rank(expander.input(0)) != 3 || expander.rank(expander.input(1)) != 2 ||
      expander.rank(expander.input(2)) != 2)
    return expander.leave();
  const Dim size = expander.shape(expander.input(2))[1];
  bool isTimeFirst = expander.integer("time_major", 0) != 0;
  int x = expander.input(0);
  x = isTimeFirst ? x : expander.transpose(x, {1, 0, 2});
  if (!size.isNumber())
    return expander.leave();
  int value = expander.op("RNN", {x, gates(expander, {1}), gates(expander, {2})},
                          {{"hidden_size", {size.constant}}});
  value = expander.op("Squeeze", {value}, {{"axes", {1}}});
  expander.resultAs(isTimeFirst ? value : expander.transpose(value, {1, 0, 2}));
}

/// Features of the newest step join those of the steps before, and each filter weighs its own:
/// y[b, u] = sum of r and t of state[b, u*R + r, t] * time[u*R + r, t]
static void svdf(Expander &expander) {
  int x = expander.input(0), features = expander.input(1), time = expander.input(2);
  int64_t rank = expander.integer("rank", 1);
  if (expander.rank(x) != 2 || expander.rank(features) != 2 || expander.rank(time) != 2 || rank < 1)
    return expander.leave();
  const Shape steps = expander.shape(time);
  const Dim batch = expander.shape(x)[0];
  int made = expander.op("MatMul", {x, expander.transpose(features, {1, 0})});
  int state = expander.reshape(expander.input(4), {batch, steps[0], steps[1]});
  int kept = expander.part(state, 2, 1, expander.dims.subtract(steps[1], 1));
  int all =
      expander.op("Concat", {kept, expander.reshape(made, {batch, steps[0], 1})}, {{"axis", {2}}});
  int weighed = expander.op("Mul", {all, time});
  auto units = expander.dims.exactQuotient(steps[0], rank);
  if (!units)
    return expander.fail("its filters are no multiple of its rank");
  int grouped = expander.reshape(weighed, {batch, *units, expander.dims.multiply(steps[1], rank)});
  int value = expander.op("ReduceSum", {grouped, expander.wholes({2})}, {{"keepdims", {0}}});
  expander.resultAs(activated(expander, expander.plus(value, expander.input(3))));
}

static void responses(Expander &expander) {
  int value = expander.op("LRN", {channelsFirst(expander, expander.input(0))},
                          {{"size", {2 * expander.integer("radius", 5) + 1}}});
  expander.resultAs(channelsLast(expander, value));
}

static constexpr ExpansionEntry layerTable[] = {
    {"AVERAGE_POOL_2D", "tflite", averagePool},
    {"BATCH_MATMUL", "tflite", batchMatMul},
    {"CONV_2D", "tflite", conv2d},
    {"CONV_3D", "tflite", conv3d},
    {"Convolution2DTransposeBias", othersDomain, transposedWithBias},
    {"DEPTHWISE_CONV_2D", "tflite", depthwise},
    {"FULLY_CONNECTED", "tflite", fullyConnected},
    {"L2_POOL_2D", "tflite", l2Pool},
    {"LOCAL_RESPONSE_NORMALIZATION", "tflite", responses},
    {"MAX_POOL_2D", "tflite", maxPool},
    {"SVDF", "tflite", svdf},
    {"TRANSPOSE_CONV", "tflite", transposedConv},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", "tflite", lstm},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", "tflite", rnn},
};

llvm::ArrayRef<ExpansionEntry> tflite::layerExpansions() { return layerTable; }
