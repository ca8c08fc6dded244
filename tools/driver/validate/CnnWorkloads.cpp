// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind workloads_cnn: networks as tables of layers [type, in_shape, out_shape, attrs, …]. Each
// layer becomes a call of a library op on a tensor of its input shape; counts of the table are not
// read. Two things the tables leave open follow from how these networks are published: in a network
// with batch normalisation a convolution has a bias only where its image is a single pixel (the
// gates of squeeze-and-excitation), and a Permute after a Linear ends a ConvNeXt block with its
// layer scale.
#include "tools/driver/validate/ModelText.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

namespace {

using Shape = std::vector<int64_t>;

struct NetworkLayer {
  std::string type;
  Shape input, output;
  const llvm::json::Object *attrs = nullptr;
};

/// Writes the program of one network.
class CnnWriter {
public:
  explicit CnnWriter(std::vector<NetworkLayer> layers) : layers(std::move(layers)) {
    for (const NetworkLayer &layer : this->layers)
      hasBatchNorm |= layer.type == "BatchNorm2d";
  }

  /// "" with a reason in `problem` when a layer cannot be expressed.
  std::string write();
  std::string problem;

private:
  bool layer(size_t index);
  bool convolution(const NetworkLayer &layer);
  bool pool(const NetworkLayer &layer, llvm::StringRef op);
  void line(const std::string &expr) { body += fmt::format("  y{} = {}\n", lines++, expr); }
  bool fail(const std::string &reason) {
    problem = reason;
    return false;
  }

  std::vector<NetworkLayer> layers;
  bool hasBatchNorm = false;
  std::string body;
  unsigned lines = 0;
};

} // namespace

static std::string tensor(llvm::ArrayRef<int64_t> shape, llvm::StringRef kind = "tensor") {
  return fmt::format("{}[{}]", kind.str(), fmt::join(shape, ", "));
}

/// A number or a pair of equal numbers under `key`; nothing for a pair of different ones.
static llvm::Optional<int64_t> square(const llvm::json::Object *attrs, llvm::StringRef key,
                                      int64_t otherwise) {
  const llvm::json::Value *value = attrs ? attrs->get(key) : nullptr;
  if (!value)
    return otherwise;
  if (llvm::Optional<int64_t> number = value->getAsInteger())
    return number;
  const llvm::json::Array *pair = value->getAsArray();
  if (!pair || pair->size() != 2 || (*pair)[0] != (*pair)[1])
    return llvm::None;
  return (*pair)[0].getAsInteger();
}

/// The two sides of a kernel.
static std::pair<int64_t, int64_t> kernelSize(const llvm::json::Object *attrs) {
  const llvm::json::Value *value = attrs ? attrs->get("k") : nullptr;
  if (const llvm::json::Array *pair = value ? value->getAsArray() : nullptr;
      pair && pair->size() == 2)
    return {(*pair)[0].getAsInteger().getValueOr(0), (*pair)[1].getAsInteger().getValueOr(0)};
  int64_t side = value ? value->getAsInteger().getValueOr(0) : 0;
  return {side, side};
}

bool CnnWriter::convolution(const NetworkLayer &layer) {
  if (layer.input.size() != 4 || layer.output.size() != 4)
    return fail("a Conv2d needs shapes of four ranks");
  auto [R, S] = kernelSize(layer.attrs);
  llvm::Optional<int64_t> stride = square(layer.attrs, "s", 1), pad = square(layer.attrs, "p", 0),
                          dilation = square(layer.attrs, "d", 1);
  if (!stride || !pad || !dilation)
    return fail("a Conv2d with different strides, paddings or dilations along its axes");
  int64_t groups = intAt(layer.attrs, "g", 1);
  int64_t N = layer.input[0], C = layer.input[1], Y = layer.input[2], X = layer.input[3],
          M = layer.output[1];
  if (groups < 1 || C % groups || M % groups || R < 1 || S < 1)
    return fail("a Conv2d whose channels do not fit its groups");
  std::string rest = fmt::format("stride = {}, pad = {}, dilation = {}", *stride, *pad, *dilation);
  if (groups == 1)
    line(fmt::format("conv2d({}, {}, {})", tensor({N, C, Y, X}), tensor({M, C, R, S}, "weight"),
                     rest));
  else if (groups == C && M == C)
    line(fmt::format("depthwise({}, {}, {})", tensor({N, C, Y, X}), tensor({C, R, S}, "weight"),
                     rest));
  else
    line(fmt::format("grouped({}, {}, {})", tensor({N, groups, C / groups, Y, X}),
                     tensor({groups, M / groups, C / groups, R, S}, "weight"), rest));
  bool isGate = Y == 1 && X == 1;
  if (!hasBatchNorm || isGate)
    line(fmt::format("channel_bias({}, weight[{}])", tensor(layer.output), M));
  return true;
}

bool CnnWriter::pool(const NetworkLayer &layer, llvm::StringRef op) {
  llvm::Optional<int64_t> side = square(layer.attrs, "k", 1), stride = square(layer.attrs, "s", 1),
                          pad = square(layer.attrs, "p", 0);
  if (!side || !stride || !pad)
    return fail("a " + layer.type + " with different sides along its axes");
  line(fmt::format("{}({}, R = {}, stride = {}, pad = {})", op.str(), tensor(layer.input), *side,
                   *stride, *pad));
  return true;
}

bool CnnWriter::layer(size_t index) {
  const NetworkLayer &layer = layers[index];
  const std::string &type = layer.type;
  std::string input = tensor(layer.input);
  if (layer.input.empty() || layer.output.empty())
    return fail("a layer without shapes");
  if (type == "Conv2d")
    return convolution(layer);
  if (type == "Linear") {
    Shape weights{layer.input.back(), layer.output.back()};
    line(fmt::format("matmul({}, {}) + weight[{}]", input, tensor(weights, "weight"), weights[1]));
  } else if (type == "BatchNorm2d") {
    line(fmt::format("batchnorm({0}, weight[{1}], weight[{1}])", input, layer.input[1]));
  } else if (type == "LayerNorm" || type == "LayerNorm2d") {
    // LayerNorm2d normalises over channels, which stand last in the op.
    Shape shape = layer.input;
    if (type == "LayerNorm2d" && shape.size() == 4)
      shape = {shape[0], shape[2], shape[3], shape[1]};
    line(fmt::format("layernorm({0}, weight[{1}], weight[{1}])", tensor(shape), shape.back()));
  } else if (type == "ReLU" || type == "ReLU6" || type == "GELU" || type == "SiLU") {
    line(fmt::format("{}({})", llvm::StringRef(type).lower(), input));
  } else if (type == "Sigmoid") {
    line(fmt::format("sigmoid({})", input));
  } else if (type == "MaxPool2d") {
    return pool(layer, "max_pool");
  } else if (type == "AvgPool2d") {
    return pool(layer, "avg_pool");
  } else if (type == "AdaptiveAvgPool2d") {
    if (layer.output.size() == 4 && layer.output[2] == 1 && layer.output[3] == 1)
      line(fmt::format("global_avg_pool({})", input));
    else if (layer.input != layer.output)
      return fail("an AdaptiveAvgPool2d to more than one pixel");
  } else if (type == "Permute") {
    if (index && layers[index - 1].type == "Linear")
      line(fmt::format("{} * weight[{}]", input, layer.input.back()));
  } else if (type != "Flatten" && type != "Dropout" && type != "Identity") {
    return fail("the layer " + type);
  }
  return true;
}

std::string CnnWriter::write() {
  for (size_t i = 0; i < layers.size(); ++i)
    if (!layer(i))
      return "";
  if (!lines)
    problem = "the row has no layers";
  return "import std.ops.{batchnorm, conv2d, depthwise, elementwise, gelu, grouped, layernorm, "
         "matmul, "
         "pooling, relu, silu}\n\nworkload model() -> y" +
         std::to_string(lines ? lines - 1 : 0) + " {\n" + body + "}\n";
}

static Shape readShape(const llvm::json::Value &value) {
  Shape shape;
  if (const llvm::json::Array *list = value.getAsArray())
    for (const llvm::json::Value &extent : *list)
      shape.push_back(extent.getAsInteger().getValueOr(0));
  return shape;
}

static std::vector<NetworkLayer> readLayers(const llvm::json::Object &row) {
  std::vector<NetworkLayer> layers;
  const llvm::json::Array *list = row.getArray("layers");
  if (!list)
    return layers;
  for (const llvm::json::Value &entry : *list) {
    const llvm::json::Array *fields = entry.getAsArray();
    if (!fields || fields->size() < 4 || !(*fields)[0].getAsString())
      return {};
    layers.push_back({(*fields)[0].getAsString()->str(), readShape((*fields)[1]),
                      readShape((*fields)[2]), (*fields)[3].getAsObject()});
  }
  return layers;
}

/// The published count of MACs: `macs`, or `gmacs` in thousands of millions.
static llvm::Optional<Number> publishedMacs(const llvm::json::Object *published) {
  if (llvm::Optional<Number> macs = numberAt(published, "macs"))
    return macs;
  llvm::Optional<Number> giga = numberAt(published, "gmacs");
  return giga ? llvm::Optional<Number>(Number::fromReal(giga->real * 1e9)) : llvm::None;
}

static ValidationRow predictCnn(const llvm::json::Object &row) {
  ValidationRow result{row.getString("name")->str(), {}, {}};
  CnnWriter writer(readLayers(row));
  std::string text = writer.write();
  ModelTotals totals;
  totals.problem = writer.problem;
  if (totals.problem.empty())
    totals = evaluateModel(text, {""});
  const llvm::json::Object *computed = row.getObject("computed");
  const llvm::json::Object *published = row.getObject("published");
  auto add = [&](const char *metric, int64_t ModelTotals::Total::*field,
                 llvm::Optional<Number> reference, llvm::Optional<Number> second) {
    Prediction prediction{metric, llvm::None, reference ? reference : second, totals.problem, {}};
    if (!totals.totals.empty())
      prediction.predicted = Number(totals.totals[0].*field);
    result.predictions.push_back(prediction);
    if (second) {
      prediction.reference = second;
      prediction.apart = {{"reference", "published"}};
      result.predictions.push_back(prediction);
    }
  };
  add("params", &ModelTotals::Total::parameters, numberAt(computed, "params_total"),
      numberAt(published, "params"));
  add("macs", &ModelTotals::Total::macs, numberAt(computed, "macs_conv_linear"),
      publishedMacs(published));
  return result;
}

bool perfc::driver::predictCnnWorkloads(Session &session, llvm::StringRef path,
                                        std::vector<ValidationRow> &rows) {
  auto workloads = readWorkloads(session, path, "workloads_cnn.json", "workloads_cnn");
  if (!workloads)
    return false;
  for (const llvm::json::Value &row : *workloads)
    rows.push_back(predictCnn(*row.getAsObject()));
  return true;
}
