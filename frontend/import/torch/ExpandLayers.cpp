// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers: products, convolutions, pools, normalisations and attention.
#include "frontend/import/torch/Call.h"

using namespace perfc;
using namespace perfc::graph;
using namespace perfc::torch;

static std::vector<int> present(std::initializer_list<int> values) {
  std::vector<int> list;
  for (int value : values)
    if (value >= 0)
      list.push_back(value);
  return list;
}

/// Both pads of each side.
static std::vector<int64_t> bothSides(std::vector<int64_t> pads) {
  size_t count = pads.size();
  for (size_t i = 0; i < count; ++i)
    pads.push_back(pads[i]);
  return pads;
}

static void conv(Expander &expander) {
  Call call(expander);
  int x = call.tensor("input"), weights = call.tensor("weight");
  size_t rank = expander.rank(weights);
  if (rank < 3 || expander.rank(x) != rank)
    return expander.leave(); // an image without a batch
  size_t sides = rank - 2;
  llvm::StringRef padding = expander.text("padding");
  bool isTransposed = call.isSet("transposed") || expander.node.op.startswith("conv_transpose");
  std::vector<Expander::Given> given = {{"strides", call.list("stride", sides, 1)},
                                        {"dilations", call.list("dilation", sides, 1)},
                                        {"group", {call.whole("groups", 1)}}};
  if (padding == "same")
    given.push_back({"auto_pad", {}, 0, "SAME_UPPER"});
  else
    given.push_back({"pads", bothSides(call.list("padding", sides, 0))});
  if (isTransposed)
    given.push_back({"output_padding", call.list("output_padding", sides, 0)});
  call.result(call.op(isTransposed ? "ConvTranspose" : "Conv",
                      present({x, weights, call.tensor("bias")}), given));
}

static void linear(Expander &expander) {
  Call call(expander);
  int x = call.tensor("input"), weights = call.tensor("weight"), bias = call.tensor("bias");
  if (expander.rank(weights) == 1) // one feature
    return call.result(expander.plus(call.op("MatMul", {x, weights}), bias));
  if (expander.rank(weights) != 2)
    return expander.leave();
  if (expander.rank(x) == 2)
    return call.result(call.op("Gemm", present({x, weights, bias}), {{"transB", {1}}}));
  int value = call.op("MatMul", {x, expander.transpose(weights, {1, 0})});
  call.result(expander.plus(value, bias));
}

static void product(Expander &expander) {
  Call call(expander);
  bool isFirst = call.has("self");
  int left = call.tensor(isFirst ? "self" : "batch1"),
      right = call.tensor(call.has("mat2") ? "mat2" : "other");
  call.result(call.op("MatMul", {left, right}));
}

static void einsum(Expander &expander) {
  Call call(expander);
  call.result(
      call.op("Einsum", call.tensors("tensors"), {{"equation", {}, 0, expander.text("equation")}}));
}

/// self + a * b
static void addedProduct(Expander &expander) {
  Call call(expander);
  bool isMatrix = expander.node.op == "addmm";
  int left = call.tensor(isMatrix ? "mat1" : "batch1"),
      right = call.tensor(isMatrix ? "mat2" : "batch2");
  if (isMatrix && expander.rank(left) == 2)
    return call.result(call.op("Gemm", {left, right, call.tensor("self")}));
  call.result(call.op("Add", {call.op("MatMul", {left, right}), call.tensor("self")}));
}

static void embedding(Expander &expander) {
  Call call(expander);
  call.result(call.op("Gather", {call.tensor("weight"), call.tensor("indices")}));
}

/// The rows of each bag, summed: as many for each of them.
static void embeddingBag(Expander &expander) {
  Call call(expander);
  int rows = call.op("Gather", {call.tensor("weight"), call.tensor("indices")});
  const Shape of = expander.shape(rows);
  auto shape = call.resultShape();
  if (expander.hasFailed() || of.size() != 2 || !shape || shape->size() != 2)
    return expander.hasFailed() ? void() : expander.stream();
  auto each = call.dims.exactQuotient(of[0], shape->front());
  if (!each)
    return expander.stream();
  call.result(
      expander.reduce("ReduceSum", expander.reshape(rows, {shape->front(), *each, of[1]}), {1}, 0));
}

/// Rows of tokens sorted by expert, each by the product of its expert.
static void expertProduct(Expander &expander) {
  Call call(expander);
  int x = call.tensor(call.has("self") ? "self" : "input"),
      weights = call.tensor(call.has("mat2") ? "mat2" : "weight");
  if (expander.rank(x) != 2 || expander.rank(weights) != 3)
    return expander.leave();
  call.result(call.op("ExpertProduct", {x, weights}));
}

static void batchNorm(Expander &expander) {
  Call call(expander);
  int x = call.tensor("input");
  if (expander.rank(x) < 2)
    return expander.leave();
  const Shape channels = {expander.shape(x)[1]};
  std::vector<int> operands = {x};
  for (llvm::StringRef name : {"weight", "bias", "running_mean", "running_var"}) {
    int value = call.tensor(name);
    operands.push_back(value < 0 ? expander.stored(channels, Float) : value);
  }
  call.result(call.op("BatchNormalization", operands));
}

/// Normalisation of the last dimensions, as one where there are several.
static void layerNorm(Expander &expander) {
  Call call(expander);
  int x = call.tensor("input");
  const Shape of = expander.shape(x);
  size_t count = call.list("normalized_shape").size();
  if (count == 0 || count > of.size())
    return expander.leave();
  bool isRms = expander.node.op.contains("rms");
  Dim inner = call.dims.product(llvm::ArrayRef<Dim>(of).take_back(count));
  Shape flat(of.begin(), of.end() - static_cast<std::ptrdiff_t>(count));
  flat.push_back(inner);
  auto form = [&](llvm::StringRef name) {
    int value = call.tensor(name);
    return value < 0 || count == 1 ? value : expander.reshape(value, {inner});
  };
  std::vector<int> operands = {count == 1 ? x : expander.reshape(x, flat), form("weight")};
  if (!isRms)
    operands.push_back(form("bias"));
  int value = call.op(isRms ? "SimplifiedLayerNormalization" : "LayerNormalization", operands,
                      {{"axis", {-1}}});
  call.result(count == 1 ? value : expander.reshape(value, of));
}

static void groupNorm(Expander &expander) {
  Call call(expander);
  int x = call.tensor("input");
  int64_t groups = call.whole(call.has("num_groups") ? "num_groups" : "group", 0);
  bool isInstance = expander.node.op == "instance_norm";
  if (expander.rank(x) < 3 || (!isInstance && groups < 1))
    return expander.leave();
  const Shape of = expander.shape(x), channels = {of[1]};
  auto form = [&](llvm::StringRef name) {
    int value = call.tensor(name);
    return value < 0 ? expander.stored(channels, Float) : value;
  };
  if (isInstance || of[1].is(groups))
    return call.result(call.op("InstanceNormalization", {x, form("weight"), form("bias")}));
  bool isLine = of.size() == 3; // an image of one row
  int image = isLine ? expander.reshape(x, {of[0], of[1], 1, of[2]}) : x;
  int value = call.op("GroupNormalization", {image, form("weight"), form("bias")},
                      {{"num_groups", {groups}}});
  call.result(isLine ? expander.reshape(value, of) : value);
}

/// The features [B, T, H*E] that were cut into heads [B, H, T, E], so that they can be cut into
/// groups of heads; -1 where the heads come from elsewhere.
static int featuresOf(const Expander &expander, int heads) {
  auto operand = [&](int value, llvm::StringRef type) {
    int maker = value < 0 ? -1 : expander.net.values[value].maker;
    const Op *op = maker < 0 ? nullptr : &expander.net.ops[maker];
    bool isTurn = op && op->type == "Transpose" &&
                  op->node->find("perm")->integers == std::vector<int64_t>{0, 2, 1, 3};
    return op && op->type == type && (isTurn || type != "Transpose") ? op->input(0) : -1;
  };
  int features = operand(operand(heads, "Transpose"), "Reshape");
  return expander.rank(features) == 3 ? features : -1;
}

/// Attention with other than four dimensions: the first ones are a batch, and of three there is one
/// head.
static void flatAttention(Expander &expander, Call &call) {
  std::vector<int> operands;
  for (llvm::StringRef name : {"query", "key", "value"}) {
    int value = call.tensor(name);
    const Shape of = expander.shape(value);
    size_t count = of.size() < 3 ? 0 : of.size() - (of.size() == 3 ? 2 : 3);
    if (count == 0 || of.size() != expander.rank(call.tensor("query")))
      return expander.leave();
    Shape flat = {call.dims.product(llvm::ArrayRef<Dim>(of).take_front(count))};
    if (of.size() == 3)
      flat.push_back(1);
    flat.append(of.begin() + static_cast<std::ptrdiff_t>(count), of.end());
    operands.push_back(expander.reshape(value, flat));
  }
  auto shape = call.resultShape();
  const Shape q = expander.shape(operands[0]), k = expander.shape(operands[1]);
  if (!shape || call.isSet("is_causal") || q[1] != k[1])
    return expander.leave();
  if (int mask = call.tensor("attn_mask"); mask >= 0) { // as many as the batch and heads, or one
    Shape of = expander.shape(mask), flat = {1, 1};
    if (of.size() > 2)
      flat[0] = call.dims.product(llvm::ArrayRef<Dim>(of).drop_back(q[1].is(1) ? 2 : 3));
    if (of.size() > 2 && !q[1].is(1))
      flat[1] = of[of.size() - 3];
    if (of.size() < 2 || !(flat[0] == q[0] || flat[0].is(1)))
      return expander.leave();
    flat.append(of.end() - 2, of.end());
    operands.push_back(expander.reshape(mask, flat));
  }
  call.result(expander.reshape(call.op("ScaledAttention", operands, {{"turned", {0}}}), *shape));
}

/// Queries [B, H, T, E] to keys and values [B, G, S, E], where heads of a group share keys.
static void attention(Expander &expander) {
  Call call(expander);
  int q = call.tensor("query"), k = call.tensor("key"), v = call.tensor("value");
  if (expander.rank(q) != 4 && expander.rank(q) == expander.rank(k))
    return flatAttention(expander, call);
  if (expander.rank(q) != 4 || expander.rank(k) != 4 || expander.rank(v) != 4)
    return expander.leave();
  const Shape heads = expander.shape(q), groups = expander.shape(k);
  std::vector<int> operands = {q, k, v};
  if (int mask = call.tensor(call.has("attn_mask") ? "attn_mask" : "attn_bias"); mask >= 0)
    operands.push_back(mask);
  if (!call.isSet("is_causal") && heads[1] == groups[1])
    return call.result(call.op("ScaledAttention", operands, {{"turned", {0}}}));
  auto each = call.dims.exactQuotient(heads[1], groups[1]);
  if (!each)
    return expander.fail("its heads are no multiple of those of its keys");
  int features = featuresOf(expander, q);
  operands[0] = features < 0
                    ? expander.reshape(q, {heads[0], groups[1], *each, heads[2], heads[3]})
                    : expander.transpose(expander.reshape(features, {heads[0], heads[2], groups[1],
                                                                     *each, heads[3]}),
                                         {0, 2, 3, 1, 4});
  int value = call.op("Attend", operands, {{"causal", {call.isSet("is_causal")}}});
  const Shape all = expander.shape(value);
  if (all.size() != 5)
    return expander.leave();
  value = expander.reshape(value, {all[0], all[1], heads[1], all[4]});
  call.result(expander.transpose(value, {0, 2, 1, 3}));
}

/// Layers one above the other, each in one direction or in two. Weights are those of the operand,
/// of the state, and a bias of each, for each direction.
static void recurrent(Expander &expander) {
  Call call(expander);
  int x = call.tensor("input");
  std::vector<int> weights = call.tensors("params");
  bool isBatchFirst = call.isSet("batch_first"), hasBiases = call.whole("has_biases", 1) != 0;
  size_t directions = call.isSet("bidirectional") ? 2 : 1, each = hasBiases ? 4 : 2;
  auto layers = static_cast<size_t>(std::max<int64_t>(call.whole("num_layers", 1), 0));
  if (expander.rank(x) != 3 || layers > 1024 || weights.size() != layers * directions * each)
    return expander.leave(); // such as with projections
  llvm::StringRef type = expander.node.op == "lstm"  ? "LSTM"
                         : expander.node.op == "gru" ? "GRU"
                                                     : "RNN";
  x = isBatchFirst ? expander.transpose(x, {1, 0, 2}) : x;
  std::vector<int> states; // of each layer behind the last step
  for (size_t layer = 0; layer < layers; ++layer) {
    // The tables of both directions side by side.
    auto table = [&](size_t first, size_t second) {
      std::vector<int> sides;
      for (size_t d = 0; d < directions; ++d) {
        const int *own = &weights[(layer * directions + d) * each];
        int value = call.op("Unsqueeze", {own[first]}, {{"axes", {0}}});
        int other = second ? call.op("Unsqueeze", {own[second]}, {{"axes", {0}}}) : -1;
        sides.push_back(second ? call.op("Concat", {value, other}, {{"axis", {1}}}) : value);
      }
      return call.op("Concat", sides, {{"axis", {0}}});
    };
    const Shape state = expander.shape(weights[layer * directions * each + 1]);
    if (state.size() != 2 || !state[1].isNumber())
      return expander.leave();
    std::vector<int> operands = {x, table(0, 0), table(1, 0)};
    if (hasBiases)
      operands.push_back(table(2, 3));
    x = call.op(type, operands,
                {{"hidden_size", {state[1].constant}},
                 {"direction", {}, 0, directions == 2 ? "bidirectional" : "forward"}});
    const Shape of = expander.shape(x);
    if (of.size() != 4)
      return;
    if (expander.wants(1) || expander.wants(2))
      states.push_back(expander.reshape(expander.part(x, 0, call.dims.subtract(of[0], 1), 1),
                                        {of[1], of[2], of[3]}));
    x = expander.reshape(expander.transpose(x, {0, 2, 1, 3}),
                         {of[0], of[2], call.dims.multiply(of[1], of[3])});
  }
  call.result(isBatchFirst ? expander.transpose(x, {1, 0, 2}) : x);
  if (states.empty())
    return;
  // The state of an LSTM has a second part of the same shape, which the layer makes on its way.
  int last = states.size() == 1 ? states[0] : call.op("Concat", states, {{"axis", {0}}});
  expander.result(1, last);
  if (expander.wants(2))
    expander.result(2, call.op("Identity", {last}));
}

/// One step of a recurrent layer. Gates of an LSTM: input, forget, candidate, output (Hochreiter
/// and Schmidhuber 1997, with forget gates); of a GRU: reset, update, candidate (Cho et al. 2014).
static void recurrentStep(Expander &expander) {
  Call call(expander);
  bool isLong = expander.node.op == "lstm_cell", isGated = expander.node.op == "gru_cell";
  std::vector<int> states = call.tensors("hx");
  auto gates = [&](int operand, llvm::StringRef table, llvm::StringRef bias) {
    int value = call.op("MatMul", {operand, expander.transpose(call.tensor(table), {1, 0})});
    return expander.plus(value, call.tensor(bias));
  };
  if (states.size() != (isLong ? 2U : 1U) || expander.rank(call.tensor("w_ih")) != 2 ||
      expander.rank(call.tensor("w_hh")) != 2)
    return expander.leave();
  int ofInput = gates(call.tensor("input"), "w_ih", "b_ih"),
      ofState = gates(states[0], "w_hh", "b_hh");
  const Dim hidden = expander.hasFailed() ? Dim(1) : expander.shape(call.tensor("w_hh"))[1];
  size_t axis = expander.hasFailed() ? 0 : expander.rank(ofInput) - 1;
  auto gate = [&](int value, int64_t i) {
    return expander.part(value, axis, call.dims.multiply(hidden, i), hidden);
  };
  auto both = [&](llvm::StringRef type, int left, int right) {
    return call.op(type, {left, right});
  };
  auto sigmoid = [&](int value) { return call.op("Sigmoid", {value}); };
  auto tanh = [&](int value) { return call.op("Tanh", {value}); };
  if (isGated) {
    auto opened = [&](int64_t i) {
      return sigmoid(both("Add", gate(ofInput, i), gate(ofState, i)));
    };
    int update = opened(1);
    int candidate = tanh(both("Add", gate(ofInput, 2), both("Mul", opened(0), gate(ofState, 2))));
    int change = both("Mul", update, both("Sub", states[0], candidate));
    return call.result(both("Add", candidate, change));
  }
  int all = both("Add", ofInput, ofState);
  if (!isLong)
    return call.result(expander.node.op.contains("relu") ? call.op("Relu", {all}) : tanh(all));
  int kept = both("Mul", sigmoid(gate(all, 1)), states[1]);
  int cell = both("Add", kept, both("Mul", sigmoid(gate(all, 0)), tanh(gate(all, 2))));
  call.result(both("Mul", sigmoid(gate(all, 3)), tanh(cell)));
  expander.result(1, cell);
}

static size_t poolSides(const Expander &expander) {
  return expander.node.op.contains("1d") ? 1 : expander.node.op.contains("3d") ? 3 : 2;
}

static void pool(Expander &expander) {
  Call call(expander);
  size_t sides = poolSides(expander);
  int x = call.tensor("self");
  bool isMax = expander.node.op.startswith("max");
  auto kernel = call.list("kernel_size", sides, 1);
  if (expander.rank(x) != sides + 2 || expander.wants(2))
    return expander.leave();
  auto strides = call.list("stride").empty() ? kernel : call.list("stride", sides, 1);
  std::vector<Expander::Given> given = {{"kernel_shape", kernel},
                                        {"strides", strides},
                                        {"pads", bothSides(call.list("padding", sides, 0))},
                                        {"ceil_mode", {call.isSet("ceil_mode")}}};
  if (isMax)
    given.push_back({"dilations", call.list("dilation", sides, 1)});
  call.result(call.op(isMax ? "MaxPool" : "AveragePool", {x}, given));
}

/// Windows of one size each; where the result does not divide the image, it is left.
static void adaptivePool(Expander &expander) {
  Call call(expander);
  size_t sides = poolSides(expander);
  int x = call.tensor("self");
  const Shape of = expander.shape(x);
  auto wanted = call.list("output_size", sides, 1);
  if (of.size() != sides + 2 || expander.wants(1))
    return expander.leave();
  bool isMax = expander.node.op.contains("max");
  if (llvm::all_of(wanted, [](int64_t one) { return one == 1; }))
    return call.result(call.op(isMax ? "GlobalMaxPool" : "GlobalAveragePool", {x}));
  std::vector<int64_t> kernel;
  for (size_t i = 0; i < sides; ++i) {
    const Dim &side = of[i + 2];
    if (!side.isNumber() || wanted[i] < 1 || side.constant % wanted[i])
      return expander.stream(); // windows of several sizes
    kernel.push_back(side.constant / wanted[i]);
  }
  call.result(call.op(isMax ? "MaxPool" : "AveragePool", {x},
                      {{"kernel_shape", kernel}, {"strides", kernel}}));
}

static constexpr ExpansionEntry layerTable[] = {
    {"_adaptive_avg_pool2d", "aten", adaptivePool},
    {"_adaptive_avg_pool3d", "aten", adaptivePool},
    {"_embedding_bag", "aten", embeddingBag},
    {"_embedding_bag_forward_only", "aten", embeddingBag},
    {"_fused_rms_norm", "aten", layerNorm},
    {"_grouped_mm", "aten", expertProduct},
    {"_native_batch_norm_legit_no_training", "aten", batchNorm},
    {"_scaled_dot_product_cudnn_attention", "aten", attention},
    {"_scaled_dot_product_efficient_attention", "aten", attention},
    {"_scaled_dot_product_flash_attention", "aten", attention},
    {"_scaled_dot_product_flash_attention_for_cpu", "aten", attention},
    {"_scaled_dot_product_fused_attention_overrideable", "aten", attention},
    {"adaptive_avg_pool1d", "aten", adaptivePool},
    {"adaptive_avg_pool2d", "aten", adaptivePool},
    {"adaptive_avg_pool3d", "aten", adaptivePool},
    {"adaptive_max_pool1d", "aten", adaptivePool},
    {"adaptive_max_pool2d", "aten", adaptivePool},
    {"adaptive_max_pool3d", "aten", adaptivePool},
    {"addmm", "aten", addedProduct},
    {"avg_pool1d", "aten", pool},
    {"avg_pool2d", "aten", pool},
    {"avg_pool3d", "aten", pool},
    {"baddbmm", "aten", addedProduct},
    {"batch_norm", "aten", batchNorm},
    {"bmm", "aten", product},
    {"conv1d", "aten", conv},
    {"conv2d", "aten", conv},
    {"conv3d", "aten", conv},
    {"conv_transpose1d", "aten", conv},
    {"conv_transpose2d", "aten", conv},
    {"conv_transpose3d", "aten", conv},
    {"convolution", "aten", conv},
    {"cudnn_batch_norm", "aten", batchNorm},
    {"einsum", "aten", einsum},
    {"embedding", "aten", embedding},
    {"embedding_bag", "aten", embeddingBag},
    {"group_norm", "aten", groupNorm},
    {"gru", "aten", recurrent},
    {"gru_cell", "aten", recurrentStep},
    {"instance_norm", "aten", groupNorm},
    {"layer_norm", "aten", layerNorm},
    {"linear", "aten", linear},
    {"lstm", "aten", recurrent},
    {"lstm_cell", "aten", recurrentStep},
    {"matmul", "aten", product},
    {"max_pool1d", "aten", pool},
    {"max_pool2d", "aten", pool},
    {"max_pool2d_with_indices", "aten", pool},
    {"max_pool3d", "aten", pool},
    {"mm", "aten", product},
    {"native_batch_norm", "aten", batchNorm},
    {"native_group_norm", "aten", groupNorm},
    {"native_layer_norm", "aten", layerNorm},
    {"rms_norm", "aten", layerNorm},
    {"rnn_relu", "aten", recurrent},
    {"rnn_relu_cell", "aten", recurrentStep},
    {"rnn_tanh", "aten", recurrent},
    {"rnn_tanh_cell", "aten", recurrentStep},
    {"scaled_dot_product_attention", "aten", attention},
    {"transformers.grouped_mm_fallback", othersDomain, expertProduct},
};

llvm::ArrayRef<ExpansionEntry> torch::layerExpansions() { return layerTable; }
