// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/Tiles.h"

#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

using Column = std::vector<Tile>;

static double content(const Histogram &histogram) {
  double sum = 0;
  for (const auto &[key, sent] : histogram)
    sum += sent.words;
  return sum;
}

/// Words that arrive at all children together.
static double delivered(const Histogram &histogram) {
  double sum = 0;
  for (const auto &[key, sent] : histogram)
    sum += sent.words * static_cast<double>(key.first);
  return sum;
}

static Column collect(const LoopList &list, const AnalysisResult &analysis, unsigned space) {
  Column column;
  for (unsigned memory = 0; memory < list.blocks.size(); ++memory) {
    const Block &block = list.blocks[memory];
    const Traffic &traffic = analysis.traffic[memory][space];
    Tile tile;
    tile.size = static_cast<int64_t>(traffic.tileSize);
    tile.instances = static_cast<int64_t>(list.inUse[block.boundary]);
    tile.fanout = block.children();
    tile.histogram = traffic.histogram;
    tile.links = traffic.links;
    tile.content = content(tile.histogram);
    column.push_back(std::move(tile));
  }
  return column;
}

static llvm::Optional<unsigned> nextOutward(const Column &column, unsigned memory) {
  for (unsigned outer = memory + 1; outer < column.size(); ++outer)
    if (column[outer].size)
      return outer;
  return llvm::None;
}

/// The part of the tensor that belongs to one instance, from the outermost memory inward: a child
/// holds its tile's share of what the array below its parent holds.
static void partition(Column &column, const LoopList &list, const AnalysisResult &analysis,
                      unsigned space) {
  int64_t part = column.back().partition = column.back().size;
  for (size_t memory = column.size() - 1; memory-- > 0;) {
    const Block &parent = list.blocks[memory + 1];
    Tile &tile = column[memory];
    int64_t base = parent.isSpatial()
                       ? static_cast<int64_t>(analysis.traffic[memory + 1][space].senderSize)
                       : tile.size;
    if (base)
      part = static_cast<int64_t>(static_cast<__int128>(part) * tile.size / base);
    tile.partition = part;
  }
}

static void receive(Column &column) {
  for (unsigned memory = 0; memory < column.size(); ++memory) {
    Tile &tile = column[memory];
    llvm::Optional<unsigned> outer = nextOutward(column, memory);
    if (!tile.size || !outer)
      continue;
    const Tile &parent = column[*outer];
    for (const auto &[key, sent] : parent.histogram)
      tile.share +=
          sent.words * static_cast<double>(key.first) / static_cast<double>(parent.fanout);
  }
}

static void clear(Tile &tile) {
  tile.size = tile.partition = 0;
  tile.content = tile.share = 0;
}

/// Hands the traffic of bypassed memories to the next one outward. What lies outside the outermost
/// memory that keeps the tensor loses everything.
static void bypass(Column &column) {
  for (unsigned memory = 0; memory < column.size(); ++memory) {
    Tile &tile = column[memory];
    if (!tile.size || tile.keep)
      continue;
    llvm::Optional<unsigned> outer = nextOutward(column, memory);
    if (!outer) {
      clear(tile);
      break;
    }
    Tile &parent = column[*outer];
    double factor = tile.content * static_cast<double>(parent.fanout) / delivered(parent.histogram);
    for (auto &[key, sent] : parent.histogram)
      sent.words *= factor;
    parent.links = 0;
    parent.content = content(parent.histogram);
    clear(tile);
  }
  for (size_t memory = column.size(); memory-- > 0;) {
    Tile &tile = column[memory];
    if (tile.keep) {
      tile.share = 0;
      return;
    }
    clear(tile);
    tile.histogram.clear();
    tile.links = 0;
    tile.fanout = 0;
  }
}

static void exchange(Column &column) {
  for (size_t memory = 0; memory + 1 < column.size(); ++memory)
    if (column[memory + 1].links != 0)
      column[memory].peer =
          column[memory + 1].links / static_cast<double>(column[memory].instances);
}

static Count toCount(double value, Tile &tile) {
  if (value < 0)
    tile.wrapped = true;
  return static_cast<Count>(static_cast<int64_t>(value));
}

static void count(Tile &tile, bool readWrite, bool isOutermost) {
  if (!tile.size)
    return;
  if (!readWrite) {
    tile.reads = toCount(std::round(tile.content + tile.peer), tile);
    tile.fills = toCount(std::trunc(tile.share + tile.peer), tile);
    return;
  }
  double first = tile.rmwFirst ? 0 : static_cast<double>(tile.partition);
  tile.updates = toCount(std::round(tile.content), tile);
  tile.reads = tile.reductions = toCount(std::round(tile.content + tile.peer - first), tile);
  tile.fills = toCount(std::round(tile.share + tile.peer - (isOutermost ? 0 : first)), tile);
}

Tiles timeloop::countTiles(const Input &input, const LoopList &list,
                           const AnalysisResult &analysis) {
  Tiles tiles;
  for (unsigned space = 0; space < input.spaceCount(); ++space) {
    Column column = collect(list, analysis, space);
    for (unsigned memory = 0; memory < column.size(); ++memory) {
      column[memory].keep = input.placements[memory].keep[space];
      column[memory].rmwFirst = input.placements[memory].rmwFirstUpdate[space];
    }
    partition(column, list, analysis, space);
    receive(column);
    bypass(column);
    exchange(column);
    for (unsigned memory = 0; memory < column.size(); ++memory) {
      column[memory].parent = nextOutward(column, memory);
      count(column[memory], input.problem.spaces[space].readWrite, !column[memory].parent);
    }
    tiles.push_back(std::move(column));
  }
  return tiles;
}
