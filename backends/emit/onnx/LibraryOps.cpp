// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the library that ONNX has an operator for, or that exporters write in a form that readers
// know. Windows are in WindowOps.cpp.
#include "backends/emit/onnx/LibraryOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::emit::onnx;

using Lowered = llvm::Optional<Value>;

static int64_t lastAxis(const Lowering &lowering) {
  return static_cast<int64_t>(lowering.result.shape.size()) - 1;
}

//===-- Functions of elements
//-----------------------------------------------------------------------===//

static Lowered relu(Lowering &l) { return l.node("Relu", l.operand(0)); }

static Lowered relu6(Lowering &l) {
  return l.node("Clip", {l.operand(0), l.number(0), l.number(6)});
}

static Lowered squaredRelu(Lowering &l) {
  Value positive = l.node("Relu", l.operand(0));
  return l.node("Mul", {positive, positive});
}

static Lowered hardSwish(Lowering &l) { return l.node("HardSwish", l.operand(0)); }

static Lowered hardSigmoid(Lowering &l) {
  return l.node("HardSigmoid", l.operand(0), {{"alpha", 1.0 / 6}, {"beta", 0.5}});
}

static Lowered softmax(Lowering &l) {
  return l.node("Softmax", l.operand(0), Attribute{"axis", int64_t(-1)});
}

/// x * (1 + erf(x / sqrt 2)) * 0.5
static Lowered gelu(Lowering &l) {
  Value x = l.operand(0);
  Value error = l.node("Erf", l.node("Div", {x, l.number(1.4142135623730951)}));
  Value sum = l.node("Add", {error, l.number(1)});
  return l.node("Mul", {l.node("Mul", {x, sum}), l.number(0.5)});
}

/// 0.5 x (1 + tanh(0.7979 (x + 0.044715 x^3)))
static Lowered geluTanh(Lowering &l) {
  Value x = l.operand(0);
  Value cube = l.node("Mul", {l.node("Pow", {x, l.number(3)}), l.number(0.044715)});
  Value inner = l.node("Mul", {l.node("Add", {x, cube}), l.number(0.7978845608028654)});
  Value sum = l.node("Add", {l.node("Tanh", inner), l.number(1)});
  return l.node("Mul", {l.node("Mul", {x, l.number(0.5)}), sum});
}

//===-- Normalisations
//------------------------------------------------------------------------------===//

static Attribute epsilonOf(const Lowering &l) {
  return {"epsilon", l.real("eps").getValueOr(1e-5)};
}

static Lowered layerNorm(Lowering &l) {
  std::vector<Value> operands;
  for (size_t i = 0; i < l.given.size(); ++i)
    operands.push_back(l.operand(i));
  return l.node("LayerNormalization", operands, {{"axis", int64_t(-1)}, epsilonOf(l)});
}

static Lowered channelLayerNorm(Lowering &l) {
  Value last = l.model.transpose(l.operand(0), {0, 2, 3, 1});
  Value normal = l.model.node("LayerNormalization", {last, l.operand(1), l.operand(2)}, last.type,
                              {{"axis", int64_t(-1)}, epsilonOf(l)});
  return l.model.transpose(normal, {0, 3, 1, 2});
}

/// x / sqrt(mean(x^2) + eps) * scale
static Lowered rmsNorm(Lowering &l) {
  Value x = l.operand(0);
  Value square = l.node("Pow", {x, l.number(2)});
  Value mean = l.model.reduce("ReduceMean", square, lastAxis(l), /*keepsAxes=*/true);
  Value sum = l.model.elementwise("Add", {mean, l.number(l.real("eps").getValueOr(1e-5))});
  Value normal = l.node("Div", {x, l.model.elementwise("Sqrt", sum)});
  return l.given.size() == 1 ? normal : l.node("Mul", {normal, l.operand(1)});
}

/// Mean and variance are folded into scale and shift in the library; here they are stored beside.
static Lowered batchNorm(Lowering &l) {
  Type channels{l.shape(1).vec(), l.computed};
  return l.node("BatchNormalization",
                {l.operand(0), l.operand(1), l.operand(2), l.model.weight("mean", channels),
                 l.model.weight("variance", channels)});
}

static Lowered instanceNorm(Lowering &l) {
  return l.node("InstanceNormalization", {l.operand(0), l.operand(1), l.operand(2)}, epsilonOf(l));
}

/// Each group as one channel, with scale and shift of channels behind: what exporters write.
static Lowered groupNorm(Lowering &l) {
  int64_t images = l.shape(0)[0], channels = l.shape(0)[1], groups = l.whole("G", 32);
  Value x = l.operand(0);
  int64_t places = channels / groups * l.shape(0)[2] * l.shape(0)[3];
  Value parts = l.model.reshape(x, {images, groups, places});
  std::vector<double> ones(static_cast<size_t>(groups), 1), zeros(ones.size(), 0);
  Value normal =
      l.model.node("InstanceNormalization",
                   {parts, l.model.reals(ones, l.computed), l.model.reals(zeros, l.computed)},
                   parts.type, epsilonOf(l));
  Value whole = l.model.reshape(normal, l.result.shape);
  Value scaled = l.node("Mul", {whole, l.model.unsqueeze(l.operand(1), {1, 2})});
  return l.node("Add", {scaled, l.model.unsqueeze(l.operand(2), {1, 2})});
}

//===-- Attention
//-----------------------------------------------------------------------------------===//

/// softmax(Q K' + bias) V; the factor of the scores is part of the weights of Q.
static Lowered attention(Lowering &l) {
  Value q = l.operand(0), keys = l.model.transpose(l.operand(1), {0, 1, 3, 2});
  Type scores{{l.shape(0)[0], l.shape(0)[1], l.shape(0)[2], l.shape(1)[2]}, l.computed};
  Value score = l.model.node("MatMul", {q, keys}, scores);
  if (l.given.size() == 4)
    score = l.model.node("Add", {score, l.operand(3)}, scores);
  Value weights = l.model.node("Softmax", score, scores, Attribute{"axis", int64_t(-1)});
  return l.node("MatMul", {weights, l.operand(2)});
}

/// x cos + (-x2, x1) sin
static Lowered rotary(Lowering &l) {
  Value x = l.operand(0);
  int64_t features = l.result.shape.back(), axis = lastAxis(l);
  Type half{l.result.shape, l.computed};
  half.shape.back() = features / 2;
  auto part = [&](int64_t first) {
    return l.model.node(
        "Slice",
        {x, l.model.wholes(first), l.model.wholes(first + features / 2), l.model.wholes(axis)},
        half);
  };
  Value turned = l.node("Concat", {l.model.node("Neg", part(features / 2), half), part(0)},
                        Attribute{"axis", int64_t(-1)});
  return l.node("Add", {l.node("Mul", {x, l.operand(1)}), l.node("Mul", {turned, l.operand(2)})});
}

//===-- Tables and places
//---------------------------------------------------------------------------===//

static Lowered embedding(Lowering &l) { return l.node("Gather", {l.operand(1), l.given[0]}); }

static Lowered relativePositions(Lowering &l) {
  std::vector<int64_t> shape = l.shape(0).vec();
  shape.push_back(l.shape(1)[1]);
  Value rows = l.model.node("Gather", {l.operand(1), l.given[0]}, {shape, l.computed});
  return l.model.transpose(rows, {2, 0, 1});
}

static Lowered chosenScores(Lowering &l) {
  return l.node("GatherElements", {l.operand(0), l.model.cast(l.given[1], DType::Int64)},
                Attribute{"axis", int64_t(-1)});
}

static Lowered concatenated(Lowering &l) {
  std::vector<Value> parts;
  for (size_t i = 0; i < l.given.size(); ++i)
    parts.push_back(l.operand(i));
  return l.node("Concat", parts, Attribute{"axis", int64_t(1)});
}

static Lowered sliceChannels(Lowering &l) {
  int64_t first = l.whole("first"), axis = 1;
  return l.node("Slice", {l.operand(0), l.model.wholes(first),
                          l.model.wholes(first + l.result.shape[1]), l.model.wholes(axis)});
}

static Value tokensOf(Lowering &l) {
  llvm::ArrayRef<int64_t> image = l.shape(0);
  Value rows = l.model.reshape(l.operand(0), {image[0], image[1], image[2] * image[3]});
  return l.model.transpose(rows, {0, 2, 1});
}

static Lowered imageToTokens(Lowering &l) { return tokensOf(l); }

static Lowered tokensToImage(Lowering &l) {
  return l.model.reshape(l.model.transpose(l.operand(0), {0, 2, 1}), l.result.shape);
}

static Lowered patchTokens(Lowering &l) { return l.node("Add", {tokensOf(l), l.operand(1)}); }

static Lowered classTokens(Lowering &l) {
  Value first = l.model.unsqueeze(l.operand(1), {0, 1});
  std::vector<int64_t> shape = {l.result.shape[0], 1, l.result.shape[2]};
  Value firsts = first.shape() == llvm::makeArrayRef(shape)
                     ? first
                     : l.model.node("Expand", {first, l.model.wholes(shape)}, {shape, l.computed});
  Value all = l.node("Concat", {firsts, tokensOf(l)}, Attribute{"axis", int64_t(1)});
  return l.node("Add", {all, l.operand(2)});
}

static Lowered copied(Lowering &l) { return l.operand(0); }

static constexpr LibraryOp libraryTable[] = {
    {"attention", attention},
    {"attention_biased", attention},
    {"batchnorm", batchNorm},
    {"channel_layernorm", channelLayerNorm},
    {"chosen_scores", chosenScores},
    {"class_tokens", classTokens},
    {"concat4_channels", concatenated},
    {"concat_channels", concatenated},
    {"concat_tokens", concatenated},
    {"concat_volumes", concatenated},
    {"copy", copied},
    {"cross_attention", attention},
    {"embedding", embedding},
    {"gelu", gelu},
    {"gelu_tanh", geluTanh},
    {"groupnorm", groupNorm},
    {"hard_sigmoid", hardSigmoid},
    {"hard_swish", hardSwish},
    {"image_to_tokens", imageToTokens},
    {"instancenorm3d", instanceNorm},
    {"layernorm", layerNorm},
    {"layernorm_scaled", layerNorm},
    {"patch_tokens", patchTokens},
    {"relative_positions", relativePositions},
    {"relu", relu},
    {"relu6", relu6},
    {"rmsnorm", rmsNorm},
    {"rmsnorm_plain", rmsNorm},
    {"rotary", rotary},
    {"slice_channels", sliceChannels},
    {"softmax", softmax},
    {"squared_relu", squaredRelu},
    {"tokens_to_image", tokensToImage},
};

llvm::Optional<Value> emit::onnx::lowerLibraryOp(Lowering &lowering) {
  for (llvm::ArrayRef<LibraryOp> ops : {llvm::makeArrayRef(libraryTable), windowOps()})
    for (const LibraryOp &row : ops)
      if (row.name == lowering.name())
        return row.lower(lowering);
  return llvm::None;
}
