// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers with what is fused to them, composites of ONNX, and rearrangements that are reshapes and
// transposes.
#include "frontend/import/graph/Expander.h"

using namespace perfc;
using namespace perfc::graph;

/// The activation that attribute `activation` names, of `value`.
static int activated(Expander &expander, int value) {
  llvm::StringRef type = expander.text("activation");
  if (type.empty())
    return value;
  const Attribute *given = expander.node.find("activation_params");
  std::vector<double> numbers = given ? given->reals : std::vector<double>();
  if (const Attribute *alpha = expander.node.find("activation_alpha"))
    numbers = {alpha->real, 0};
  if (type == "Clip" && numbers.size() >= 2)
    return expander.op("Clip", {value, expander.number(numbers[0]), expander.number(numbers[1])});
  if (numbers.size() >= 2)
    return expander.op(type, {value}, {{"alpha", {}, numbers[0]}, {"beta", {}, numbers[1]}});
  if (numbers.size() == 1)
    return expander.op(type, {value}, {{"alpha", {}, numbers[0]}});
  return expander.op(type, {value});
}

static void fusedConvOf(Expander &expander, int x) {
  std::vector<int> operands = {x, expander.input(1)};
  if (expander.has(2))
    operands.push_back(expander.input(2));
  int value = expander.plus(expander.inherit("Conv", operands), expander.input(3));
  expander.result(0, activated(expander, value));
}

static void fusedConv(Expander &expander) { fusedConvOf(expander, expander.input(0)); }

/// The same in blocks of channels, of which the last may be filled up with zeros.
static void blockedConv(Expander &expander) {
  int x = expander.input(0), weights = expander.input(1);
  const Shape of = expander.shape(x), filters = expander.shape(weights);
  if (of.size() != 4 || filters.size() != 4)
    return expander.leave();
  Dim filled = expander.dims.multiply(filters[1], expander.integer("group", 1));
  Dim more = expander.dims.subtract(filled, of[1]);
  constexpr int64_t mostFilled = 64; // the largest block
  if (more.isNumber() && more.constant > 0 && more.constant < mostFilled)
    x = expander.op("Pad", {x, expander.wholes({0, 0, 0, 0, 0, more, 0, 0})});
  fusedConvOf(expander, x);
}

static void fusedGemm(Expander &expander) {
  std::vector<int> operands = {expander.input(0), expander.input(1)};
  if (expander.has(2))
    operands.push_back(expander.input(2));
  expander.result(0, activated(expander, expander.inherit("Gemm", operands)));
}

static void fusedMatMul(Expander &expander) {
  auto turned = [&](size_t input, llvm::StringRef name) {
    int value = expander.input(input);
    size_t rank = expander.rank(value);
    if (expander.integer(name, 0) == 0 || rank < 2)
      return value;
    std::vector<int64_t> order;
    for (size_t i = 0; i < rank; ++i)
      order.push_back(static_cast<int64_t>(i));
    std::swap(order[rank - 1], order[rank - 2]);
    return expander.transpose(value, order);
  };
  if (expander.integer("transBatchA", 0) != 0 || expander.integer("transBatchB", 0) != 0)
    return expander.leave();
  int left = turned(0, "transA"), right = turned(1, "transB");
  expander.result(0, expander.op("MatMul", {left, right}));
}

/// Embeddings of words, positions and segments, added and normalised.
static void embedNorm(Expander &expander) {
  int ids = expander.input(0), segments = expander.input(1);
  if (expander.rank(ids) != 2 || !expander.has(2) || !expander.has(3))
    return expander.fail("its operands have other dimensions than it needs");
  Dim length = expander.shape(ids)[1];
  int sum = expander.op("Gather", {expander.input(2), ids});
  sum = expander.plus(sum, expander.part(expander.input(3), 0, 0, length));
  if (segments >= 0 && expander.has(4))
    sum = expander.plus(sum, expander.op("Gather", {expander.input(4), segments}));
  expander.result(2, sum);
  expander.result(0, expander.op("LayerNormalization", {sum, expander.input(5), expander.input(6)},
                                 {{"axis", {-1}}}));
  if (expander.wants(1)) // lengths of sequences, from their masks
    expander.result(1, expander.op("ReduceSum", {ids, expander.wholes({1})}, {{"keepdims", {0}}}));
}

/// Normalisation over several dimensions: these as one.
static void layerNorm(Expander &expander) {
  int x = expander.input(0);
  auto rank = static_cast<int64_t>(expander.rank(x));
  int64_t axis = expander.integer("axis", -1);
  axis = axis < 0 ? axis + rank : axis;
  if (axis == rank - 1 || axis < 0 || axis >= rank || expander.wants(1) || expander.wants(2))
    return expander.leave();
  Shape of = expander.shape(x);
  llvm::ArrayRef<Dim> all = of;
  Dim inner = expander.dims.product(all.drop_front(static_cast<size_t>(axis)));
  Shape flat(of.begin(), of.begin() + axis);
  flat.push_back(inner);
  std::vector<int> operands = {expander.reshape(x, flat)};
  for (size_t i : {1, 2})
    if (expander.has(i))
      operands.push_back(expander.reshape(expander.input(i), {inner}));
  int value = expander.op("LayerNormalization", operands, {{"axis", {-1}}});
  expander.result(0, expander.reshape(value, of));
}

/// (x - mean) / sqrt(mean of squares)
static void meanVariance(Expander &expander) {
  int x = expander.input(0);
  std::vector<int64_t> axes = {0, 2, 3};
  if (const Attribute *given = expander.node.find("axes"))
    axes = given->integers;
  int mean = expander.op("ReduceMean", {x}, {{"axes", axes}});
  int centred = expander.op("Sub", {x, mean});
  int square = expander.op("Mul", {centred, centred});
  int variance = expander.op("ReduceMean", {square}, {{"axes", axes}});
  expander.result(0, expander.op("Div", {centred, expander.op("Sqrt", {variance})}));
}

static void lpNorm(Expander &expander) {
  int x = expander.input(0);
  llvm::StringRef type = expander.integer("p", 2) == 1 ? "ReduceL1" : "ReduceL2";
  int norm = expander.op(type, {x}, {{"axes", {expander.integer("axis", -1)}}});
  expander.result(0, expander.op("Div", {x, norm}));
}

/// Blocks of places become channels, or the other way round.
static void blocks(Expander &expander) {
  int x = expander.input(0);
  Shape of = expander.shape(x);
  int64_t side = expander.integer("blocksize", 0);
  bool isDeep = expander.node.op == "SpaceToDepth";
  if (of.size() != 4 || side < 1 || side > 1 << 15)
    return expander.leave();
  Dims &dims = expander.dims;
  if (isDeep) {
    auto down = dims.exactQuotient(of[2], side), across = dims.exactQuotient(of[3], side);
    if (!down || !across)
      return expander.fail(fmt::format("blocks of {} do not fill the image", side));
    int cut = expander.reshape(x, {of[0], of[1], *down, side, *across, side});
    int turned = expander.transpose(cut, {0, 3, 5, 1, 2, 4});
    return expander.result(
        0, expander.reshape(turned, {of[0], dims.multiply(of[1], side * side), *down, *across}));
  }
  auto deep = dims.exactQuotient(of[1], side * side);
  if (!deep)
    return expander.fail(fmt::format("its channels are not those of blocks of {}", side));
  bool isColumnFirst = expander.text("mode") == "CRD";
  int cut = isColumnFirst ? expander.reshape(x, {of[0], *deep, side, side, of[2], of[3]})
                          : expander.reshape(x, {of[0], side, side, *deep, of[2], of[3]});
  int turned = isColumnFirst ? expander.transpose(cut, {0, 1, 4, 2, 5, 3})
                             : expander.transpose(cut, {0, 3, 4, 1, 5, 2});
  expander.result(0, expander.reshape(turned, {of[0], *deep, dims.multiply(of[2], side),
                                               dims.multiply(of[3], side)}));
}

static void biasAdd(Expander &expander) {
  int sum = expander.op("Add", {expander.input(0), expander.input(1)});
  expander.result(0, expander.plus(sum, expander.input(2)));
}

/// The first half of the features, times the GELU of the second.
static void biasSplitGelu(Expander &expander) {
  int sum = expander.op("Add", {expander.input(0), expander.input(1)});
  if (expander.hasFailed() || expander.rank(sum) == 0)
    return;
  size_t last = expander.rank(sum) - 1;
  auto half = expander.dims.exactQuotient(expander.shape(sum)[last], 2);
  if (!half)
    return expander.fail("its features do not divide into halves");
  int gate = expander.op("Gelu", {expander.part(sum, last, *half, *half)});
  expander.result(0, expander.op("Mul", {expander.part(sum, last, 0, *half), gate}));
}

/// Images whose channels stand last.
static void channelsLast(Expander &expander) {
  std::vector<int> operands = {expander.transpose(expander.input(0), {0, 3, 1, 2})};
  if (expander.rank(expander.input(0)) != 4)
    return expander.leave();
  for (size_t i = 1; i < expander.inputCount() && i < 3; ++i)
    operands.push_back(expander.input(i));
  llvm::StringRef type = expander.node.op.contains("MaxPool") ? "MaxPool" : "Conv";
  int value = activated(expander, expander.inherit(type, operands));
  expander.result(0, expander.transpose(value, {0, 2, 3, 1}));
}

/// Into the layout of ONNX Runtime that keeps blocks of channels together, and back: the same
/// image, whose last block may be filled up.
static void reorderInput(Expander &expander) {
  int x = expander.input(0);
  if (expander.rank(x) != 4)
    return expander.leave();
  expander.result(0, expander.integer("channels_last", 0) ? expander.transpose(x, {0, 3, 1, 2})
                                                          : expander.op("Identity", {x}));
}

static void reorderOutput(Expander &expander) {
  int x = expander.input(0);
  int64_t channels = expander.integer("channels", 0);
  if (expander.rank(x) != 4 || channels < 1)
    return expander.leave();
  bool isFilled = !expander.shape(x)[1].is(channels);
  int value = isFilled ? expander.part(x, 1, 0, channels) : expander.op("Identity", {x});
  expander.result(0, expander.integer("channels_last", 0) ? expander.transpose(value, {0, 2, 3, 1})
                                                          : value);
}

/// Normalised groups of channels, which stand last, with what is added before and an activation.
static void groupNorm(Expander &expander) {
  int x = expander.input(0), skip = expander.input(3);
  if (expander.rank(x) != 4)
    return expander.leave();
  if (skip >= 0)
    x = expander.plus(expander.op("Add", {x, skip}), expander.input(4));
  expander.result(1, x);
  bool isLast = expander.integer("channels_last", 1) != 0;
  int value = isLast ? expander.transpose(x, {0, 3, 1, 2}) : x;
  value = expander.op("GroupNormalization", {value, expander.input(1), expander.input(2)},
                      {{"num_groups", {expander.integer("groups", 1)}}});
  if (expander.integer("activation", 0) != 0)
    value = expander.op("Swish", {value});
  expander.result(0, isLast ? expander.transpose(value, {0, 2, 3, 1}) : value);
}

static void biasSoftmax(Expander &expander) {
  int sum = expander.op("Add", {expander.input(0), expander.input(1)});
  expander.result(0, expander.op("Softmax", {sum}, {{"axis", {expander.integer("axis", 1)}}}));
}

static void gemmGelu(Expander &expander) {
  int value = expander.op("MatMul", {expander.input(0), expander.input(1)});
  expander.result(0, expander.op("FastGelu", {expander.plus(value, expander.input(2))}));
}

/// Values by a gate of their own: the first operand by its sigmoid.
static void gatedBySwish(Expander &expander) {
  int gate = expander.input(0);
  int scaled = expander.real("alpha", 1) == 1
                   ? gate
                   : expander.op("Mul", {gate, expander.number(expander.real("alpha", 1))});
  int swish = expander.op("Mul", {gate, expander.op("Sigmoid", {scaled})});
  expander.result(0, expander.op("Mul", {swish, expander.input(1)}));
}

/// A depthwise convolution of the last places, behind those that an earlier call kept.
static void causalConv(Expander &expander) {
  int x = expander.input(0), weights = expander.input(1);
  const Shape of = expander.shape(x), kernel = expander.shape(weights);
  if (of.size() != 3 || kernel.size() != 3 || !of[1].isNumber() || !kernel[2].isNumber() ||
      kernel[2].constant < 1)
    return expander.leave();
  Dim kept = kernel[2].constant - 1;
  int all = expander.has(3) ? expander.op("Concat", {expander.input(3), x}, {{"axis", {2}}})
                            : expander.op("Pad", {x, expander.wholes({0, 0, kept, 0, 0, 0})});
  std::vector<int> operands = {all, weights};
  if (expander.has(2))
    operands.push_back(expander.input(2));
  int y = expander.op("Conv", operands, {{"group", {of[1].constant}}});
  llvm::StringRef act = expander.text("activation");
  if (act == "silu" || act == "swish")
    y = expander.op("Mul", {y, expander.op("Sigmoid", {y})});
  expander.result(0, y);
  if (expander.wants(1))
    expander.result(1, expander.part(all, 2, of[2], kept));
}

static constexpr ExpansionEntry otherTable[] = {
    {"AveragePool", "com.microsoft.nchwc", nullptr, "AveragePool"},
    {"BiasAdd", "com.microsoft", biasAdd},
    {"BiasSoftmax", "com.microsoft", biasSoftmax},
    {"BiasSplitGelu", "com.microsoft", biasSplitGelu},
    {"BitCast", "", nullptr, "Cast"},
    {"CausalConvWithState", "", causalConv},
    {"Conv", "com.microsoft.nchwc", blockedConv},
    {"CumProd", "", nullptr, "CumSum"},
    {"DepthToSpace", "", blocks},
    {"EmbedLayerNormalization", "com.microsoft", embedNorm},
    {"FusedConv", "com.microsoft", fusedConv},
    {"FusedGemm", "com.microsoft", fusedGemm},
    {"FusedMatMul", "com.microsoft", fusedMatMul},
    {"GemmFastGelu", "com.microsoft", gemmGelu},
    {"GlobalAveragePool", "com.microsoft.nchwc", nullptr, "GlobalAveragePool"},
    {"GlobalMaxPool", "com.microsoft.nchwc", nullptr, "GlobalMaxPool"},
    {"GroupNorm", "com.microsoft", groupNorm},
    {"LayerNormalization", "", layerNorm},
    {"LpNormalization", "", lpNorm},
    {"MaxPool", "com.microsoft.nchwc", nullptr, "MaxPool"},
    {"MeanVarianceNormalization", "", meanVariance},
    {"NhwcConv", "com.microsoft", channelsLast},
    {"NhwcFusedConv", "com.microsoft", channelsLast},
    {"NhwcMaxPool", "com.microsoft", channelsLast},
    {"ReorderInput", "com.microsoft.nchwc", reorderInput},
    {"ReorderOutput", "com.microsoft.nchwc", reorderOutput},
    {"SkipGroupNorm", "com.microsoft", groupNorm},
    {"SpaceToDepth", "", blocks},
    {"SwiGLU", "", gatedBySwish},
    {"TransposeMatMul", "com.microsoft", fusedMatMul},
};

llvm::ArrayRef<ExpansionEntry> graph::otherExpansions() { return otherTable; }
