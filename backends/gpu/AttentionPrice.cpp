// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/AttentionPrice.h"

#include "backends/gpu/Limits.h"
#include <limits>
#include <tuple>

using namespace perfc;
using namespace perfc::gpu;

double AttentionWork::cacheBytes() const {
  return outer() * keysSeen() * (sharesValues ? scoreFeatures : features()) * cacheSize;
}

double AttentionWork::queryBytes() const {
  return outer() * group * queries * features() * querySize;
}

double AttentionWork::macs() const {
  double seen = keysSeen();
  if (isCausal && seen == keys && queries > 1)
    seen -= queries * stride / 2;
  return outer() * group * queries * features() * seen;
}

/// True where the query heads of a group stand beside each other in the rows of a block.
static bool packs(const AttentionFigures &figures, const AttentionWork &work) {
  return figures.isDecode || figures.packs == AttentionFigures::Pack::All ||
         (figures.packs == AttentionFigures::Pack::One && work.queries == 1);
}

/// Rows that share keys.
static double rowsOf(const AttentionFigures &figures, const AttentionWork &work) {
  return work.queries * (packs(figures, work) ? work.group : 1);
}

static double headSize(const AttentionWork &work) {
  return std::max(work.scoreFeatures, work.valueFeatures);
}

/// Keys of a step.
static double stepKeys(const AttentionFigures &figures, const AttentionWork &work,
                       const Tile &tile) {
  return figures.stepElements > 0 ? figures.stepElements / headSize(work) : tile.columns;
}

namespace {

/// One price in the making.
class Pricing {
public:
  Pricing(const Design &design, const AttentionFigures &figures, const AttentionWork &work,
          const Tile &tile)
      : design(design), figures(figures), work(work), tile(tile) {}

  AttentionPrice run();

private:
  void prefill();
  void decode();
  void limits();
  void besides();
  double blocksAtATime(double rows, double keys) const;
  double held(double bytes) const { return heldShare(bytes, design.cache); }
  /// What of `bytes` costs where `passing` pass the last cache.
  double kept(double bytes, double passing) const {
    return bytes * (1 - (1 - figures.cached) * held(passing));
  }

  const Design &design;
  const AttentionFigures &figures;
  const AttentionWork &work;
  const Tile &tile;
  AttentionPrice price;
  double bandwidth = design.reached * design.bandwidth;
};

} // namespace

/// Two at most, where their start is not hidden by what a block does beside it.
double Pricing::blocksAtATime(double rows, double keys) const {
  if (!figures.isSynchronous || design.staging <= 0)
    return 1;
  double bytes = (rows + 2 * keys) * work.scoreFeatures * 2;
  return std::clamp(std::floor(design.staging / bytes), 1.0, 2.0);
}

void Pricing::prefill() {
  bool isPacked = packs(figures, work);
  double rows = rowsOf(figures, work), shown = tile.rows, keys = stepKeys(figures, work, tile);
  double computed =
      headSize(work) > 256 ? std::max(shown, 128.0) : shown; // padded, as units have room
  price.count = work.outer() * (isPacked ? 1 : work.group) * std::ceil(rows / shown);
  price.rows = shown;
  price.keys = keys;

  double steps = std::ceil(work.keys / keys), own = shown * work.stride / keys, average = steps;
  double late = std::ceil(work.queries * work.stride / keys);
  if (work.isCausal && steps > own && late > own)
    average = steps - (late - own) / 2;
  double longest = steps, seen = (work.window + shown) / keys + 0.5;
  if (work.window > 0 && seen < steps) {
    longest = seen;
    average = std::min(seen, average);
  }
  double results = computed * keys;
  double core = figures.hasOwnCore ? 0 : design.core / 2 * work.macsPerCore;
  double lost = figures.products - 1;
  double products = results * work.features() *
                    (over(design.units, work.rate) +
                     (core > 0 ? over(lost, core) : over(lost * design.units, work.rate)));
  double exponentials = figures.exponentials * over(results * design.units, work.exponentials);
  double dequantise = figures.dequantise * headSize(work) / 256;
  double step = normOf(figures.softmaxOverlap, {products, exponentials}) + dequantise;
  double staged = 2 * computed * work.features() +
                  std::min(work.keys, 128.0) * work.features() * work.cacheSize;
  double start = figures.block + figures.fill * over(staged, design.staging);
  double shared = start / blocksAtATime(computed, keys);
  double all = price.count * (shared + average * step);
  double even = all / design.units, after = figures.tail * all / price.count;
  double alone = start + longest * (products + exponentials + dequantise) * figures.chain;
  price.units = std::max(even + after, alone);
  double share = price.count * average / design.units;
  price.products = share * products;
  price.exponentials = share * exponentials;
  price.blocks = price.count * shared / design.units;
  price.tail = price.units - even;
  price.loadedBytes = price.count * (shown * work.scoreFeatures * work.querySize +
                                     average * keys * work.features() * work.cacheSize);
  price.storedBytes = price.count * shown * work.valueFeatures * work.querySize;
  double cache = work.cacheBytes(), query = work.queryBytes();
  double read = kept(cache, cache) + work.otherBytes;
  double moved = kept(query, cache + query);
  price.readBytes = read + moved * work.scoreFeatures / work.features();
  price.writtenBytes = moved * work.valueFeatures / work.features();
}

void Pricing::decode() {
  double rows = rowsOf(figures, work), keys = stepKeys(figures, work, tile);
  bool isByHead = tile.rows == 1;
  double padded = figures.pad > 0 ? std::ceil(rows / figures.pad) * figures.pad : rows;
  price.rows = isByHead ? 1 : std::min(padded, tile.rows);
  price.keys = keys;
  double ways = isByHead ? rows : std::ceil(rows / tile.rows);
  price.count = work.outer() * ways * tile.split;

  double whole = work.keysSeen() / keys;
  double steps =
      isByHead ? std::max(whole / tile.split, 0.1) : std::ceil(std::ceil(whole) / tile.split);
  double kept = work.sharesValues ? work.scoreFeatures : work.features();
  double arrival = over(keys * kept * work.cacheSize, figures.unitBytes);
  double rate = figures.hasOwnCore ? over(work.rate, design.units) : design.core / 2;
  double products = figures.products * over(price.rows * keys * work.features(), rate);
  double start = figures.block / blocksAtATime(64, keys);
  double waves = std::ceil(price.count / design.units);
  price.units = waves * (start + steps * (arrival + products));
  price.products = waves * steps * products;
  price.arrival = waves * steps * arrival;
  price.blocks = waves * start;

  price.loadedBytes = price.count * (price.rows * work.scoreFeatures * work.querySize +
                                     steps * keys * kept * work.cacheSize);
  price.storedBytes = price.count * price.rows * work.valueFeatures * work.querySize;
  double cache = work.cacheBytes(), once = cache * figures.cacheReads;
  double read = once * (1 - (1 - figures.cached) * held(cache)) + work.otherBytes;
  if (isByHead) // of those that share keys a quarter read them from memory again
    read += cache * (rows - 1) / 4;
  double query = work.queryBytes();
  price.readBytes = read + query * work.scoreFeatures / work.features();
  price.writtenBytes = query * work.valueFeatures / work.features();
}

void Pricing::limits() {
  price.memory = over(price.readBytes + price.writtenBytes, bandwidth);
  price.power = over(work.macs() * work.energy, design.power);
  price.body = normOf(figures.overlap, {price.units, price.memory, price.power});
  if (tile.split > 1)
    price.split = figures.split * (1 + figures.splitEach * tile.split);
}

/// Kernels before it, of the same library.
void Pricing::besides() {
  price.launch = figures.launch - (work.appendedBytes > 0 ? 0 : figures.appendLaunch);
  double moved = work.appendedBytes + figures.queryPasses * work.queryBytes();
  if (figures.isDecode) {
    price.append = over(moved, bandwidth);
  } else {
    double memory = over(moved * (1 - held(moved)), bandwidth);
    price.append = normOf(3, {memory, over(moved, figures.unitBytes * design.units)});
  }
  double row = work.heads * work.group * work.scoreFeatures;
  price.quantise = std::ceil(work.sequences * work.queries / design.units) *
                   (figures.quantiseRow + figures.quantiseElement * row);
}

AttentionPrice Pricing::run() {
  figures.isDecode ? decode() : prefill();
  limits();
  besides();
  price.total = price.launch + price.body + price.split + price.quantise + price.append;
  return price;
}

AttentionPrice gpu::attentionPrice(const Design &design, const AttentionFigures &figures,
                                   const AttentionWork &work, const Tile &tile) {
  return Pricing(design, figures, work, tile).run();
}

/// Rows of a block by the library's own limits.
static double limitedRows(const AttentionFigures &figures, const AttentionWork &work, double rows) {
  if (figures.isDecode)
    return rows;
  if (figures.wideRows > 0 && headSize(work) > 64)
    rows = std::min(rows, figures.wideRows);
  return headSize(work) > 256 ? std::min(rows, 64.0) : rows;
}

llvm::Optional<Tile> gpu::fastestAttention(const Design &design, const AttentionFigures &figures,
                                           const TileList &tiles, const AttentionWork &work) {
  size_t begin = tiles.rules.empty() ? 0 : tiles.rules.back().end, end = tiles.size();
  for (const TileList::Rule &rule : tiles.rules)
    if (rowsOf(figures, work) <= rule.upTo) {
      std::tie(begin, end) = std::make_pair(rule.begin, rule.end);
      break;
    }
  llvm::Optional<Tile> best;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = begin; i < end; ++i) {
    Tile tile{limitedRows(figures, work, tiles.rows[i]), tiles.columns[i], tiles.splits[i]};
    double keys = stepKeys(figures, work, tile);
    double rows = figures.pad > 0 ? figures.pad : tile.rows;
    double staged =
        rows * work.scoreFeatures * work.querySize + keys * headSize(work) * work.cacheSize;
    if (design.staging > 0 && staged > design.staging)
      continue;
    tile.split = std::min(tile.split, std::ceil(work.keysSeen() / keys));
    double time = attentionPrice(design, figures, work, tile).total;
    if (time < least) {
      least = time;
      best = tile;
    }
  }
  return best;
}
