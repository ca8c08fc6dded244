// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/sparse/SparseTiles.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::timeloop;

namespace {

/// A loop that steps the tensor, with the elements of the tile that it covers.
struct RelevantLoop {
  unsigned dim;
  int64_t bound;
  int64_t elements;
};

/// Assigns the ranks of one tile.
class RankAssignment {
public:
  RankAssignment(const SparseState &state, unsigned space, unsigned memory)
      : state(state), space(space), memory(memory), tile(state.tiles[space][memory]) {}

  /// The child's ranks are part of this tile's when the parent cuts its tiles beforehand.
  bool isPretiled() const;
  void collectLoops();
  void coverInnerLoops();
  /// False when there are more loops than ranks.
  bool assign(unsigned rankCount, unsigned innerRanks, SparseTile &result);

private:
  std::vector<RelevantLoop> steps(bool outward) const;
  unsigned innermost() const { return tile.child ? *tile.child + 1 : 0; }

  const SparseState &state;
  unsigned space, memory;
  const SparseTile &tile;
  std::vector<RelevantLoop> loops; ///< innermost first
};

} // namespace

bool RankAssignment::isPretiled() const {
  return tile.isCompressed && tile.child && state.tiles[space][*tile.child].shape > 1;
}

void RankAssignment::collectLoops() {
  for (unsigned level = innermost(); level <= memory; ++level)
    for (const FullLoop &loop : state.nest.loops(level))
      if (state.nest.uses(space, loop.dim))
        loops.push_back({loop.dim, loop.end, state.nest.elements(space, loop.tile)});
}

/// Without tiles cut beforehand, the first loop of a dimension stands for all further in.
void RankAssignment::coverInnerLoops() {
  Extents sizes(state.input.dimCount(), 1);
  for (unsigned level = 0; level < innermost(); ++level)
    for (const FullLoop &loop : state.nest.loops(level))
      sizes[loop.dim] *= loop.end;
  for (RelevantLoop &loop : loops) {
    loop.bound *= sizes[loop.dim];
    sizes[loop.dim] = 1;
  }
}

/// The loops that step at all, in the order in which ranks take them.
std::vector<RelevantLoop> RankAssignment::steps(bool outward) const {
  std::vector<RelevantLoop> result;
  llvm::copy_if(loops, std::back_inserter(result),
                [](const RelevantLoop &loop) { return loop.bound != 1; });
  if (!outward)
    std::reverse(result.begin(), result.end());
  return result;
}

/// The dimensions whose loops share a rank with a loop of `dim`, none where it has the rank for
/// itself. Nothing where the rank takes no such loop.
static llvm::Optional<std::vector<unsigned>> sharing(const Rank &rank, unsigned dim) {
  if (rank.flattened.empty())
    return std::vector<unsigned>();
  for (const std::vector<unsigned> &list : rank.flattened)
    if (llvm::is_contained(list, dim))
      return list;
  return llvm::None;
}

bool RankAssignment::assign(unsigned rankCount, unsigned innerRanks, SparseTile &result) {
  bool outward = result.form && result.form->innermostFirst;
  std::vector<RelevantLoop> left = steps(outward);
  auto add = [&](RankLoops rankLoops, int64_t elements, bool outermost) {
    result.ranks.insert(outermost ? result.ranks.end() : result.ranks.begin(),
                        std::move(rankLoops));
    result.subtiles.insert(outermost ? result.subtiles.end() : result.subtiles.begin(), elements);
  };
  int64_t innermostTile = loops.empty() ? 1 : loops.front().elements;
  size_t at = 0;
  unsigned taken = 0, count = rankCount - innerRanks;
  for (; taken < count && at < left.size(); ++taken) {
    unsigned rank = outward ? innerRanks + taken : rankCount - 1 - taken;
    llvm::Optional<std::vector<unsigned>> together;
    if (result.form)
      together = sharing(result.rank(rank), left[at].dim);
    if (result.form && !together) { // the tool puts it outside of the others, whichever way it goes
      add({}, outward ? 1 : innermostTile, true);
      continue;
    }
    int64_t elements = left[at].elements;
    RankLoops group;
    do { // without metadata all loops make one rank
      group.emplace_back(left[at].dim, left[at].bound);
      ++at;
    } while (at < left.size() && (!together || llvm::is_contained(*together, left[at].dim)));
    add(std::move(group), elements, outward);
  }
  for (; taken < count; ++taken)
    add({}, innermostTile, outward);
  return at == left.size();
}

static bool failForms(const SparseState &state, unsigned space, unsigned memory,
                      const std::string &reason, DiagnosticEngine &diagnostics) {
  const Representation *given = state.input.sparse.representation(memory, space);
  diagnostics.report(given ? given->place : state.input.sparse.place, diag::TimeloopNotModelled,
                     "the form of `" + state.input.problem.spaces[space].name + "` at `" +
                         state.input.memories[memory].name + "`: " + reason);
  return false;
}

static bool checkPretiling(const SparseState &state, unsigned space, unsigned memory,
                           DiagnosticEngine &diagnostics) {
  const SparseTile &tile = state.tiles[space][memory];
  const SparseTile &child = state.tiles[space][*tile.child];
  size_t childRanks = child.hasMetadata ? child.formats.size() : 1;
  if (childRanks > tile.formats.size())
    return failForms(state, space, memory, "the memory inside has more ranks", diagnostics);
  for (size_t rank = 0; child.isCompressed && rank < childRanks; ++rank)
    if (tile.formats[rank] != child.formats[rank])
      return failForms(state, space, memory, "the memory inside has other inner ranks",
                       diagnostics);
  return true;
}

/// Coordinates of one fiber of each rank.
static void shapeFibers(const SparseState &state, unsigned space, SparseTile &tile) {
  for (const RankLoops &rank : tile.ranks) {
    Extents extents(state.input.dimCount(), 1);
    for (const auto &[dim, bound] : rank)
      extents[dim] *= bound;
    tile.fiberShapes.push_back(state.nest.elements(space, extents));
  }
}

bool timeloop::assignRanks(SparseState &state, unsigned space, DiagnosticEngine &diagnostics) {
  std::vector<SparseTile> &column = state.tiles[space];
  for (unsigned memory = 0; memory < column.size(); ++memory) {
    SparseTile &tile = column[memory];
    if (!tile.shape)
      continue;
    RankAssignment assignment(state, space, memory);
    bool pretiled = assignment.isPretiled();
    if (pretiled && !checkPretiling(state, space, memory, diagnostics))
      return false;
    assignment.collectLoops();
    if (!pretiled)
      assignment.coverInnerLoops();
    unsigned count = tile.hasMetadata ? static_cast<unsigned>(tile.formats.size()) : 1;
    const SparseTile *child = pretiled ? &column[*tile.child] : nullptr;
    unsigned inner = child ? static_cast<unsigned>(child->ranks.size()) : 0;
    if (!assignment.assign(count, inner, tile))
      return failForms(state, space, memory,
                       "more ranks are needed, one for each loop that steps the tensor",
                       diagnostics);
    if (child) {
      tile.ranks.insert(tile.ranks.begin(), child->ranks.begin(), child->ranks.end());
      tile.subtiles.insert(tile.subtiles.begin(), child->subtiles.begin(), child->subtiles.end());
    } else {
      tile.subtiles.insert(tile.subtiles.begin(), 1);
    }
    shapeFibers(state, space, tile);
  }
  return true;
}

RankCounts timeloop::rankUnits(const SparseTile &tile, const DensityModel &density,
                               int64_t occupancy) {
  KnownTile known{tile.shape, occupancy};
  return loopnest::rankUnits(tile.formats, tile.fiberShapes, [&](size_t inner) {
    return density.emptyProbability(inner < tile.formats.size() ? tile.subtiles[inner] : tile.shape,
                                    known);
  });
}
