// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/ExpertPrice.h"

#include "backends/gpu/Limits.h"

using namespace perfc;
using namespace perfc::gpu;

namespace {
/// One of the grouped products.
struct Grouped {
  double units, products, memory, cache, power, body;
};
/// The time of a byte from memory, and what the last cache has of the weights.
struct Traffic {
  double perByte, held;
};
} // namespace

static Traffic trafficOf(const Design &design, const ExpertFigures &figures, const ExpertWork &work,
                         double active) {
  Traffic traffic{over(1, design.bandwidth * design.reached * figures.reached), 0};
  if (work.copies == 0)
    return traffic;
  double bytes = work.rows * work.rowBytes + work.tokens * work.tokenBytes;
  for (const GroupedExtents &extents : work.products)
    bytes += work.copies * active * extents.n * extents.k * work.weightSize;
  traffic.held = heldShare(bytes, design.cache);
  return traffic;
}

static Grouped groupedTimes(const Design &design, const ExpertFigures &figures,
                            const ExpertWork &work, const Tile &tile, const GroupedExtents &extents,
                            const ExpertPrice &price, double rowTiles, const Traffic &traffic) {
  Grouped times;
  double share = rowTiles * std::ceil(extents.n / tile.columns) / design.units;
  double waves =
      std::max(1.0, figures.lastWave * std::ceil(share) + (1 - figures.lastWave) * share);
  double atRate = over(design.units, work.rate);
  double lost = 2 * figures.loss * over(1, design.core * work.narrow);
  double macs = tile.rows * tile.columns * extents.k;
  double stepProducts = std::max(1.0, std::floor(figures.step / work.leftSize));
  double steps = std::ceil(extents.k / stepProducts) * figures.stepTime;
  // Blocks that share a unit wait together, while what they multiply adds up.
  steps *= std::max(1.0, waves / figures.resident) / waves;
  constexpr double stepOverlap = 3;
  times.units = waves * (normOf(stepOverlap, {macs * (atRate + lost), steps}) + figures.blockTime);
  // The ranks' loads are alike, so that rows of others fill as many tiles each.
  times.units += share * over(work.moved - work.rows, work.rows) * figures.otherTime;
  times.products = over(work.rows * extents.n * extents.k, work.rate);
  double weights = price.active * extents.n * extents.k * work.weightSize;
  double rows = work.rows * extents.k * work.leftSize;
  times.memory = (weights * (1 - traffic.held) + rows) * traffic.perByte;
  times.cache = over(weights + rows, design.cacheBandwidth);
  times.power = over(work.rows * extents.n * extents.k * work.energy, design.power);
  times.body = normOf(figures.overlap, {times.units, times.memory, times.cache, times.power});
  return times;
}

ExpertPrice gpu::expertPrice(const Design &design, const ExpertFigures &figures,
                             const ExpertWork &work, const Tile &tile) {
  ExpertPrice price;
  double rowTiles = 0;
  for (const passes::ExpertRows &load : work.loads) {
    price.active += load.experts;
    rowTiles += load.experts * std::ceil(load.rows / tile.rows);
  }
  Traffic traffic = trafficOf(design, figures, work, price.active);
  double perByte = traffic.perByte, bytes = 0;
  for (const GroupedExtents &extents : work.products) {
    Grouped times = groupedTimes(design, figures, work, tile, extents, price, rowTiles, traffic);
    price.units += times.units;
    price.products += times.products;
    price.memory += times.memory;
    price.cache += times.cache;
    price.power += times.power;
    price.body += times.body;
    price.blocks += rowTiles * std::ceil(extents.n / tile.columns);
    bytes += over(times.memory, perByte);
  }
  double moved = work.moved * work.rowBytes, gathered = work.tokens * work.tokenBytes;
  price.moves = (figures.moves * moved + figures.tokenMoves * gathered) * perByte;
  price.memoryBytes = bytes + moved + gathered;
  price.launch = figures.launch;
  price.choices = figures.choiceTime * work.choices;
  price.total = price.launch + price.body + price.moves + price.choices;
  return price;
}

llvm::Optional<Tile> gpu::fastestExpertTile(const Design &design, const ExpertFigures &figures,
                                            const ExpertWork &work, const TileList &tiles) {
  constexpr double fewRows = 16;
  double largest = fewRows;
  for (const passes::ExpertRows &load : work.loads)
    largest = std::max(largest, load.rows);
  llvm::Optional<Tile> found;
  double best = 0;
  for (size_t i = 0; i < tiles.size(); ++i) {
    Tile tile{tiles.rows[i], tiles.columns[i], 1};
    if (tile.rows > 2 * largest)
      continue;
    double time = expertPrice(design, figures, work, tile).body;
    if (found && time >= best)
      continue;
    best = time;
    found = tile;
  }
  return found;
}
