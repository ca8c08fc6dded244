// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/layers/LayerReader.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::layers;

/// Sizes of layers; products of a few of them fit 64 bits.
static constexpr int64_t mostSize = int64_t(1) << 30;

std::string layers::shapeText(llvm::StringRef kind, const Shape &shape, bool hasBatch) {
  std::string text = (kind + "[").str() + (hasBatch ? "batch" : "");
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i > 0 || hasBatch ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

llvm::ArrayRef<LayerReader::Type> LayerReader::types() {
  using Reader = LayerReader;
  static constexpr Type table[] = {
      {"conv2d conv convolution", "conv2d", "conv2d", &Reader::convolution},
      {"depthwise_conv2d depthwise_conv depthwise", "depthwise", "depthwise", &Reader::convolution},
      {"linear fc dense fully_connected", "matmul", "matmul", &Reader::linear},
      {"matmul gemm", "matmul", "matmul", &Reader::product},
      {"attention self_attention", "attention", "attention", &Reader::attention},
      {"max_pool max_pool2d maxpool", "pooling", "max_pool", &Reader::pooling},
      {"avg_pool avg_pool2d avgpool", "pooling", "avg_pool", &Reader::pooling},
      {"global_avg_pool", "pooling", "global_avg_pool", &Reader::globalPooling},
      {"relu", "relu", "relu", &Reader::elementwise},
      {"relu6", "relu", "relu6", &Reader::elementwise},
      {"gelu", "gelu", "gelu", &Reader::elementwise},
      {"silu swish", "silu", "silu", &Reader::elementwise},
      {"softmax", "softmax", "softmax", &Reader::elementwise},
      {"add residual", "elementwise", "add", &Reader::sum},
      {"layer_norm layernorm", "layernorm", "layernorm", &Reader::normalization},
      {"rms_norm rmsnorm", "rmsnorm", "rmsnorm", &Reader::normalization},
      {"batch_norm batchnorm", "batchnorm", "batchnorm", &Reader::channelNormalization},
  };
  return table;
}

const LayerReader::Type *LayerReader::findType(const yaml::Node &node) {
  std::string word, known;
  if (!reader.readText(node, "the type of a layer", word))
    return nullptr;
  std::string plain = llvm::StringRef(word).lower();
  std::replace(plain.begin(), plain.end(), '-', '_');
  for (const Type &type : types()) {
    for (llvm::StringRef name : llvm::split(type.names, ' '))
      if (name == plain)
        return &type;
    known += (known.empty() ? "" : ", ") + type.names.split(' ').first.str();
  }
  reader.diagnostics.report(node.place, diag::TimeloopUnknown, "type of layers", word)
      .help("it is one of " + known);
  return nullptr;
}

const yaml::Node *LayerReader::find(llvm::ArrayRef<llvm::StringLiteral> keys) const {
  for (llvm::StringRef key : keys)
    if (const yaml::Node *value = layer->find(key))
      return value;
  return nullptr;
}

bool LayerReader::size(llvm::ArrayRef<llvm::StringLiteral> keys, int64_t &value,
                       llvm::Optional<int64_t> byDefault, int64_t least) {
  const yaml::Node *node = find(keys);
  value = byDefault.getValueOr(least);
  if (!node)
    return byDefault || reader.fail(layer->place, diag::YamlMissing, keys.front().str(), owner);
  return reader.readInteger(*node, least, value) &&
         (value <= mostSize || reader.fail(node->place, diag::YamlNumber, node->text,
                                           fmt::format("a size of at most {} is", mostSize)));
}

/// `3` or `[3, 5]`.
bool LayerReader::pair(llvm::ArrayRef<llvm::StringLiteral> keys, int64_t &first, int64_t &second) {
  const yaml::Node *node = find(keys);
  if (!node || !node->isSequence()) {
    bool isGood = size(keys, first);
    second = first;
    return isGood;
  }
  if (node->items.size() != 2)
    return reader.fail(node->place, diag::YamlNumber, fmt::format("{} values", node->items.size()),
                       "a number, or two of them, is");
  return reader.readInteger(*node->items[0], 1, first) &&
         reader.readInteger(*node->items[1], 1, second) && first <= mostSize && second <= mostSize;
}

/// `input_shape` of a sample; of any number of ranks where `ranks` is 0.
bool LayerReader::shape(size_t ranks, Shape &into) {
  const yaml::Node *node = reader.needList(*layer, "input_shape", owner);
  if (!node)
    return false;
  bool hasRanks =
      ranks == 0 ? !node->items.empty() && node->items.size() <= 8 : node->items.size() == ranks;
  if (!hasRanks)
    return reader.fail(node->place, diag::YamlNumber, fmt::format("{} sizes", node->items.size()),
                       ranks == 0
                           ? "a size for each of one to eight ranks of a sample is"
                           : fmt::format("{} sizes of a sample, without the batch, is", ranks));
  for (const yaml::Node *item : node->items) {
    int64_t value = 0;
    if (!reader.readInteger(*item, 1, value))
      return false;
    if (value > mostSize)
      return reader.fail(item->place, diag::YamlNumber, item->text,
                         fmt::format("a size of at most {} is", mostSize));
    into.push_back(value);
  }
  return true;
}

/// Channels, height and width: `input_shape`, or one by one.
bool LayerReader::image(Shape &into) {
  if (layer->find("input_shape"))
    return shape(3, into);
  into.resize(3);
  return size({"in_channels", "input_channels", "channels"}, into[0]) &&
         pair({"input_size", "image_size"}, into[1], into[2]);
}

/// Reads the window and what it makes of the input of `made`; without a stride it is `stride`, or
/// where that is 0 as far as the window is high.
bool LayerReader::readWindow(const Layer &made, Window &window, int64_t stride) {
  if (!pair({"kernel_size", "kernel"}, window.r, window.s) ||
      !size({"stride"}, window.stride, stride ? stride : window.r) ||
      !size({"dilation"}, window.dilation, 1))
    return false;
  const yaml::Node *padding = find({"padding", "pad"});
  if (padding && padding->text == "same")
    window.pad = window.dilation * (window.r - 1) / 2;
  else if (!(padding && padding->text == "valid") && !size({"padding", "pad"}, window.pad, 0, 0))
    return false;
  auto positions = [&](int64_t size, int64_t taps) {
    int64_t room = size + 2 * window.pad - window.dilation * (taps - 1) - 1;
    return room < 0 ? 0 : room / window.stride + 1;
  };
  window.height = positions(made.input[1], window.r);
  window.width = positions(made.input[2], window.s);
  return (window.height > 0 && window.width > 0) ||
         reader.fail(layer->place, diag::TimeloopNotModelled,
                     fmt::format("the window of {} is larger than its input", owner));
}

/// ", name = value" where it is not what the op takes without.
static std::string given(llvm::StringRef name, int64_t value, int64_t byDefault) {
  return value == byDefault ? "" : fmt::format(", {} = {}", name.str(), value);
}

bool LayerReader::convolution(Layer &made) {
  bool isDepthwise = made.op == "depthwise";
  int64_t filters = 0, groups = 1;
  Window window;
  if (!image(made.input))
    return false;
  int64_t channels = made.input[0];
  auto byDefault = isDepthwise ? llvm::Optional<int64_t>(channels) : llvm::None;
  if (!size({"out_channels", "output_channels", "filters"}, filters, byDefault) ||
      !size({"groups"}, groups, isDepthwise ? channels : 1) || !readWindow(made, window, 1))
    return false;
  if (groups > 1 && (groups != channels || filters != channels))
    return reader.fail(layer->place, diag::TimeloopNotModelled,
                       fmt::format("{} groups of {} channels to {} in {}: groups are of one "
                                   "channel each",
                                   groups, channels, filters, owner));
  if (groups > 1)
    made.module = made.op = "depthwise";
  Shape weights = groups > 1 ? Shape{channels, window.r, window.s}
                             : Shape{filters, channels, window.r, window.s};
  made.rest = ", " + shapeText("weight", weights, /*hasBatch=*/false) +
              given("stride", window.stride, 1) + given("pad", window.pad, 0) +
              given("dilation", window.dilation, 1);
  made.output = {filters, window.height, window.width};
  return true;
}

bool LayerReader::pooling(Layer &made) {
  Window window;
  if (!image(made.input) || !readWindow(made, window, 0))
    return false;
  if (window.dilation != 1)
    return reader.fail(layer->place, diag::TimeloopNotModelled, "dilation in " + owner);
  made.rest = fmt::format(", R = {}, S = {}, stride = {}", window.r, window.s, window.stride) +
              given("pad", window.pad, 0);
  made.output = {made.input[0], window.height, window.width};
  return true;
}

bool LayerReader::globalPooling(Layer &made) {
  if (!image(made.input))
    return false;
  made.output = {made.input[0]};
  return true;
}

bool LayerReader::linear(Layer &made) {
  int64_t in = 0, out = 0;
  if (!size({"in_features", "input_features"}, in) ||
      !size({"out_features", "output_features", "units"}, out))
    return false;
  made.input = {in};
  if (layer->find("input_shape")) {
    made.input.clear();
    if (!shape(0, made.input))
      return false;
    if (made.input.back() != in)
      return reader.fail(layer->find("input_shape")->place, diag::YamlNumber,
                         std::to_string(made.input.back()),
                         fmt::format("the {} of `in_features` as the last size are", in));
  }
  made.output = made.input;
  made.output.back() = out;
  made.rest = ", " + shapeText("weight", {in, out}, /*hasBatch=*/false);
  return true;
}

bool LayerReader::product(Layer &made) {
  int64_t m = 0, n = 0, k = 0;
  if (!size({"M"}, m) || !size({"N"}, n) || !size({"K"}, k))
    return false;
  made.input = {m, k};
  made.output = {m, n};
  made.rest = ", " + shapeText("weight", {k, n}, /*hasBatch=*/false);
  return true;
}

bool LayerReader::attention(Layer &made) {
  int64_t length = 0, heads = 0, features = 0, hidden = 0;
  if (!size({"seq_len", "sequence_length"}, length) || !size({"num_heads", "heads"}, heads))
    return false;
  if (const yaml::Node *whole = find({"hidden_size", "embed_dim"}); whole && !find({"head_dim"})) {
    if (!size({"hidden_size", "embed_dim"}, hidden))
      return false;
    if (hidden % heads != 0)
      return reader.fail(whole->place, diag::YamlNumber, whole->text,
                         fmt::format("a multiple of {} heads is", heads));
    features = hidden / heads;
  } else if (!size({"head_dim"}, features)) {
    return false;
  }
  made.input = made.output = {heads, length, features};
  std::string other = shapeText("tensor", made.input, /*hasBatch=*/true);
  made.rest = ", " + other + ", " + other;
  return true;
}

bool LayerReader::elementwise(Layer &made) {
  bool isGood = shape(0, made.input);
  made.output = made.input;
  return isGood;
}

bool LayerReader::sum(Layer &made) {
  bool isGood = elementwise(made);
  made.rest = ", " + shapeText("tensor", made.input, /*hasBatch=*/true);
  return isGood;
}

bool LayerReader::normalization(Layer &made) {
  if (!elementwise(made))
    return false;
  std::string scale = ", " + shapeText("weight", {made.input.back()}, /*hasBatch=*/false);
  made.rest = made.op == "layernorm" ? scale + scale : scale;
  return true;
}

bool LayerReader::channelNormalization(Layer &made) {
  if (!image(made.input))
    return false;
  made.output = made.input;
  std::string scale = ", " + shapeText("weight", {made.input[0]}, /*hasBatch=*/false);
  made.rest = scale + scale;
  return true;
}

llvm::Optional<Layer> LayerReader::read(const yaml::Node &node, size_t number) {
  layer = &node;
  Layer made;
  owner = fmt::format("layer {}", number);
  if (!reader.expect(node, yaml::NodeKind::Map, owner))
    return llvm::None;
  made.name = fmt::format("layer{}", number);
  if (const yaml::Node *name = node.find("name"))
    if (!reader.readText(*name, "the name of " + owner, made.name))
      return llvm::None;
  owner = "the layer `" + made.name + "`";
  const yaml::Node *word = reader.need(node, "type", owner);
  const Type *type = word ? findType(*word) : nullptr;
  if (!type)
    return llvm::None;
  made.module = type->module;
  made.op = type->op;
  if (!(this->*type->read)(made) || !size({"repeat", "count"}, made.count, 1))
    return llvm::None;
  reader.warnOfUnread(node, owner);
  return made;
}
