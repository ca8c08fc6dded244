// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/onnx/LibraryOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::emit::onnx;

using Lowered = llvm::Optional<Value>;
using Numbers = std::vector<int64_t>;

/// What the parameters of a layer say of `sides` sides: those of two may have their own.
static std::vector<Attribute> windowOf(const Lowering &l, size_t sides) {
  auto each = [&](const std::string &name, int64_t otherwise) {
    int64_t all = l.whole(name, otherwise);
    if (sides != 2)
      return Numbers(sides, all);
    return Numbers{l.whole(name + "_y", all), l.whole(name + "_x", all)};
  };
  int64_t pad = l.whole("pad");
  Numbers pads(2 * sides, pad);
  if (sides == 1)
    pads = {l.whole("left", pad), l.whole("right", pad)};
  if (sides == 2)
    pads = {l.whole("top", pad), l.whole("left", pad), l.whole("bottom", pad),
            l.whole("right", pad)};
  return {{"strides", each("stride", 1)}, {"dilations", each("dilation", 1)}, {"pads", pads}};
}

/// Of weights [G, M, K, taps…] in `groups` groups, or [M, K, taps…] in one.
static Value convolution(Lowering &l, const Value &image, const Value &weights, int64_t groups,
                         const Type &result) {
  size_t sides = image.rank() - 2;
  std::vector<Attribute> attributes = windowOf(l, sides);
  attributes.push_back({"group", groups});
  attributes.push_back({"kernel_shape", weights.shape().take_back(sides).vec()});
  return l.model.node("Conv", {image, weights}, result, attributes);
}

static Lowered conv(Lowering &l) {
  return convolution(l, l.operand(0), l.operand(1), 1, {l.result.shape, l.computed});
}

/// Joins the first two dimensions of the weights: groups and filters of each.
static Value joinGroups(Lowering &l) {
  llvm::ArrayRef<int64_t> shape = l.shape(1);
  Numbers joined = {shape[0] * shape[1]};
  joined.insert(joined.end(), shape.begin() + 2, shape.end());
  return l.model.reshape(l.operand(1), joined);
}

static Lowered groupedConv(Lowering &l) {
  return convolution(l, l.operand(0), joinGroups(l), l.shape(1)[0], {l.result.shape, l.computed});
}

static Lowered depthwise(Lowering &l) {
  Value weights = l.model.unsqueeze(l.operand(1), {1});
  return convolution(l, l.operand(0), weights, l.shape(1)[0], {l.result.shape, l.computed});
}

/// Of images whose groups of channels are a dimension of their own.
static Lowered grouped(Lowering &l) {
  llvm::ArrayRef<int64_t> image = l.shape(0), to = l.result.shape;
  Value joined = l.model.reshape(l.operand(0), {image[0], image[1] * image[2], image[3], image[4]});
  Type type{{to[0], to[1] * to[2], to[3], to[4]}, l.computed};
  return l.model.reshape(convolution(l, joined, joinGroups(l), l.shape(1)[0], type), to);
}

static Lowered transposedConv(Lowering &l) {
  std::vector<Attribute> attributes = windowOf(l, 2);
  Numbers strides = std::get<Numbers>(attributes[0].value),
          dilations = std::get<Numbers>(attributes[1].value),
          pads = std::get<Numbers>(attributes[2].value), more;
  llvm::ArrayRef<int64_t> taps = l.shape(1).take_back(2);
  for (size_t i : {0, 1})
    more.push_back(l.result.shape[i + 2] - (l.shape(0)[i + 2] - 1) * strides[i] -
                   dilations[i] * (taps[i] - 1) - 1 + pads[i] + pads[i + 2]);
  if (llvm::any_of(more, [](int64_t one) { return one < 0; }))
    return llvm::None;
  attributes.push_back({"group", l.shape(1)[0]});
  attributes.push_back({"kernel_shape", taps.vec()});
  attributes.push_back({"output_padding", more});
  return l.node("ConvTranspose", {l.operand(0), joinGroups(l)}, attributes);
}

/// Windows side by side.
static Lowered transposedVolumes(Lowering &l) {
  Numbers taps = l.shape(1).take_back(3).vec();
  return l.node("ConvTranspose", {l.operand(0), l.operand(1)},
                {{"kernel_shape", taps}, {"strides", taps}});
}

static Lowered pool(Lowering &l, llvm::StringRef op) {
  int64_t rows = l.whole("R", 2), columns = l.whole("S", rows), stride = l.whole("stride", rows);
  std::vector<Attribute> attributes = {{"kernel_shape", Numbers{rows, columns}},
                                       {"strides", Numbers{stride, stride}},
                                       {"pads", Numbers(4, l.whole("pad"))}};
  if (op == "AveragePool")
    attributes.push_back({"count_include_pad", int64_t(1)});
  return l.node(op, l.operand(0), attributes);
}

static Lowered maxPool(Lowering &l) { return pool(l, "MaxPool"); }
static Lowered avgPool(Lowering &l) { return pool(l, "AveragePool"); }

static Lowered globalPool(Lowering &l) {
  Type type{{l.result.shape[0], l.result.shape[1], 1, 1}, l.computed};
  return l.model.reshape(l.model.node("GlobalAveragePool", l.operand(0), type), l.result.shape);
}

static Lowered adaptivePool(Lowering &l) {
  Numbers window = {l.shape(0)[2] / l.result.shape[2], l.shape(0)[3] / l.result.shape[3]};
  return l.node("AveragePool", l.operand(0), {{"kernel_shape", window}, {"strides", window}});
}

static Lowered upsample(Lowering &l) {
  double rows = static_cast<double>(l.whole("U", 2));
  double columns = static_cast<double>(l.whole("V", l.whole("U", 2)));
  Value nothing{"", {}};
  return l.node("Resize",
                {l.operand(0), nothing, l.model.reals({1, 1, rows, columns}, DType::FP32)},
                {{"mode", std::string("nearest")},
                 {"coordinate_transformation_mode", std::string("asymmetric")},
                 {"nearest_mode", std::string("floor")}});
}

static Lowered spaceToDepth(Lowering &l) {
  return l.node("SpaceToDepth", l.operand(0), Attribute{"blocksize", l.whole("K", 2)});
}

static constexpr LibraryOp windowTable[] = {
    {"adaptive_avg_pool", adaptivePool},
    {"avg_pool", avgPool},
    {"conv1d", groupedConv},
    {"conv2d", conv},
    {"conv2d_groups", groupedConv},
    {"conv2d_transposed", transposedConv},
    {"conv3d", conv},
    {"conv3d_transposed", transposedVolumes},
    {"depthwise", depthwise},
    {"global_avg_pool", globalPool},
    {"grouped", grouped},
    {"max_pool", maxPool},
    {"space_to_depth", spaceToDepth},
    {"upsample", upsample},
};

llvm::ArrayRef<LibraryOp> emit::onnx::windowOps() { return windowTable; }
