// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/ConvolutionPrice.h"

#include "backends/gpu/Limits.h"

using namespace perfc;
using namespace perfc::gpu;

namespace {

/// What blocks compute: `x` by `y` results, sums of `k` products, `batch` times.
struct Blocks {
  double x = 1, y = 1, k = 1, batch = 1;
  double macs() const { return x * y * k * batch; }
};

/// What depends on the kind of kernel.
struct Forms {
  Blocks blocks;
  double memoryBytes = 0;    ///< beside the products
  double transformBytes = 0; ///< before and after them
  double launches = 1;
};

} // namespace

static double toEights(double count) { return std::ceil(count / 8) * 8; }

static Forms formsOf(ConvolutionKind kind, const ConvolutionFigures &figures,
                     const ConvolutionWork &work) {
  Forms forms;
  double input = work.inputBytes * figures.inputReads, result = work.resultBytes + work.otherBytes;
  auto tilesOf = [&](double edge) {
    return work.images * std::ceil(work.rows / edge) * std::ceil(work.columns / edge);
  };
  switch (kind) {
  case ConvolutionKind::Implicit:
    forms.blocks = {work.positions(), work.filters, toEights(work.channels * work.window),
                    work.groups};
    forms.memoryBytes = input + work.filterBytes + result;
    break;
  case ConvolutionKind::Winograd: {
    constexpr double products = 16, window = 9; // of four positions
    forms.blocks = {tilesOf(2), work.filters, products * toEights(work.channels), work.groups};
    forms.memoryBytes = input + result;
    forms.transformBytes = work.filterBytes * (1 + 2 * products / window);
    break;
  }
  case ConvolutionKind::WinogradSplit: {
    constexpr double products = 36; // of 16 positions
    double tiles = tilesOf(4), each = products * work.size * 2 * tiles * work.groups;
    forms.blocks = {tiles, work.filters, work.channels, products * work.groups};
    forms.transformBytes = figures.transforms * (input + each * (work.channels + work.filters) +
                                                 work.filterBytes * 9 + result);
    forms.launches = 3;
    break;
  }
  case ConvolutionKind::Depthwise:
    forms.blocks = {work.positions(), work.filters, work.window, work.groups};
    forms.memoryBytes = input + work.filterBytes + result;
    break;
  }
  return forms;
}

/// The multiply-accumulates that the power limit counts: padding takes none.
static double workOf(ConvolutionKind kind, const ConvolutionWork &work, const Forms &forms) {
  if (kind == ConvolutionKind::Implicit || kind == ConvolutionKind::Depthwise)
    return work.positions() * work.filters * work.channels * work.window * work.groups;
  double padded = kind == ConvolutionKind::Winograd ? toEights(work.channels) : work.channels;
  return forms.blocks.macs() * work.channels / padded;
}

ConvolutionPrice gpu::convolutionPrice(ConvolutionKind kind, const Design &design,
                                       const ConvolutionFigures &figures,
                                       const ConvolutionWork &work, const Tile &tile) {
  ConvolutionPrice price;
  Forms forms = formsOf(kind, figures, work);
  const Blocks &blocks = forms.blocks;
  double perByte =
      over(1, design.bandwidth * (figures.reached > 0 ? figures.reached : design.reached));
  double area = tile.rows * tile.columns;
  price.blocks =
      std::ceil(blocks.x / tile.rows) * std::ceil(blocks.y / tile.columns) * blocks.batch;
  double perMac = over(figures.products * design.units, work.rate);
  if (kind == ConvolutionKind::Depthwise) {
    price.units = perMac * blocks.macs() / design.units;
  } else {
    double share = price.blocks / design.units;
    double waves = std::max(figures.leastWaves, (share + std::ceil(share)) / 2);
    double feed = 1 + figures.edge * (tile.rows + tile.columns) / area;
    price.units = waves * area * blocks.k * perMac * feed;
  }
  price.macs = workOf(kind, work, forms);
  price.memory = forms.memoryBytes * perByte;
  price.transforms = forms.transformBytes * perByte;
  double limit = std::max(figures.powerShare * design.power - figures.board, design.power / 5);
  price.power = over(price.macs * work.energy, limit);
  price.body = normOf(figures.powerOverlap,
                      {normOf(figures.overlap, {price.units, price.memory}), price.power});
  price.launch = forms.launches * figures.launch + figures.host;
  price.total = price.launch + price.body + price.transforms;
  return price;
}

llvm::Optional<Tile> gpu::fastestConvolutionTile(ConvolutionKind kind, const Design &design,
                                                 const ConvolutionFigures &figures,
                                                 const ConvolutionWork &work,
                                                 const TileList &tiles) {
  constexpr double least = 32;
  Forms forms = formsOf(kind, figures, work);
  llvm::Optional<Tile> found;
  double best = 0;
  for (size_t i = 0; i < tiles.size(); ++i) {
    Tile tile{tiles.rows[i], tiles.columns[i], 1};
    bool isOnly = tiles.size() == 1;
    if (!isOnly && (tile.rows >= 2 * std::max(forms.blocks.x, least) ||
                    tile.columns >= 2 * std::max(forms.blocks.y, least)))
      continue;
    double time = convolutionPrice(kind, design, figures, work, tile).total;
    if (found && time >= best)
      continue;
    best = time;
    found = tile;
  }
  return found;
}
