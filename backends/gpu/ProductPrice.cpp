// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/ProductPrice.h"

#include "backends/gpu/Limits.h"
#include <limits>

using namespace perfc;
using namespace perfc::gpu;

ProductPricer::ProductPricer(const Design &design, const FamilyFigures &family, TileList tiles)
    : design(design), family(family), tiles(std::move(tiles)) {}

bool TileList::serves(size_t tile, const ProductWork &work) const {
  for (const Words &some : words)
    if (tile >= some.begin && tile < some.end && work.alignment < some.bytes)
      return false;
  return true;
}

double FamilyFigures::stepProducts(double elementBytes) const {
  return std::max(1.0, std::floor(step / elementBytes));
}

namespace {

/// What does not depend on the tile.
struct Terms {
  double stepProducts;      ///< q
  double steps;             ///< of a whole sum
  double perMac;            ///< time of a multiply-accumulate on one unit
  double perResult;         ///< time to write an element
  double perLeft, perRight; ///< time of a product's factor to arrive, by row and column of a tile
  double memory, cache, power;
  double readBytes, writtenBytes;
  double perByte; ///< of the outermost memory, reached
  double held;    ///< share of all tensors that the cache holds
  double overlap, split;
};

/// What a candidate takes.
struct Times {
  double waves, products, units, loads, memory, readBytes;
};

} // namespace

/// How much longer factors take to arrive where rows are whole words of so many bytes: in 16 bits
/// and tf32 libraries have kernels that copy 16 or 4 bytes at a time, or load 2 into registers.
static double arrivalInWords(double alignment, const FamilyFigures &family) {
  constexpr double widest = 16, leastCopy = 4, storedAgain = 2;
  if (alignment >= widest)
    return 1;
  if (alignment >= leastCopy)
    return family.narrowCopies * widest / leastCopy;
  return storedAgain * widest / alignment;
}

static Terms termsOf(const Design &design, const FamilyFigures &family, const ProductWork &work) {
  Terms terms;
  terms.stepProducts = family.stepProducts(work.leftSize);
  terms.steps = std::ceil(work.k / terms.stepProducts);
  constexpr double reachOfPages = 32768; // bytes of a row from which each lies in a page of its own
  double doublings = std::max(0.0, std::log2(work.k * work.leftSize / reachOfPages));
  double longer = 1 + family.pitch * doublings;
  terms.perMac = longer * over(family.products * design.units, work.rate);
  terms.perResult = family.epilogue * work.resultSize * over(design.units, design.bandwidth);
  double own = over(work.rate * work.leftSize, design.units); // two operations of two bytes each
  double arrival = longer * over(family.edge, family.hasOwnCore ? own : design.core);
  terms.overlap = family.overlap > 0 ? family.overlap : design.overlap;
  if (work.leftSize == 2 || work.isTf32)
    arrival *= arrivalInWords(work.alignment, family);
  terms.perLeft = work.leftSize * arrival;
  terms.perRight = work.rightSize * arrival;
  double others = work.leftBytes + work.resultBytes + work.otherBytes;
  double cache = design.cache * (family.raster > 0 ? family.raster : 1);
  double held = work.isCold ? 0 : heldShare(others + work.rightBytes, cache);
  double heldRight = held;
  if (!work.isCold && work.copies > 0 && work.rightBytes > 0)
    heldRight = heldShare(others + work.copies * work.rightBytes, design.cache);
  terms.writtenBytes = work.resultBytes * (1 - held);
  terms.readBytes =
      work.rightBytes * (1 - heldRight) + (work.leftBytes + work.otherBytes) * (1 - held);
  terms.perByte =
      over(1, design.bandwidth * (family.reached > 0 ? family.reached : design.reached));
  terms.held = held;
  terms.memory = (terms.readBytes + terms.writtenBytes) * terms.perByte;
  terms.split = family.split >= 0 ? family.split : design.split;
  terms.cache = family.raster > 0 ? 0 : over(others + work.rightBytes, design.cacheBandwidth);
  double limit = std::max(family.powerShare * design.power - family.board, design.power / 5);
  terms.power = over(work.batch * work.m * work.n * work.k * work.energy, limit);
  return terms;
}

/// Bytes of both factors that are read where `tile` is run row by row of the result: each set of
/// blocks that run at a time reads its rows and columns, unless a factor of the batch stays in the
/// cache.
static double rasterBytes(const Design &design, const FamilyFigures &family,
                          const ProductWork &work, const Tile &tile, double depth) {
  constexpr double resultsAtATime = 128 * 256;
  double down = std::ceil(work.m / tile.rows), across = std::ceil(work.n / tile.columns);
  double blocks = work.batch * down * across * tile.split;
  double each = std::clamp(std::floor(resultsAtATime / (tile.rows * tile.columns)), 1.0, 2.0);
  double run = std::min(blocks, design.units * each);
  double columns = std::min(run, across), rows = std::clamp(run / across, 1.0, down);
  double once = work.leftBytes + work.rightBytes;
  double again = blocks / (rows * columns) * depth *
                 (columns * tile.columns * work.rightSize + rows * tile.rows * work.leftSize);
  double ratio = over(once / work.batch, family.raster * design.cache);
  double stays = 1 / (1 + ratio * ratio * ratio * ratio);
  return once * stays + std::max(once, again) * (1 - stays);
}

static Times timesOf(const Design &design, const FamilyFigures &family, const Terms &terms,
                     const ProductWork &work, const Tile &tile) {
  Times times;
  double steps = std::ceil(terms.steps / tile.split);
  double depth = steps * terms.stepProducts;
  double share = work.batch * std::ceil(work.m / tile.rows) * std::ceil(work.n / tile.columns) *
                 tile.split / design.units;
  times.waves = std::max(1.0, family.lastWave * std::ceil(share) + (1 - family.lastWave) * share);
  double results = tile.rows * tile.columns, products = results * depth * terms.perMac;
  double stepping = steps * family.stepTime;
  double both =
      family.overlapsSteps ? normOf(design.overlap, {products, stepping}) : products + stepping;
  times.products = times.waves * products;
  times.units = times.waves * (both + results * terms.perResult);
  times.loads = times.waves * depth * (tile.rows * terms.perLeft + tile.columns * terms.perRight);
  times.readBytes = terms.readBytes;
  if (family.raster > 0)
    times.readBytes = rasterBytes(design, family, work, tile, depth) * (1 - terms.held);
  times.memory = (times.readBytes + terms.writtenBytes) * terms.perByte;
  return times;
}

/// False for a split that leaves a part without work, parts of less than 128 products, or more than
/// four parts for each unit.
static bool isSplitWell(const Design &design, const Terms &terms, const ProductWork &work,
                        const Tile &tile) {
  if (tile.split <= 1)
    return true;
  double steps = std::ceil(terms.steps / tile.split);
  double blocks =
      work.batch * std::ceil(work.m / tile.rows) * std::ceil(work.n / tile.columns) * tile.split;
  return steps * terms.stepProducts >= 128 && std::ceil(terms.steps / steps) == tile.split &&
         blocks < 4 * design.units;
}

/// What the limits add up to.
static double bodyOf(const FamilyFigures &family, const Terms &terms, const Times &times) {
  double p = terms.overlap;
  if (family.powerOverlap == 0)
    return normOf(p, {times.units, times.loads, times.memory, terms.cache, terms.power});
  double work = normOf(p, {times.units, times.loads, times.memory, terms.cache});
  return normOf(family.powerOverlap, {work, terms.power});
}

/// Adding up the parts of a split sum.
static double splitTime(const FamilyFigures &family, const Terms &terms, const ProductWork &work,
                        double split) {
  if (split <= 1)
    return 0;
  double results = work.batch * work.m * work.n * work.resultSize;
  return terms.split + (family.splitWrites ? split * results * terms.perByte : 0);
}

namespace {

/// The best of the tiles that are tried.
class Trial {
public:
  Trial(const Design &design, const FamilyFigures &family, const ProductWork &work)
      : design(design), family(family), work(work), terms(termsOf(design, family, work)) {}

  void run(const TileList &tiles, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      if (tiles.serves(i, work))
        attempt({tiles.rows[i], tiles.columns[i], tiles.splits[i]});
  }
  llvm::Optional<Tile> found;

private:
  void attempt(const Tile &tile);

  const Design &design;
  const FamilyFigures &family;
  const ProductWork &work;
  Terms terms;
  double best = std::numeric_limits<double>::infinity();
};

} // namespace

void Trial::attempt(const Tile &tile) {
  double staged = (tile.rows * work.leftSize + tile.columns * work.rightSize) * terms.stepProducts;
  if ((design.staging > 0 && staged > design.staging) || !isSplitWell(design, terms, work, tile))
    return;
  Times times = timesOf(design, family, terms, work, tile);
  double after = splitTime(family, terms, work, tile.split);
  // No sum of limits is below the largest, so most tiles need no powers.
  double least = std::max({times.units, times.loads, times.memory, terms.cache, terms.power});
  if (least + after >= best)
    return;
  double time = after + bodyOf(family, terms, times);
  if (time >= best)
    return;
  best = time;
  found = tile;
}

llvm::Optional<Tile> ProductPricer::fastest(const ProductWork &work) const {
  Trial trial(design, family, work);
  for (const TileList::Rule &rule : tiles.rules)
    if (work.m <= rule.upTo) {
      trial.run(tiles, rule.begin, rule.end);
      if (trial.found)
        return trial.found;
    }
  size_t begin = 0;
  for (const TileList::Rule &rule : tiles.rules) {
    trial.run(tiles, begin, rule.begin);
    begin = rule.end;
  }
  trial.run(tiles, begin, tiles.size());
  return trial.found;
}

ProductPrice ProductPricer::price(const ProductWork &work, const Tile &tile) const {
  Terms terms = termsOf(design, family, work);
  Times times = timesOf(design, family, terms, work, tile);
  ProductPrice price;
  price.products = over(work.batch * work.m * work.n * work.k, work.rate);
  price.tail = std::max(0.0, times.products - price.products);
  price.blocks = times.units - std::max(times.products, price.products);
  price.units = times.units;
  price.loads = times.loads;
  price.memory = times.memory;
  price.cache = terms.cache;
  price.power = terms.power;
  price.body = bodyOf(family, terms, times);
  price.launch = design.launch + family.launch + family.host;
  if (work.batch * work.m == 1)
    price.launch += family.oneRow;
  price.split = splitTime(family, terms, work, tile.split);
  if (family.quantises) {
    price.launch += family.quantiseLaunch;
    double elements = work.batch * work.m * work.k;
    price.quantiseReadBytes = 2 * elements; // 16 bits
    price.quantiseWrittenBytes = work.leftSize * elements;
    double bytes = price.quantiseReadBytes + price.quantiseWrittenBytes;
    double rows = std::ceil(work.batch * work.m / design.units) *
                  (family.quantiseRow + family.quantiseElement * work.k);
    price.quantise = normOf(terms.overlap, {rows, over(bytes, design.bandwidth * design.reached)});
  }
  price.total = price.launch + price.quantise + price.body + price.split;
  price.readBytes = times.readBytes;
  price.writtenBytes = terms.writtenBytes;
  return price;
}
