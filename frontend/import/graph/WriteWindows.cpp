// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions, pools and normalisations of images.
#include "frontend/import/graph/Windows.h"
#include "frontend/import/graph/Writer.h"

using namespace perfc;
using namespace perfc::graph;

static bool isEqual(llvm::ArrayRef<int64_t> list) {
  return llvm::all_of(list, [&](int64_t one) { return one == list.front(); });
}

/// `, name = value` where the value is not what the op has without.
static std::string option(llvm::StringRef name, int64_t value, int64_t otherwise) {
  return value == otherwise ? "" : fmt::format(", {} = {}", name, value);
}

/// The arguments behind operand and weights of a window with sides of its own.
static std::string sides(const Windows &windows) {
  if (windows.kernel.size() == 1)
    return option("stride", windows.strides[0], 1) + option("dilation", windows.dilations[0], 1) +
           option("left", windows.before[0], 0) + option("right", windows.after[0], 0);
  return option("stride_y", windows.strides[0], 1) + option("stride_x", windows.strides[1], 1) +
         option("dilation_y", windows.dilations[0], 1) +
         option("dilation_x", windows.dilations[1], 1) + option("top", windows.before[0], 0) +
         option("left", windows.before[1], 0) + option("bottom", windows.after[0], 0) +
         option("right", windows.after[1], 0);
}

/// One stride, dilation and pad for all sides.
static bool isUniform(const Windows &windows) {
  return isEqual(windows.strides) && isEqual(windows.dilations) && isEqual(windows.before) &&
         windows.before == windows.after;
}

static std::string uniform(const Windows &windows) {
  return option("stride", windows.strides[0], 1) + option("pad", windows.before[0], 0) +
         option("dilation", windows.dilations[0], 1);
}

/// Sets `value` to `call`, and adds the bias per channel where there is one.
static void assignBiased(Writer &writer, int value, llvm::StringRef base, const std::string &call,
                         int bias) {
  std::string name = writer.assign(value, base, call);
  if (bias < 0)
    return;
  const Shape shape = writer.shapeOf(value);
  if (shape.size() == 4) {
    std::string added = writer.plain(bias);
    writer.assign(value, "bias",
                  writer.library("elementwise", "channel_bias") + "(" + name + ", " + added + ")");
    return;
  }
  std::vector<std::string> index;
  std::vector<llvm::SmallVector<unsigned, 2>> dims;
  for (unsigned i = 0; i < shape.size(); ++i) {
    index.push_back(indexName(i));
    dims.push_back({i});
  }
  std::string right =
      fmt::format("{}[{}] + {}[{}]", name, fmt::join(index, ", "), writer.named(bias), index[1]);
  writer.equation(value, "bias", index, "=", right, shape, dims);
}

/// Extents of weights [M, C, …] in groups: [G, M / G, C, …].
static Shape grouped(Writer &writer, const Shape &shape, int64_t groups) {
  Shape result = shape;
  result[0] = writer.net.dims.divide(shape[0], groups);
  result.insert(result.begin(), groups);
  return result;
}

/// Numbers and extents of windows along any number of sides, for an op of the program.
static std::string ownWindows(Writer &writer, const Windows &windows, const Shape &result) {
  std::string text;
  for (size_t i = 0; i < windows.kernel.size(); ++i)
    text += option(fmt::format("stride{}", i), windows.strides[i], 1) +
            option(fmt::format("dilation{}", i), windows.dilations[i], 1) +
            option(fmt::format("before{}", i), windows.before[i], 0) +
            fmt::format(", P{} = {}", i, writer.net.dims.text(result[i + 2]));
  return text;
}

/// A convolution along any number of sides: an op of the program. Stored weights have groups as a
/// dimension, of others they are rows.
static std::string ownConv(Writer &writer, const Op &op, const Windows &windows, int64_t groups) {
  int weights = op.input(1);
  bool isFree = writer.hasForm(weights, grouped(writer, writer.shapeOf(weights), groups)),
       hasRows = !isFree && groups != 1;
  std::string image = isFree || hasRows ? "N, A" : "N, K",
              filters = isFree    ? "G, M, K"
                        : hasRows ? "F, K"
                                  : "M, K",
              extents = isFree || hasRows ? "N, F" : "N, M", ranges, numbers,
              place = isFree || hasRows ? "n, g*M + m" : "n, m",
              read = isFree || hasRows ? "n, g*K + k" : "n, k",
              tap = isFree    ? "g, m, k"
                    : hasRows ? "g*M + m, k"
                              : "m, k";
  for (size_t i = 0; i < windows.kernel.size(); ++i) {
    image += fmt::format(", A{}", i);
    filters += fmt::format(", R{}", i);
    extents += fmt::format(", P{}", i);
    place += fmt::format(", p{}", i);
    read += fmt::format(", p{0}*stride{0} + r{0}*dilation{0} - before{0}", i);
    tap += fmt::format(", r{}", i);
    numbers += fmt::format(", stride{0} = 1, dilation{0} = 1, before{0} = 0", i);
  }
  if (hasRows) {
    numbers = ", G, M" + numbers;
    ranges = "  where g < G\n  where m < M\n";
  }
  const Shape result = writer.shapeOf(op.outputs[0]);
  std::string name = writer.privateOp(
      "conv",
      fmt::format("op NAME(x[{}], w[{}]{}{}) -> y[{}] {{\n{}  y[{}] += x[{}] * w[{}]\n}}\n", image,
                  filters, hasRows ? "" : ": weight", numbers, extents, ranges, place, read, tap));
  std::string x = writer.plain(op.input(0));
  std::string w = isFree ? writer.weight(weights, grouped(writer, writer.shapeOf(weights), groups))
                         : writer.plain(weights);
  std::string channels = isFree ? ", F = " + writer.net.dims.text(result[1]) : "";
  if (hasRows)
    channels = fmt::format(", G = {}, M = {}", groups,
                           writer.net.dims.text(writer.net.dims.divide(result[1], groups)));
  return fmt::format("{}({}, {}{}{})", name, x, w, channels, ownWindows(writer, windows, result));
}

static bool conv(Writer &writer, const Op &op) {
  Inference attributes = writer.attributes(op);
  int from = op.input(0), weights = op.input(1), to = op.outputs[0];
  const Shape shape = writer.shapeOf(weights);
  std::vector<int64_t> kernel;
  for (const Dim &dim : llvm::ArrayRef<Dim>(shape).drop_front(2))
    kernel.push_back(dim.constant);
  auto windows = windowsOf(attributes, kernel);
  if (!windows)
    return false;
  int64_t groups = attributes.integer("group", 1);
  const Shape form = grouped(writer, shape, groups);
  bool isDepthwise =
      kernel.size() == 2 && isUniform(*windows) && shape[0].is(groups) && shape[1].is(1);
  Shape own = isDepthwise ? Shape{shape[0], shape[2], shape[3]} : form;
  bool isFree = writer.hasForm(weights, own);
  std::string x = writer.plain(from), call, base = "conv";
  if (kernel.size() == 2 && groups == 1 && isUniform(*windows)) {
    call = fmt::format("{}({}, {}{})", writer.library("conv2d", "conv2d"), x,
                       writer.weight(weights, shape), uniform(*windows));
  } else if (kernel.size() == 3 && groups == 1 && isUniform(*windows)) {
    call = fmt::format("{}({}, {}{})", writer.library("conv3d", "conv3d"), x,
                       writer.weight(weights, shape), uniform(*windows));
  } else if (kernel.size() > 2 || !isFree) {
    call = ownConv(writer, op, *windows, groups);
  } else if (isDepthwise) {
    call = fmt::format("{}({}, {}{})", writer.library("depthwise", "depthwise"), x,
                       writer.weight(weights, own), uniform(*windows));
    base = "depthwise";
  } else {
    std::string name = kernel.size() == 1 ? writer.library("conv1d", "conv1d")
                                          : writer.library("grouped", "conv2d_groups");
    call = fmt::format("{}({}, {}{})", name, x, writer.weight(weights, form),
                       isUniform(*windows) ? uniform(*windows) : sides(*windows));
  }
  assignBiased(writer, to, base, call, op.input(2));
  return true;
}

/// The same along any number of sides: each place of the image adds its filter to a window of the
/// result.
static std::string ownTransposedConv(Writer &writer, const Op &op, const Windows &windows,
                                     int64_t groups) {
  const Shape result = writer.shapeOf(op.outputs[0]), shape = writer.shapeOf(op.input(1));
  std::string image = "N, C", filters = "G, K, M", extents = "N, F", numbers, place = "n, g*M + m",
              read = "n, g*K + k", tap = "g, k, m";
  for (size_t i = 0; i < windows.kernel.size(); ++i) {
    image += fmt::format(", A{}", i);
    filters += fmt::format(", R{}", i);
    extents += fmt::format(", P{}", i);
    place += fmt::format(", a{0}*stride{0} + r{0}*dilation{0} - before{0}", i);
    read += fmt::format(", a{}", i);
    tap += fmt::format(", r{}", i);
    numbers += fmt::format(", stride{0} = 1, dilation{0} = 1, before{0} = 0", i);
  }
  std::string name = writer.privateOp(
      "conv_transposed",
      fmt::format("op NAME(x[{}], w[{}]: weight{}) -> y[{}] {{\n  y[{}] += x[{}] * w[{}]\n}}\n",
                  image, filters, numbers, extents, place, read, tap));
  std::string x = writer.plain(op.input(0)),
              w = writer.weight(op.input(1), grouped(writer, shape, groups));
  return fmt::format("{}({}, {}, F = {}{})", name, x, w, writer.net.dims.text(result[1]),
                     ownWindows(writer, windows, result));
}

static bool transposedConv(Writer &writer, const Op &op) {
  Inference attributes = writer.attributes(op);
  int from = op.input(0), weights = op.input(1), to = op.outputs[0];
  const Shape shape = writer.shapeOf(weights), result = writer.shapeOf(to);
  std::vector<int64_t> kernel;
  for (const Dim &dim : llvm::ArrayRef<Dim>(shape).drop_front(2))
    kernel.push_back(dim.constant);
  auto windows = windowsOf(attributes, kernel);
  int64_t groups = attributes.integer("group", 1);
  if (!windows || windows->isSame || !writer.hasForm(weights, grouped(writer, shape, groups)))
    return false;
  if (kernel.size() != 2) {
    assignBiased(writer, to, "conv", ownTransposedConv(writer, op, *windows, groups), op.input(2));
    return true;
  }
  Shape form = grouped(writer, shape, groups);
  std::string options =
      option("stride_y", windows->strides[0], 1) + option("stride_x", windows->strides[1], 1) +
      option("dilation_y", windows->dilations[0], 1) +
      option("dilation_x", windows->dilations[1], 1) + option("top", windows->before[0], 0) +
      option("left", windows->before[1], 0);
  // Extents that follow from the windows need no saying.
  const Shape &image = writer.shapeOf(from);
  static constexpr llvm::StringLiteral names[] = {"P", "Q"};
  for (size_t side = 0; side < 2; ++side) {
    Dims &dims = writer.net.dims;
    int64_t reach = (windows->kernel[side] - 1) * windows->dilations[side] + 1;
    Dim usual = dims.add(dims.multiply(dims.subtract(image[side + 2], 1), windows->strides[side]),
                         reach - windows->before[side]);
    if (usual != result[side + 2])
      options += fmt::format(", {} = {}", names[side], dims.text(result[side + 2]));
  }
  std::string x = writer.plain(from), filters = writer.weight(weights, form);
  std::string call = fmt::format("{}({}, {}{})", writer.library("transposed", "conv2d_transposed"),
                                 x, filters, options);
  assignBiased(writer, to, "conv", call, op.input(2));
  return true;
}

/// Pools of the library, or one with sides of its own and the extents that the graph says.
static bool pool(Writer &writer, const Op &op) {
  Inference attributes = writer.attributes(op);
  const Attribute *kernel = op.node->find("kernel_shape");
  auto windows = windowsOf(attributes, kernel->integers);
  bool isMax = op.type == "MaxPool";
  if (!windows ||
      (op.outputs.size() > 1 && op.outputs[1] >= 0 && writer.net.values[op.outputs[1]].uses))
    return false;
  int to = op.outputs[0];
  std::string x = writer.plain(op.input(0)), base = isMax ? "max_pool" : "avg_pool";
  const std::vector<int64_t> &k = windows->kernel;
  if (k.size() == 2 && isUniform(*windows) && !windows->ceils && windows->dilations[0] == 1) {
    std::string side = k[0] == k[1] ? "" : fmt::format(", S = {}", k[1]);
    writer.assign(to, base,
                  fmt::format("{}({}, R = {}{}, stride = {}{})", writer.library("pooling", base), x,
                              k[0], side, windows->strides[0],
                              option("pad", windows->before[0], 0)));
    return true;
  }
  const Shape result = writer.shapeOf(to);
  std::string own = ownWindows(writer, *windows, result);
  std::string ranks = "N, C", place = "n, c", at = "n, c", numbers, ranges, size;
  for (size_t i = 0; i < k.size(); ++i) {
    ranks += fmt::format(", A{}", i);
    place += fmt::format(", p{}", i);
    at += fmt::format(", p{0}*stride{0} + r{0}*dilation{0} - before{0}", i);
    numbers += fmt::format(", R{0}, stride{0} = 1, dilation{0} = 1, before{0} = 0", i);
    ranges += fmt::format("  where r{0} < R{0}\n", i);
    size += fmt::format("{}R{}", i ? "*" : "", i);
    own += fmt::format(", R{} = {}", i, k[i]);
  }
  std::string extents = ranks;
  std::replace(extents.begin(), extents.end(), 'A', 'P');
  std::string body =
      isMax ? fmt::format("  y[{}] max= x[{}]\n", place, at)
            : fmt::format("  sum[{0}] += x[{1}]\n  y[{0}] = sum[{0}] / ({2})\n", place, at, size);
  std::string name = writer.privateOp(base, fmt::format("op NAME(x[{}]{}) -> y[{}] {{\n{}{}}}\n",
                                                        ranks, numbers, extents, ranges, body));
  writer.assign(to, base, fmt::format("{}({}{})", name, x, own));
  return true;
}

static bool globalPool(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  const Shape shape = writer.shapeOf(from);
  bool isMean = op.type == "GlobalAveragePool";
  std::string x = writer.plain(from), index = "n, m";
  Shape ranks = {shape[0], shape[1]};
  std::vector<llvm::SmallVector<unsigned, 2>> dims = {{0}, {1}};
  Dim count = 1;
  for (size_t i = 2; i < shape.size(); ++i) {
    dims.emplace_back();
    index += ", " + indexName(i - 2);
    count = writer.net.dims.multiply(count, shape[i]);
  }
  if (isMean && shape.size() == 4) {
    writer.assign(to, "pool", writer.library("pooling", "global_avg_pool") + "(" + x + ")", ranks,
                  dims);
    return true;
  }
  std::string all = fmt::format("{}[{}]", writer.named(from), index);
  std::string sum =
      writer.equation(to, "pool", {"n", "m"}, isMean ? "+=" : "max=", all, ranks, dims);
  if (isMean)
    writer.assign(to, "pool", sum + " / " + writer.net.dims.factorText(count), ranks, dims);
  return true;
}

static bool batchNorm(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  const Shape shape = writer.shapeOf(from);
  if (shape.size() < 2 || op.input(1) < 0 || op.input(2) < 0)
    return false;
  if (shape.size() == 4) {
    std::string x = writer.plain(from), scale = writer.plain(op.input(1)),
                shift = writer.plain(op.input(2));
    writer.assign(to, "norm",
                  writer.library("batchnorm", "batchnorm") + "(" + x + ", " + scale + ", " + shift +
                      ")");
    return true;
  }
  writer.plain(from);
  std::string x = writer.named(from), scale = writer.named(op.input(1)),
              shift = writer.named(op.input(2));
  std::vector<std::string> index;
  std::vector<llvm::SmallVector<unsigned, 2>> dims;
  for (unsigned i = 0; i < shape.size(); ++i) {
    index.push_back(indexName(i));
    dims.push_back({i});
  }
  writer.equation(to, "norm", index, "=",
                  fmt::format("{0}[{1}] * {2}[{4}] + {3}[{4}]", x, fmt::join(index, ", "), scale,
                              shift, index[1]),
                  shape, dims);
  return true;
}

/// Normalisation of each image and channel, or group of channels.
static bool groupNorm(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  const Shape &shape = writer.shapeOf(from);
  bool isInstance = op.type == "InstanceNormalization";
  if (shape.size() < 3 || op.input(1) < 0 || op.input(2) < 0)
    return false;
  if (!isInstance) {
    int64_t groups =
        op.numbers.empty() ? writer.attributes(op).integer("num_groups", 0) : op.numbers[0];
    auto perChannel = [&](int value) {
      return writer.net.dims.product(writer.shapeOf(value)) == shape[1];
    };
    if (shape.size() != 4 || groups < 1 || !perChannel(op.input(1)) || !perChannel(op.input(2)))
      return false;
    std::string x = writer.plain(from), call = writer.library("groupnorm", "groupnorm") + "(" + x;
    for (size_t i : {1, 2})
      call += ", " + writer.vector(op.input(i), shape[1]);
    writer.assign(to, "norm", fmt::format("{}{})", call, option("G", groups, 32)));
    return true;
  }
  std::string ranks = "N, C", index = "n, c", count;
  for (size_t i = 2; i < shape.size(); ++i) {
    ranks += fmt::format(", A{}", i);
    index += ", " + indexName(i);
    count += fmt::format("{}A{}", i > 2 ? "*" : "", i);
  }
  std::string name = writer.privateOp(
      "instance_norm",
      fmt::format("op NAME(x[{0}], scale[C]: weight, shift[C]: weight, eps = 1e-5) -> y[{0}] {{\n"
                  "  sum[n, c] += x[{1}]\n"
                  "  d[{1}] = x[{1}] - sum[n, c] / ({2})\n"
                  "  d2[{1}] = d[{1}] * d[{1}]\n"
                  "  var[n, c] += d2[{1}]\n"
                  "  y[{1}] = d[{1}] * rsqrt(var[n, c] / ({2}) + eps) * scale[c] + shift[c]\n"
                  "}}\n",
                  ranks, index, count));
  std::string x = writer.plain(from), scale = writer.plain(op.input(1)),
              shift = writer.plain(op.input(2));
  writer.assign(to, "norm", name + "(" + x + ", " + scale + ", " + shift + ")");
  return true;
}

static constexpr EmitterEntry windowEmitterTable[] = {
    {"AveragePool", pool},
    {"BatchNormalization", batchNorm},
    {"Conv", conv},
    {"ConvTranspose", transposedConv},
    {"GlobalAveragePool", globalPool},
    {"GlobalMaxPool", globalPool},
    {"GroupNormalization", groupNorm},
    {"InstanceNormalization", groupNorm},
    {"MaxPool", pool},
};

llvm::ArrayRef<EmitterEntry> graph::windowEmitters() { return windowEmitterTable; }
