// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of convolutions, pools and scaled images, and where windows stand.
#include "frontend/import/graph/Windows.h"
#include <cmath>

using namespace perfc;
using namespace perfc::graph;

/// Sizes that pads, strides and dilations may have: nothing that real networks come near.
static bool isSane(llvm::ArrayRef<int64_t> list, int64_t least) {
  return llvm::all_of(list, [&](int64_t one) { return one >= least && one < int64_t(1) << 31; });
}

llvm::Optional<Windows> graph::windowsOf(Inference &inference, llvm::ArrayRef<int64_t> kernel) {
  size_t sides = kernel.size();
  Windows windows;
  windows.kernel.assign(kernel.begin(), kernel.end());
  auto strides = inference.list("strides", sides, 1),
       dilations = inference.list("dilations", sides, 1),
       pads = inference.list("pads", 2 * sides, 0);
  if (!strides || !dilations || !pads)
    return llvm::None;
  windows.strides = *strides;
  windows.dilations = *dilations;
  windows.before.assign(pads->begin(), pads->begin() + sides);
  windows.after.assign(pads->begin() + sides, pads->end());
  windows.ceils = inference.integer("ceil_mode", 0) != 0;
  if (!isSane(kernel, 1) || !isSane(*strides, 1) || !isSane(*dilations, 1) || !isSane(*pads, 0)) {
    inference.fail("a kernel, stride, dilation or pad is no size");
    return llvm::None;
  }
  llvm::StringRef automatic = inference.text("auto_pad", "NOTSET");
  if (automatic == "VALID") {
    windows.before.assign(sides, 0);
    windows.after.assign(sides, 0);
  } else if (automatic.startswith("SAME")) {
    windows.isSame = true;
    const Shape &from = inference.shape(0);
    for (size_t i = 0; i < sides; ++i) {
      // What is missing for one result per stride; the side that gets the odd one is in the name.
      int64_t reach = (kernel[i] - 1) * windows.dilations[i] + 1;
      int64_t stride = windows.strides[i];
      const Dim &extent = from[from.size() - sides + i];
      int64_t rest = extent.isNumber() ? extent.constant % stride : 0;
      int64_t missing = std::max<int64_t>(reach - (rest ? rest : stride), 0);
      windows.before[i] = automatic == "SAME_LOWER" ? missing - missing / 2 : missing / 2;
      windows.after[i] = missing - windows.before[i];
    }
  }
  return windows;
}

Dim graph::windowCount(Dims &dims, const Windows &windows, size_t side, const Dim &extent) {
  int64_t reach = (windows.kernel[side] - 1) * windows.dilations[side] + 1;
  int64_t stride = windows.strides[side];
  if (windows.isSame)
    return dims.divide(dims.add(extent, stride - 1), stride);
  Dim room = dims.add(extent, windows.before[side] + windows.after[side] - reach);
  Dim count = dims.add(dims.divide(dims.add(room, windows.ceils ? stride - 1 : 0), stride), 1);
  // The last window has to begin in the operand or before it.
  if (windows.ceils && count.isNumber() && extent.isNumber() &&
      (count.constant - 1) * stride >= extent.constant + windows.before[side])
    return count.constant - 1;
  return count;
}

/// Shape of `channels` images with a result per window.
static bool setWindows(Inference &inference, const Windows &windows, const Dim &channels) {
  const Shape &from = inference.shape(0);
  Shape shape = {from[0], channels};
  for (size_t i = 0; i < windows.kernel.size(); ++i) {
    Dim count = windowCount(inference.dims, windows, i, from[i + 2]);
    if (count.isNumber() && count.constant < 1)
      return inference.fail(
          fmt::format("its window is larger than dimension {} of its operand", i + 2));
    shape.push_back(std::move(count));
  }
  return inference.setShape(shape) && (!inference.wants(1) || inference.setShape(shape, 1));
}

/// The kernel of a convolution: the shape of its weights behind the channels.
static llvm::Optional<std::vector<int64_t>> kernelOf(Inference &inference, size_t input = 1) {
  std::vector<int64_t> kernel;
  for (const Dim &dim : llvm::ArrayRef<Dim>(inference.shape(input)).drop_front(2)) {
    if (!dim.isNumber()) {
      inference.fail("its weights have an open shape");
      return llvm::None;
    }
    kernel.push_back(dim.constant);
  }
  return kernel;
}

static bool checkChannels(Inference &inference, const Dim &channels, const Dim &weights,
                          int64_t groups) {
  if (groups < 1)
    return inference.fail("there are no groups");
  Dim all = inference.dims.multiply(weights, groups);
  return !channels.isNumber() || !all.isNumber() || channels == all ||
         inference.fail(
             fmt::format("{} channels do not fit weights for {}", channels.constant, all.constant));
}

static bool convolution(Inference &inference, size_t weights) {
  if (!inference.needRank(0, 3) ||
      !inference.needRank(weights, inference.shape(0).size(), inference.shape(0).size()))
    return false;
  int64_t groups = inference.integer("group", 1);
  const Dim &filters = inference.shape(weights)[0];
  if (!checkChannels(inference, inference.shape(0)[1], inference.shape(weights)[1], groups))
    return false;
  if (filters.isNumber() && filters.constant % groups)
    return inference.fail("its filters are no multiple of its groups");
  auto kernel = kernelOf(inference, weights);
  auto windows = kernel ? windowsOf(inference, *kernel) : llvm::None;
  return windows && setWindows(inference, *windows, filters);
}

static bool conv(Inference &inference) { return convolution(inference, 1); }

static bool transposedConv(Inference &inference) {
  if (!inference.needRank(0, 3) ||
      !inference.needRank(1, inference.shape(0).size(), inference.shape(0).size()))
    return false;
  const Shape &from = inference.shape(0), &weights = inference.shape(1);
  int64_t groups = inference.integer("group", 1);
  if (!checkChannels(inference, from[1], weights[0], 1) || groups < 1)
    return inference.fail("there are no groups");
  auto kernel = kernelOf(inference);
  auto windows = kernel ? windowsOf(inference, *kernel) : llvm::None;
  auto extra = windows ? inference.list("output_padding", kernel->size(), 0) : llvm::None;
  if (!extra)
    return false;
  Dims &dims = inference.dims;
  Shape shape = {from[0], dims.multiply(weights[1], groups)};
  const Attribute *wanted = inference.attribute("output_shape");
  for (size_t i = 0; i < kernel->size(); ++i) {
    int64_t reach = ((*kernel)[i] - 1) * windows->dilations[i] + 1;
    Dim steps = dims.multiply(dims.subtract(from[i + 2], 1), windows->strides[i]);
    Dim extent = dims.add(steps, reach + (*extra)[i] - windows->before[i] - windows->after[i]);
    if (windows->isSame)
      extent = dims.multiply(from[i + 2], windows->strides[i]);
    if (wanted && wanted->integers.size() >= kernel->size())
      extent = wanted->integers[wanted->integers.size() - kernel->size() + i];
    if (extent.isNumber() && extent.constant < 1)
      return inference.fail("nothing is left of its result");
    shape.push_back(std::move(extent));
  }
  return inference.setShape(std::move(shape));
}

static bool pool(Inference &inference) {
  const Attribute *kernel = inference.attribute("kernel_shape");
  if (!kernel || !inference.needRank(0, 3) ||
      kernel->integers.size() + 2 != inference.shape(0).size())
    return inference.fail("its kernel does not fit its operand");
  auto windows = windowsOf(inference, kernel->integers);
  if (inference.wants(1))
    inference.out(1).type = Int64;
  return windows && setWindows(inference, *windows, inference.shape(0)[1]);
}

static bool globalPool(Inference &inference) {
  if (!inference.needRank(0, 2))
    return false;
  Shape shape = inference.shape(0);
  for (size_t i = 2; i < shape.size(); ++i)
    shape[i] = 1;
  return inference.setShape(std::move(shape));
}

/// Extents times scales, rounded down.
static bool scaled(Inference &inference, llvm::ArrayRef<double> scales) {
  Shape shape = inference.shape(0);
  if (scales.size() != shape.size())
    return inference.fail("it needs a scale for each dimension");
  for (size_t i = 0; i < shape.size(); ++i) {
    double scale = scales[i];
    if (!(scale > 1e-6 && scale < 1e6))
      return inference.fail("a scale is not between 0.000001 and 1000000");
    if (scale == std::floor(scale))
      shape[i] = inference.dims.multiply(shape[i], static_cast<int64_t>(scale));
    else if (1 / scale == std::floor(1 / scale))
      shape[i] = inference.dims.divide(shape[i], static_cast<int64_t>(1 / scale));
    else if (!shape[i].isNumber())
      return true;
    else if (auto extent = Scalar::ofReal(double(shape[i].constant) * scale).toWhole())
      shape[i] = *extent;
    else
      return inference.fail("an extent of its result is too large");
  }
  return inference.setShape(std::move(shape));
}

static llvm::Optional<std::vector<double>> reals(Inference &inference, size_t input) {
  if (const Attribute *given = inference.attribute("scales"))
    return given->reals;
  if (!inference.has(input) || !inference.in(input).content)
    return llvm::None;
  std::vector<double> result;
  for (const Scalar &scalar : *inference.in(input).content) {
    if (!scalar.isNumber())
      return llvm::None;
    result.push_back(scalar.toReal());
  }
  return result;
}

/// The sides of the image that the model is given: what data cuts out of it is no larger. 0 where
/// it is given none.
static Shape sidesOfImage(const Net &net) {
  for (int input : net.inputs)
    if (const Shape &shape = net.values[input].shape; shape.size() == 3 || shape.size() == 4)
      return {shape[shape.size() - 2], shape.back()};
  return {0, 0};
}

static bool resize(Inference &inference) {
  // Set 10 and Upsample have scales as operand 1; from set 11 on there is a region before.
  bool isOld = inference.isNamed("Upsample") || inference.op.inputs.size() == 2;
  if (auto scales = reals(inference, isOld ? 1 : 2); scales && !scales->empty()) {
    if (const Attribute *axes = inference.attribute("axes")) {
      std::vector<double> all(inference.shape(0).size(), 1);
      for (size_t i = 0; i < axes->integers.size() && i < scales->size(); ++i)
        if (auto axis = inference.axis(axes->integers[i], all.size()))
          all[*axis] = (*scales)[i];
      return scaled(inference, all);
    }
    return scaled(inference, *scales);
  }
  auto sizes = inference.wholes("", 3);
  Shape shape = inference.shape(0);
  if (!sizes) { // of images, data decides their sides
    if (!inference.wants(0))
      return true;
    Shape &most = inference.out().most = Shape(shape.size(), 0);
    for (size_t i = 2; i < shape.size(); ++i)
      shape[i] = -1;
    if (shape.size() == 4)
      std::copy_n(sidesOfImage(inference.net).begin(), 2, most.begin() + 2);
    inference.out().openShape = std::move(shape);
    return true;
  }
  const Attribute *axes = inference.attribute("axes");
  if (sizes->size() != (axes ? axes->integers.size() : shape.size()))
    return inference.fail("it needs a size for each dimension");
  for (size_t i = 0; i < sizes->size(); ++i) {
    auto axis = inference.axis(axes ? axes->integers[i] : static_cast<int64_t>(i), shape.size());
    if (!axis)
      return false;
    shape[*axis] = (*sizes)[i];
  }
  return inference.setShape(std::move(shape));
}

static constexpr ShapeEntry windowRuleTable[] = {
    {"AveragePool", pool},
    {"Conv", conv},
    {"ConvTranspose", transposedConv},
    {"DeformConv", conv},
    {"GlobalAveragePool", globalPool},
    {"GlobalLpPool", globalPool},
    {"GlobalMaxPool", globalPool},
    {"LpPool", pool},
    {"MaxPool", pool},
    {"Resize", resize},
    {"Upsample", resize},
};

llvm::ArrayRef<ShapeEntry> graph::windowRules() { return windowRuleTable; }
