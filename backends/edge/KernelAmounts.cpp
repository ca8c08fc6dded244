// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/edge/KernelAmounts.h"

#include "passes/analysis/Convolutions.h"
#include "passes/analysis/Products.h"

using namespace perfc;
using namespace perfc::edge;
using target::LayerWork;

/// The narrowest format of the operands that a product reads.
static DType formatOf(const passes::Statement &statement) {
  DType format = statement.reads.front().format;
  for (const passes::Access &read : statement.reads)
    if (read.operand.role() == "weight")
      format = read.format;
  return format;
}

static double pointsOf(llvm::ArrayRef<int64_t> extents, int64_t tile = 1) {
  double points = 1;
  for (int64_t extent : extents)
    points *= std::ceil(static_cast<double>(extent) / static_cast<double>(tile));
  return points;
}

static LayerWork kindOf(const passes::Convolution &convolution) {
  constexpr int64_t fewChannels = 4, leastOfTiles = 16;
  if (convolution.isDepthwise())
    return LayerWork::Depthwise;
  if (convolution.channels <= fewChannels)
    return LayerWork::First;
  if (pointsOf(convolution.window) == 1)
    return LayerWork::Pointwise;
  bool isSmall = convolution.window == std::vector<int64_t>{3, 3} &&
                 convolution.strides == std::vector<int64_t>{1, 1} && !convolution.isDilated;
  bool fills = convolution.channels >= leastOfTiles && convolution.filters >= leastOfTiles;
  return isSmall && fills ? LayerWork::Winograd : LayerWork::Convolution;
}

/// What the bytes of a kernel without products are.
static LayerWork byteKindOf(const passes::Kernel &kernel, const KernelWork &work) {
  bool reduces = llvm::any_of(
      kernel.statements, [](const passes::Statement &statement) { return statement.reduces(); });
  if (reduces)
    return LayerWork::Reductions;
  return work.flops == 0 && work.elements.empty() ? LayerWork::Moves : LayerWork::Elements;
}

/// The multiply-accumulates of minimal filtering.
static double filteringMacs(const passes::Convolution &convolution) {
  constexpr double products = 36;
  return products * pointsOf(convolution.positions, 4) * static_cast<double>(convolution.channels) *
         static_cast<double>(convolution.filters) * static_cast<double>(convolution.groups) *
         static_cast<double>(convolution.images);
}

/// The bytes of its windows side by side, as they are written and as they are read.
static double unrolledBytes(const passes::Convolution &convolution, DType format) {
  return 2 * pointsOf(convolution.positions) * pointsOf(convolution.window) *
         static_cast<double>(convolution.channels) * static_cast<double>(convolution.groups) *
         static_cast<double>(convolution.images) * bitsOf(format) / 8;
}

static double kernelsOf(const passes::Convolution &convolution, LayerWork kind,
                        const ir::Operation &chip) {
  constexpr double transforms = 2;
  double kernels = chip.hasAttr("each_group") && kind != LayerWork::Depthwise
                       ? static_cast<double>(convolution.groups)
                       : 1;
  if (chip.hasAttr("each_step"))
    kernels += convolution.isPadded + (kind == LayerWork::Winograd ? transforms : 0);
  return kernels;
}

/// Of one row many sums are added up in parts, and the parts once more.
static double kernelsOf(const passes::Product &product, const ir::Operation &chip) {
  constexpr int64_t many = 128;
  return chip.hasAttr("each_step") && product.m == 1 && product.k >= many ? 2 : 1;
}

KernelAmounts edge::kernelAmounts(op::KernelOp kernel, const KernelWork &work,
                                  const ir::Operation &chip) {
  double weights = 0, others = 0, kernels = 1, macs = static_cast<double>(work.macs);
  for (const OperandBytes &operand : work.operands)
    (operand.role == "weight" ? weights : others) +=
        static_cast<double>(operand.read) + static_cast<double>(operand.written);
  KernelAmounts found;
  found.format = DType::FP32;
  found.direct = macs;
  passes::Kernel model(kernel);
  LayerWork moving = byteKindOf(model, work);
  if (auto convolution = passes::convolutionOf(model)) {
    LayerWork kind = kindOf(*convolution);
    found.format = formatOf(*convolution->statement);
    moving = LayerWork::Activations;
    kernels = kernelsOf(*convolution, kind, chip);
    if (kind == LayerWork::Winograd)
      found.amounts.push_back({LayerWork::Transforms, others});
    if (kind == LayerWork::Convolution && chip.hasAttr("unrolls"))
      found.amounts.push_back({LayerWork::Moves, unrolledBytes(*convolution, found.format)});
    found.amounts.push_back(
        {kind, kind == LayerWork::Winograd ? filteringMacs(*convolution) : macs});
  } else if (auto product = passes::productOf(model)) {
    found.format = formatOf(*product->statement);
    moving = LayerWork::Activations;
    found.amounts.push_back({LayerWork::Product, macs});
    kernels = kernelsOf(*product, chip);
    weights = 0; // each row reads them as it multiplies
  } else if (macs > 0) {
    found.amounts.push_back({LayerWork::Product, macs});
  }
  found.amounts.push_back({LayerWork::Weights, weights});
  found.amounts.push_back({moving, others});
  found.amounts.push_back({LayerWork::Op, kernels});
  return found;
}
