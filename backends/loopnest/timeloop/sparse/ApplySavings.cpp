// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/sparse/SparseTiles.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

namespace {

/// The accesses of one tile that are left, before it is settled what becomes of them.
struct Left {
  double reads = 0, fills = 0, updates = 0;
  RankCounts readRanks, fillRanks, updateRanks;
};

/// One tensor: its memories from the outermost inward.
class ColumnSavings {
public:
  ColumnSavings(std::vector<SparseTile> &column, const std::vector<SavingEffect> &effects,
                bool readWrite)
      : column(column), effects(effects), readWrite(readWrite), left(column.size()),
        isSettled(column.size(), false) {}

  void run();
  /// Probabilities that reach the arithmetic, from the outermost memory inward.
  std::vector<double> reaching;

private:
  void startAll();
  void reduceInner(unsigned memory, double probability);
  void settle(unsigned memory);
  void save(unsigned memory, double probability);
  void saveRanks(SparseTile &tile, double probability, SavingKind kind);

  std::vector<SparseTile> &column;
  const std::vector<SavingEffect> &effects;
  bool readWrite;
  std::vector<Left> left;
  std::vector<bool> isSettled;
};

} // namespace

/// Words of the ranks for `count` accesses of a dense tile of `shape` words.
static RankCounts rankAccesses(const SparseTile &tile, double count) {
  RankCounts result;
  double ratio = count / static_cast<double>(tile.shape);
  for (const RankUnits &units : tile.expectedRanks)
    result.push_back({std::ceil(units.metadata * ratio), std::ceil(units.payload * ratio)});
  return result;
}

/// With metadata, words that are zero are never touched.
void ColumnSavings::startAll() {
  for (size_t memory = 0; memory < column.size(); ++memory) {
    SparseTile &tile = column[memory];
    Left &start = left[memory];
    start.reads = tile.reads;
    start.fills = tile.fills;
    start.updates = tile.updates;
    if (!tile.shape || !tile.hasMetadata)
      continue;
    double zeros = std::max(0.0, 1 - tile.density());
    start.reads -= std::floor(tile.reads * zeros);
    start.fills -= std::floor(tile.fills * zeros);
    if (readWrite)
      start.updates -= std::floor(tile.updates * zeros);
    start.readRanks = rankAccesses(tile, tile.reads);
    start.fillRanks = rankAccesses(tile, tile.fills);
    start.updateRanks = rankAccesses(tile, tile.updates);
  }
}

void ColumnSavings::settle(unsigned memory) {
  SparseTile &tile = column[memory];
  const Left &rest = left[memory];
  tile.read.random = rest.reads;
  tile.fill.random = rest.fills;
  tile.update.random = rest.updates;
  tile.read.randomRanks = rest.readRanks;
  tile.fill.randomRanks = rest.fillRanks;
  tile.update.randomRanks = rest.updateRanks;
}

static double takeShare(double &random, double probability) {
  double taken = std::floor(random * probability);
  random -= taken;
  return taken;
}

/// Only the ranks that go to the child are saved.
void ColumnSavings::saveRanks(SparseTile &tile, double probability, SavingKind kind) {
  size_t sent = tile.child ? column[*tile.child].formats.size() : tile.formats.size();
  for (Fates *fates : {&tile.read, &tile.update}) {
    RankCounts &saved = kind == SavingKind::Gating ? fates->gatedRanks : fates->skippedRanks;
    saved.resize(fates->randomRanks.size());
    for (size_t rank = 0; rank < std::min(sent, saved.size()); ++rank) {
      saved[rank].metadata += takeShare(fates->randomRanks[rank].metadata, probability);
      saved[rank].payload += takeShare(fates->randomRanks[rank].payload, probability);
    }
  }
}

/// The share that is saved of what a saving of `outer` further out leaves.
static double shareOfRest(double probability, double outer) {
  return outer < 1 ? std::max(0.0, 1 - (1 - probability) / (1 - outer)) : 0;
}

/// Takes `probability` of the accesses of a settled tile.
void ColumnSavings::save(unsigned memory, double probability) {
  SparseTile &tile = column[memory];
  SavingKind kind = effects[memory].kind;
  double reads = tile.read.random * probability;
  reads = readWrite ? std::ceil(reads) : std::floor(reads);
  tile.read.random -= reads;
  double updates = takeShare(tile.update.random, probability);
  (kind == SavingKind::Gating ? tile.read.gated : tile.read.skipped) += reads;
  (kind == SavingKind::Gating ? tile.update.gated : tile.update.skipped) += updates;
  saveRanks(tile, probability, kind);
  if (readWrite && tile.shape && tile.updates > 0)
    tile.reductions = std::ceil(tile.reductions * tile.update.random / tile.updates);
}

/// The accesses that never come further in, down to the next memory with a saving of its own,
/// which takes what is left to it. Metadata is touched less only where the saving memory has a
/// single rank (the tool's way). Lanes that are skipped save nothing at their own memory.
void ColumnSavings::reduceInner(unsigned memory, double probability) {
  for (unsigned inner = memory; inner-- > 0;) {
    Left &rest = left[inner];
    takeShare(rest.fills, probability);
    takeShare(rest.reads, probability);
    takeShare(rest.updates, probability);
    if (column[inner].hasMetadata && left[memory].readRanks.size() == 1)
      for (RankCounts *ranks : {&rest.fillRanks, &rest.readRanks})
        if (!ranks->empty()) {
          takeShare(ranks->front().metadata, probability);
          takeShare(ranks->front().payload, probability);
        }
    if (!effects[inner].isSaved)
      continue;
    if (effects[inner].kind == SavingKind::Lanes)
      return;
    settle(inner);
    column[inner].read.randomRanks = rest.updateRanks;
    save(inner, shareOfRest(effects[inner].probability, probability));
    isSettled[inner] = true;
    return;
  }
  reaching.push_back(probability);
}

void ColumnSavings::run() {
  startAll();
  for (size_t memory = column.size(); memory-- > 0;) {
    if (!effects[memory].isSaved)
      continue;
    unsigned at = static_cast<unsigned>(memory);
    reduceInner(at, effects[memory].probability);
    if (isSettled[memory] || effects[memory].kind == SavingKind::Lanes)
      continue;
    isSettled[memory] = true;
    settle(at);
    save(at, effects[memory].probability);
  }
  for (unsigned memory = 0; memory < column.size(); ++memory) {
    if (isSettled[memory])
      continue;
    settle(memory);
    SparseTile &tile = column[memory];
    tile.reductions =
        tile.updates > 0 ? std::ceil(tile.reductions * tile.update.random / tile.updates) : 0;
  }
}

OperandSavings timeloop::applySavings(SparseState &state, const SavingEffects &effects,
                                      double computes) {
  OperandSavings result;
  result.computes = computes;
  for (unsigned space = 0; space < state.input.spaceCount(); ++space) {
    bool readWrite = state.input.problem.spaces[space].readWrite;
    ColumnSavings savings(state.tiles[space], effects[space], readWrite);
    savings.run();
    result.isSaved.push_back(false);
    result.emptyShare.push_back(0);
    if (readWrite)
      continue;
    for (double probability : savings.reaching) {
      result.computes -= std::floor(result.computes * probability);
      result.isSaved.back() = true;
      result.emptyShare.back() = std::round(probability * 1000000) / 1000000;
    }
  }
  return result;
}
