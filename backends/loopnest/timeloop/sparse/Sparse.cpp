// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/sparse/Sparse.h"

#include "backends/loopnest/timeloop/sparse/Arithmetic.h"
#include "ir/common/diagnostics/Timeloop.h"
#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

/// The dense counts, and which memory holds a tensor next inward and outward.
static SparseTiles startTiles(const Tiles &tiles) {
  SparseTiles result;
  for (const std::vector<Tile> &column : tiles) {
    result.emplace_back(column.size());
    llvm::Optional<unsigned> inner;
    for (unsigned memory = 0; memory < column.size(); ++memory) {
      const Tile &dense = column[memory];
      SparseTile &tile = result.back()[memory];
      tile.averageInstances = static_cast<double>(dense.instances);
      if (!dense.size)
        continue;
      tile.shape = dense.size;
      tile.child = inner;
      if (inner)
        result.back()[*inner].parent = memory;
      inner = memory;
      tile.reads = static_cast<double>(dense.reads);
      tile.fills = static_cast<double>(dense.fills);
      tile.updates = static_cast<double>(dense.updates);
      tile.reductions = static_cast<double>(dense.reductions);
    }
  }
  return result;
}

static Outcome outcome(const Fates &fates) {
  return {static_cast<Count>(fates.random), static_cast<Count>(fates.gated),
          static_cast<Count>(fates.skipped)};
}

/// What a rank says of its words, `byDefault` if nothing. No word lies across two rows of the
/// metadata: it takes as many more bits as make a row hold a whole number of them.
static double wordBits(llvm::Optional<int64_t> own, int64_t byDefault,
                       const Attributes &attributes) {
  int64_t bits = own.getValueOr(byDefault);
  if (own && *own > 0)
    while (bits < 2 * *own && attributes.metadataWidth % bits != 0)
      ++bits;
  return static_cast<double>(bits);
}

/// Bits of the metadata that `ranks` counts: a word each, but a bit mask has one bit per
/// coordinate.
static double bits(const SparseTile &tile, const RankCounts &ranks, const Attributes &attributes) {
  int64_t word = attributes.metadataWordBits;
  double sum = 0;
  for (size_t inner = 0; inner < ranks.size(); ++inner) {
    const Rank &rank = tile.rank(inner);
    int64_t mark = rank.format == RankFormat::B ? std::min<int64_t>(word, 1) : word;
    sum += ranks[inner].metadata * wordBits(rank.metadataBits, mark, attributes) +
           ranks[inner].payload * wordBits(rank.payloadBits, word, attributes);
  }
  return sum;
}

namespace {

/// Energy of metadata: whole rows of its storage, by what became of the access.
class MetadataEnergy {
public:
  explicit MetadataEnergy(const Level &level) : level(level) {}

  double of(const SparseTile &tile) const {
    return sum(tile, tile.read, {"read"}) + sum(tile, tile.fill, {"fill", "write"}) +
           sum(tile, tile.update, {"update", "write"});
  }

private:
  double sum(const SparseTile &tile, const Fates &fates,
             llvm::ArrayRef<llvm::StringRef> verbs) const {
    return rows(tile, fates.randomRanks) * energy({"random_metadata_", "metadata_"}, verbs) +
           rows(tile, fates.gatedRanks) * energy({"gated_metadata_"}, verbs) +
           rows(tile, fates.skippedRanks) * energy({"skipped_metadata_", "gated_metadata_"}, verbs);
  }
  double rows(const SparseTile &tile, const RankCounts &ranks) const {
    int64_t width = level.attributes.metadataWidth;
    return width ? std::ceil(bits(tile, ranks, level.attributes) / static_cast<double>(width)) : 0;
  }
  double energy(llvm::ArrayRef<llvm::StringRef> prefixes,
                llvm::ArrayRef<llvm::StringRef> verbs) const {
    for (llvm::StringRef prefix : prefixes)
      for (llvm::StringRef verb : verbs)
        if (llvm::Optional<double> value = level.energy(llvm::StringRef(prefix.str() + verb.str())))
          return *value;
    return 0;
  }
  const Level &level;
};

} // namespace

/// Energy of an uncompressed tile below a compressed one: words that come in are expanded, and
/// results that the parent gets are compressed.
static double conversionEnergy(llvm::ArrayRef<SparseTile> column, const SparseTile &tile,
                               bool readWrite, const Level &level) {
  if (tile.isCompressed || !tile.parent || !column[*tile.parent].isCompressed)
    return 0;
  double results = readWrite ? column[*tile.parent].update.random : 0;
  return tile.fill.random * level.energy(llvm::StringRef("decompression_count")).getValueOr(0) +
         results * level.energy(llvm::StringRef("compression_count")).getValueOr(0);
}

static SpaceActions actionsOf(llvm::ArrayRef<SparseTile> column, unsigned memory, bool readWrite,
                              const Level &level) {
  const SparseTile &tile = column[memory];
  SpaceActions actions;
  actions.read = outcome(tile.read);
  actions.fill = outcome(tile.fill);
  actions.update = outcome(tile.update);
  actions.reductions = static_cast<Count>(tile.reductions);
  actions.instances = tile.averageInstances;
  actions.blockRatio = tile.blockRatio;
  actions.metadataEnergy =
      MetadataEnergy(level).of(tile) + conversionEnergy(column, tile, readWrite, level);
  double dataBits = static_cast<double>(level.attributes.wordBits);
  auto words = [&](std::initializer_list<const RankCounts *> counts) {
    double total = 0;
    for (const RankCounts *ranks : counts)
      total += bits(tile, *ranks, level.attributes);
    return std::floor(total / dataBits);
  };
  actions.metadataReads = words({&tile.read.randomRanks, &tile.read.gatedRanks});
  actions.metadataWrites = words({&tile.fill.randomRanks, &tile.fill.gatedRanks,
                                  &tile.update.randomRanks, &tile.update.gatedRanks});
  return actions;
}

/// The instances in use where lanes are skipped: each tensor has its own at a memory, and the
/// arithmetic the most that any has. Returns the latter's mean.
static double useLanes(const LaneTable &lanes, const Tiles &tiles, SparseState &state,
                       ComputeResult &compute) {
  double share = 0;
  Lanes most{0, 0};
  for (unsigned space = 0; space < lanes.size(); ++space) {
    const Lanes &ofCompute = lanes[space].front();
    share = std::max(share, ofCompute.share);
    most.x = std::max(most.x, ofCompute.x);
    most.y = std::max(most.y, ofCompute.y);
    for (unsigned memory = 0; memory < tiles[space].size(); ++memory)
      state.tiles[space][memory].averageInstances =
          static_cast<double>(tiles[space][memory].instances) * lanes[space][memory + 1].share;
  }
  double used = static_cast<double>(compute.averageInstances) * share;
  compute.usedInstances = most.x * most.y;
  compute.averageInstances = static_cast<int64_t>(used);
  return used;
}

static bool checkInputs(const Input &input, const LoopList &list, DiagnosticEngine &diagnostics) {
  if (list.raggedDims.empty())
    return true;
  diagnostics.report(input.sparse.place, diag::TimeloopNotModelled,
                     "sparse optimizations with ragged factors");
  return false;
}

llvm::Optional<Actions> timeloop::applySparsity(const Input &input, const LoopList &list,
                                                Tiles &tiles, ComputeResult &compute,
                                                DiagnosticEngine &diagnostics) {
  if (!checkInputs(input, list, diagnostics))
    return llvm::None;
  FullNest nest(input, list);
  SparseState state{input, nest, {}, startTiles(tiles)};
  for (unsigned space = 0; space < input.spaceCount(); ++space)
    state.densities.emplace_back(input.sparse.density(space),
                                 nest.elements(space, input.problem.bounds));
  if (!describeTiles(state, diagnostics))
    return llvm::None;
  llvm::Optional<LaneTable> lanes;
  if (input.sparse.skipsLanes() && !(lanes = skipLanes(state, diagnostics)))
    return llvm::None;
  llvm::Optional<SavingEffects> effects =
      savingEffects(state, lanes ? lanes.getPointer() : nullptr, diagnostics);
  if (!effects)
    return llvm::None;
  OperandSavings savings = applySavings(state, *effects, compute.algorithmic);
  llvm::Optional<ComputeActions> left = sparseCompute(state, savings, diagnostics);
  if (!left)
    return llvm::None;
  Actions actions;
  actions.compute = *left;
  compute.actual = left->random;
  compute.gated = left->gated;
  compute.skipped = left->skipped;
  double used = lanes ? useLanes(*lanes, tiles, state, compute)
                      : static_cast<double>(compute.averageInstances);
  compute.cycles = std::ceil((left->random + left->gated) / used);
  for (unsigned space = 0; space < input.spaceCount(); ++space) {
    actions.spaces.emplace_back();
    for (unsigned memory = 0; memory < input.memories.size(); ++memory) {
      const SparseTile &tile = state.tiles[space][memory];
      if (tile.shape)
        tiles[space][memory].size = tile.stored;
      actions.spaces.back().push_back(actionsOf(state.tiles[space], memory,
                                                input.problem.spaces[space].readWrite,
                                                input.memories[memory]));
      if (lanes) {
        const Lanes &needed = (*lanes)[space][memory + 1];
        actions.spaces.back().back().most = needed.x * needed.y;
      }
    }
  }
  return actions;
}
