// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/systolic/Layer.h"

#include "backends/loopnest/analysis/Checked.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

Layer Layer::ofGemm(const Gemm &gemm) {
  Layer layer;
  layer.height = gemm.m;
  layer.width = layer.filterWidth = gemm.k;
  layer.filters = gemm.n;
  return layer;
}

static int64_t positions(int64_t extent, int64_t window, int64_t stride) {
  return (extent - window + stride - 1) / stride + 1;
}

int64_t Layer::outputHeight() const { return positions(height, filterHeight, strideY); }
int64_t Layer::outputWidth() const { return positions(width, filterWidth, strideX); }

llvm::Optional<Gemm> Layer::gemm() const {
  constexpr int64_t limit = int64_t(1) << 40;
  for (int64_t size :
       {height, width, filterHeight, filterWidth, channels, filters, strideY, strideX})
    if (size < 1 || size > limit)
      return llvm::None;
  if (filterHeight > height || filterWidth > width)
    return llvm::None;
  Checked m = Checked(outputHeight()) * outputWidth();
  Checked k = Checked(filterHeight) * filterWidth * channels;
  if ((m * k * filters).overflowed() || (Checked(height) * width * channels).overflowed())
    return llvm::None;
  return Gemm{m.value(), filters, k.value()};
}

/// Input positions along one axis that some window touches.
static int64_t touched(int64_t outputs, int64_t window, int64_t stride, int64_t extent) {
  int64_t all = (outputs - 1) * std::min(stride, window) + window;
  // Only the last window can hang over the end, at most with all of it.
  int64_t hangsOver = std::max<int64_t>(0, (outputs - 1) * stride + window - extent);
  return all - std::min(hangsOver, window);
}

int64_t Layer::inputWords() const {
  return touched(outputHeight(), filterHeight, strideY, height) *
         touched(outputWidth(), filterWidth, strideX, width) * channels;
}

OperandWords OperandWords::input(const Layer &layer, const Gemm &gemm) {
  OperandWords result;
  int64_t outputWidth = layer.outputWidth();
  result.height = layer.height;
  result.width = layer.width;
  result.words = layer.height * layer.width * layer.channels;
  bool hangsOver = (layer.outputHeight() - 1) * layer.strideY + layer.filterHeight > layer.height ||
                   (outputWidth - 1) * layer.strideX + layer.filterWidth > layer.width;
  auto add = [&](int64_t y, int64_t x, int64_t c, std::vector<int32_t> &part,
                 std::vector<int32_t> &ys, std::vector<int32_t> &xs) {
    part.push_back(static_cast<int32_t>((y * layer.width + x) * layer.channels + c));
    if (!hangsOver)
      return;
    ys.push_back(static_cast<int32_t>(y));
    xs.push_back(static_cast<int32_t>(x));
  };
  for (int64_t i = 0; i < gemm.m; ++i)
    add(i / outputWidth * layer.strideY, i % outputWidth * layer.strideX, 0, result.rowPart,
        result.rowY, result.rowX);
  for (int64_t j = 0; j < gemm.k; ++j) {
    int64_t rest = j / layer.channels;
    add(rest / layer.filterWidth, rest % layer.filterWidth, j % layer.channels, result.columnPart,
        result.columnY, result.columnX);
  }
  return result;
}

OperandWords OperandWords::weight(const Gemm &gemm) {
  OperandWords result;
  result.words = gemm.k * gemm.n;
  for (int64_t i = 0; i < gemm.k; ++i)
    result.rowPart.push_back(static_cast<int32_t>(i));
  for (int64_t j = 0; j < gemm.n; ++j)
    result.columnPart.push_back(static_cast<int32_t>(j * gemm.k));
  return result;
}
