// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/sparse/SparseTiles.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

/// Occupancies that are looked at one by one.
static constexpr int64_t maxOccupancies = 4'000'000;

static bool isCompressing(RankFormat format) {
  return format == RankFormat::B || format == RankFormat::RLE || format == RankFormat::CP;
}

/// The forms that the input gives; ranks are turned innermost first.
static void takeForm(const Input &input, unsigned space, unsigned memory, SparseTile &tile) {
  const Representation *given = input.sparse.representation(memory, space);
  if (!given || given->ranks.empty())
    return;
  tile.hasMetadata = true;
  tile.form = given;
  for (const Rank &rank : llvm::reverse(given->ranks))
    tile.formats.push_back(rank.format);
  tile.isCompressed = llvm::any_of(tile.formats, isCompressing);
}

static void add(RankCounts &sum, const RankCounts &units, double weight) {
  sum.resize(units.size());
  for (size_t rank = 0; rank < units.size(); ++rank) {
    sum[rank].metadata += weight * units[rank].metadata;
    sum[rank].payload += weight * units[rank].payload;
  }
}

/// Means over what a tile may hold. When its parent knows which tiles are empty, those are never
/// sent, and only the others count.
static void expectContents(const SparseState &state, unsigned space, SparseTile &tile) {
  const DensityModel &density = state.densities[space];
  int64_t least = density.least(tile.shape);
  std::vector<double> chances = density.probabilities(tile.shape);
  bool isKnown = tile.parent && state.tiles[space][*tile.parent].hasMetadata;
  if (isKnown && least == 0 && chances[0] != 0) {
    double filled = 1 - chances[0];
    tile.averageInstances *= filled;
    for (double &chance : chances)
      chance /= filled;
    chances[0] = 0;
  }
  for (size_t i = 0; i < chances.size(); ++i) {
    if (chances[i] == 0)
      continue;
    int64_t occupancy = least + static_cast<int64_t>(i);
    tile.expected += chances[i] * static_cast<double>(occupancy);
    if (tile.hasMetadata)
      add(tile.expectedRanks, rankUnits(tile, density, occupancy), chances[i]);
  }
  tile.stored = tile.hasMetadata ? density.most(tile.shape) : tile.shape;
}

/// A compressed tile fills its last block only in part; with few blocks that costs some more.
static double blockRatio(const DensityModel &density, const SparseTile &tile, int64_t block) {
  double mean = tile.density();
  if (!tile.isCompressed || block < 2 || mean >= 1)
    return 1;
  double tenths = mean >= 0.1 ? std::floor(mean / 0.1) : 1, width = static_cast<double>(block);
  double enough = std::ceil(500 * (1 - 1 / width) / tenths);
  if (enough <= static_cast<double>(tile.shape / block))
    return 1;
  int64_t least = density.least(tile.shape);
  std::vector<double> chances = density.probabilities(tile.shape);
  double blocks = 0;
  for (size_t i = 0; i < chances.size(); ++i)
    blocks += std::ceil(static_cast<double>(least + static_cast<int64_t>(i)) / width) * chances[i];
  return blocks / (static_cast<double>(tile.shape) * mean / width);
}

static bool checkSize(const SparseState &state, unsigned space, const SparseTile &tile,
                      DiagnosticEngine &diagnostics) {
  const DensityModel &density = state.densities[space];
  if (density.most(tile.shape) - density.least(tile.shape) <= maxOccupancies)
    return true;
  diagnostics.report(state.input.sparse.place, diag::TimeloopTooLarge,
                     "a sparse tile of `" + state.input.problem.spaces[space].name +
                         "` may hold more than 4 million different numbers of elements");
  return false;
}

bool timeloop::describeTiles(SparseState &state, DiagnosticEngine &diagnostics) {
  for (unsigned space = 0; space < state.input.spaceCount(); ++space) {
    std::vector<SparseTile> &column = state.tiles[space];
    for (unsigned memory = 0; memory < column.size(); ++memory) {
      if (column[memory].shape)
        takeForm(state.input, space, memory, column[memory]);
    }
    if (!assignRanks(state, space, diagnostics))
      return false;
    for (unsigned memory = 0; memory < column.size(); ++memory) {
      SparseTile &tile = column[memory];
      if (!tile.shape)
        continue;
      if (!checkSize(state, space, tile, diagnostics))
        return false;
      expectContents(state, space, tile);
      tile.blockRatio = blockRatio(state.densities[space], tile,
                                   state.input.memories[memory].attributes.blockSize);
    }
  }
  return true;
}
