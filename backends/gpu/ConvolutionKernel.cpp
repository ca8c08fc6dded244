// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/ConvolutionKernel.h"

#include "backends/gpu/ConvolutionPrice.h"
#include "ir/core/Module.h"
#include "ir/tile/LayerOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::gpu;

namespace {

/// An algorithm, the kind of family that has it, and what it is for.
struct Algorithm {
  llvm::StringLiteral family;
  ConvolutionKind kind;
  bool isFiltering; ///< windows of 3 x 3 without strides
};

} // namespace

static constexpr Algorithm algorithms[] = {
    {"convolution", ConvolutionKind::Implicit, false},
    {"winograd", ConvolutionKind::Winograd, true},
    {"winograd_split", ConvolutionKind::WinogradSplit, true},
    {"depthwise", ConvolutionKind::Depthwise, false},
};

static const Algorithm *algorithmNamed(llvm::StringRef family) {
  return llvm::find_if(algorithms,
                       [&](const Algorithm &algorithm) { return algorithm.family == family; });
}

static bool isDepthwise(tile::ConvolutionOp convolution) {
  const ir::Operation &op = *convolution;
  return op.intAttr("groups") > 1 && op.intAttr("channels") == 1 && op.intAttr("filters") == 1;
}

static bool serves(const Algorithm &algorithm, tile::ConvolutionOp convolution) {
  if (isDepthwise(convolution) != (algorithm.kind == ConvolutionKind::Depthwise))
    return false;
  bool isSmall = convolution.window() == std::vector<int64_t>{3, 3} &&
                 convolution->intsAttr("strides") == std::vector<int64_t>{1, 1} &&
                 !convolution->hasAttr("dilated");
  return isSmall || !algorithm.isFiltering;
}

static ConvolutionFigures figuresOf(tile::FamilyOp family, const KernelChip &chip, DType format,
                                    bool isEager) {
  const ir::Operation &op = *family;
  ConvolutionFigures figures{familyFigures(family, chip, format, isEager)};
  figures.leastWaves = op.realAttr("least_waves", 1);
  figures.inputReads = op.realAttr("input_reads", 1);
  figures.transforms = op.realAttr("transforms");
  return figures;
}

static ConvolutionWork workOf(tile::ConvolutionOp convolution, const KernelChip &chip) {
  ConvolutionWork work;
  const ir::Operation &op = *convolution;
  auto count = [&](llvm::StringRef name) { return static_cast<double>(op.intAttr(name)); };
  work.groups = count("groups");
  work.images = count("images");
  work.channels = count("channels");
  work.filters = count("filters");
  std::vector<int64_t> positions = convolution.positions();
  work.columns = static_cast<double>(positions.back());
  for (size_t rank = 0; rank + 1 < positions.size(); ++rank)
    work.rows *= static_cast<double>(positions[rank]);
  for (int64_t extent : convolution.window())
    work.window *= static_cast<double>(extent);
  work.inputBytes = count("input_bytes");
  work.filterBytes = count("filter_bytes");
  work.resultBytes = count("result_bytes");
  work.otherBytes = count("other_bytes");
  work.size = storedBytes(convolution.format());
  FormatRate rate = chip.rateFor(convolution.format());
  work.rate = rate.macs;
  work.energy = rate.energy;
  return work;
}

llvm::Optional<LayerTile> gpu::convolutionTile(tile::ChoiceOp choice, const KernelChip &chip) {
  tile::ConvolutionOp convolution = tile::convolutionOf(*choice);
  auto library = choice->module()->lookup<tile::LibraryOp>(choice.library());
  DType format = convolution.format();
  if (chip.unitsFor(format).empty())
    return llvm::None;
  Design design = chip.design();
  ConvolutionWork work = workOf(convolution, chip);
  llvm::Optional<LayerTile> found;
  double best = 0;
  for (const Algorithm &algorithm : algorithms) {
    tile::FamilyOp family = tile::familyFor(library, algorithm.family, format, format);
    if (!family || !serves(algorithm, convolution))
      continue;
    ConvolutionFigures figures = figuresOf(family, chip, format, choice->hasAttr("eager"));
    TileList tiles = tileList(family);
    if (tiles.size() == 0) { // along the positions of one channel, as wide as a warp
      tiles.rows = {32};
      tiles.columns = {1};
      tiles.splits = {1};
    }
    auto tile = fastestConvolutionTile(algorithm.kind, design, figures, work, tiles);
    if (!tile)
      continue;
    ConvolutionPrice price = convolutionPrice(algorithm.kind, design, figures, work, *tile);
    if (found && price.total >= best)
      continue;
    best = price.total;
    found = LayerTile{*tile, std::llround(std::max(1.0, price.blocks)), 1, algorithm.family.str()};
  }
  return found;
}

static void addLines(KernelLines &lines, const LibraryQuery &of, const ConvolutionPrice &price) {
  const KernelChip &chip = of.chip;
  lines.part(PartKind::Compute, of.compute.slowestUnit(), price.units, of.compute.energy);
  if (chip.outermost)
    lines.traffic(*chip.outermost, static_cast<double>(of.work.readBytes),
                  static_cast<double>(of.work.writtenBytes), price.memory + price.transforms);
  lines.part(PartKind::Launch, "launch", price.launch);
  if (price.transforms > 0)
    lines.part(PartKind::Memory, "transforms", price.transforms);
  double largest = std::max({price.units, price.memory, price.power});
  lines.bound(largest == price.units    ? "compute " + of.compute.slowestUnit().str()
              : largest == price.memory ? "memory " + chip.outermost->name().str()
                                        : std::string("power"),
              price.body);
  lines.bound("transforms", price.transforms);
  lines.bound("launch", price.launch);
}

Cost gpu::convolutionKernelCost(const LibraryQuery &of) {
  const auto &[kernel, chip, needed, compute] = of;
  tile::ConvolutionOp convolution = tile::convolutionOf(*kernel);
  const Algorithm *algorithm = algorithmNamed(convolution.algorithm());
  auto library = kernel->module()->lookup<tile::LibraryOp>(kernel.library());
  tile::FamilyOp family =
      tile::familyFor(library, algorithm->family, convolution.format(), convolution.format());
  Tile tile{extentOf(kernel.tile(), "m"), extentOf(kernel.tile(), "n"), 1};
  ConvolutionFigures figures =
      figuresOf(family, chip, convolution.format(), kernel->hasAttr("eager"));
  ConvolutionPrice price =
      convolutionPrice(algorithm->kind, chip.design(), figures, workOf(convolution, chip), tile);
  KernelLines lines(of, price.total, family);
  addLines(lines, of, price);
  lines.work(price.body + price.transforms, price.launch);
  lines.power(family, convolution.format(), price.macs);
  // Minimal filtering multiplies less often than the equation.
  double executed = std::min(1.0, price.macs / std::max(1.0, static_cast<double>(needed.macs)));
  return lines.finish(
      compute.macLatency.central() * executed / chip.boost / price.total,
      fmt::format("{} {} {}x{}", library.symbol(), algorithm->family, tile.rows, tile.columns),
      "launch + ((units^p + memory^p)^(q/p) + power^q)^(1/q) + transforms");
}
