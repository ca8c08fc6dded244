// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How likely a saving happens: the target's tile need not be moved when the tile of a leader that
// is used with it, while it stays in place, is empty.
#include "backends/loopnest/timeloop/sparse/SparseTiles.h"

#include "ir/common/diagnostics/Timeloop.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace perfc;
using namespace perfc::timeloop;

namespace {

/// One option: its target, where it is held, and the loop that steps it.
class SavingOption {
public:
  SavingOption(const SparseState &state, const Saving &saving, unsigned level)
      : state(state), saving(saving), level(level), child(state.tiles[saving.target][level].child) {
  }

  /// Probability that an access is saved.
  double probability();
  /// What it saves in pJ per access of the tile, to choose among options.
  double benefit(double probability) const;

private:
  void findLoop();
  bool isFound(unsigned memory, size_t index);
  void widenLeaderTile();
  double leaderEmpty(unsigned leader) const;
  /// Bounds of the loops that step target and leader together, by dimension; nothing when the
  /// leader would have to be read out of order.
  llvm::Optional<std::map<unsigned, double>> sharedLoops(unsigned leader) const;

  const SparseState &state;
  const Saving &saving;
  unsigned level;
  llvm::Optional<unsigned> child;
  unsigned loopMemory = 0;
  size_t loopIndex = 0;
  bool isElement = false; ///< the tile is a single element
  Extents targetTile, leaderTile;
  std::vector<const FullLoop *> relevant;
};

} // namespace

/// Whether loop `index` is the one that steps the target's tiles. Where the values go to the
/// arithmetic that is the innermost one, with the array around it.
bool SavingOption::isFound(unsigned memory, size_t index) {
  llvm::ArrayRef<FullLoop> loops = state.nest.loops(memory);
  const FullLoop &loop = loops[index];
  bool steps = !loop.isTrivial() && state.nest.uses(saving.target, loop.dim);
  if (child)
    return steps;
  if (index + 1 < loops.size() && loops[index + 1].isSpatial())
    return steps;
  isElement = !loop.isSpatial();
  return true;
}

void SavingOption::findLoop() {
  for (loopMemory = child ? *child + 1 : 0; loopMemory <= level; ++loopMemory)
    for (loopIndex = 0; loopIndex < state.nest.loops(loopMemory).size(); ++loopIndex)
      if (isFound(loopMemory, loopIndex))
        return;
  loopMemory = level;
  loopIndex = state.nest.loops(level).size() - 1;
}

/// While the target's tile stays in place, the leader is stepped by the arrays outside the loop,
/// and, if the loop is one of an array, by the temporal loops up to the next that steps the target.
void SavingOption::widenLeaderTile() {
  const FullLoop &found = state.nest.loops(loopMemory)[loopIndex];
  relevant = {&found};
  bool passedTemporal = !found.isSpatial();
  for (unsigned memory = loopMemory; memory <= level; ++memory) {
    llvm::ArrayRef<FullLoop> loops = state.nest.loops(memory);
    for (size_t i = memory == loopMemory ? loopIndex + 1 : 0; i < loops.size(); ++i) {
      const FullLoop &loop = loops[i];
      if (loop.isTrivial())
        continue;
      bool steps = state.nest.uses(saving.target, loop.dim);
      if (loop.isSpatial() || (!passedTemporal && child && !steps)) {
        leaderTile[loop.dim] *= loop.end;
        relevant.push_back(&loop);
      }
      if (found.isSpatial() && !loop.isSpatial() && (!child || steps))
        passedTemporal = true;
    }
  }
}

llvm::Optional<std::map<unsigned, double>> SavingOption::sharedLoops(unsigned leader) const {
  std::map<unsigned, double> shared;
  if (isElement)
    return shared;
  bool isSpatial = relevant.front()->isSpatial();
  for (const FullLoop *loop : relevant) {
    bool ofLeader = state.nest.uses(leader, loop->dim);
    if (isSpatial && !shared.empty() && ofLeader)
      return llvm::None;
    if (ofLeader && state.nest.uses(saving.target, loop->dim))
      shared.try_emplace(loop->dim, 1.0).first->second *= static_cast<double>(loop->end);
  }
  return shared;
}

/// Probability that the tile of `leader` is empty. A tile of less than a block of the target is
/// widened to one.
double SavingOption::leaderEmpty(unsigned leader) const {
  llvm::Optional<std::map<unsigned, double>> shared = sharedLoops(leader);
  if (!shared)
    return 0;
  double together = 1;
  for (const auto &[dim, bound] : *shared)
    together *= bound;
  double block = static_cast<double>(state.input.memories[level].attributes.blockSize);
  double size = static_cast<double>(state.nest.elements(saving.target, targetTile));
  double scale = std::ceil(block / (size / together));
  Extents tile = leaderTile;
  for (const auto &[dim, bound] : *shared) {
    tile[dim] = static_cast<int64_t>(std::ceil(static_cast<double>(tile[dim]) / (bound / scale)));
    scale /= bound;
  }
  if (scale > 1) {
    int64_t &extent = tile[relevant.front()->dim];
    extent = static_cast<int64_t>(static_cast<double>(extent) * scale);
  }
  for (unsigned dim = 0; dim < tile.size(); ++dim)
    tile[dim] = std::min(std::max<int64_t>(tile[dim], 1), state.input.problem.bounds[dim]);
  return state.densities[leader].emptyProbability(state.nest.elements(leader, tile));
}

double SavingOption::probability() {
  findLoop();
  const FullLoop &found = state.nest.loops(loopMemory)[loopIndex];
  targetTile = isElement ? Extents(state.input.dimCount(), 1) : found.tile;
  leaderTile = targetTile;
  widenLeaderTile();
  double needed = 1;
  for (unsigned leader : saving.leaders)
    needed *= 1 - leaderEmpty(leader);
  return 1 - needed;
}

double SavingOption::benefit(double probability) const {
  const Level &memory = state.input.memories[level];
  const SparseTile &tile = state.tiles[saving.target][level];
  const SparseTile &sent = child ? state.tiles[saving.target][*child] : tile;
  double words = 0;
  for (const RankUnits &rank : sent.expectedRanks)
    words += rank.metadata + rank.payload;
  words *= static_cast<double>(memory.attributes.metadataWordBits / memory.attributes.wordBits);
  double energy = memory.energy({"random_read", "read"}).getValueOr(0);
  return energy / static_cast<double>(memory.attributes.blockSize) * (tile.expected + words) *
         probability;
}

/// The memory at or outside `saving.memory` that holds the target.
static llvm::Optional<unsigned> holder(const SparseState &state, const Saving &saving) {
  const std::vector<SparseTile> &column = state.tiles[saving.target];
  for (unsigned memory = saving.memory; memory < column.size(); ++memory)
    if (column[memory].shape)
      return memory;
  return llvm::None;
}

/// Of the options of one group the one that saves most counts; the last of equal ones.
static bool addGroup(const SparseState &state, llvm::ArrayRef<Saving> group, SavingEffects &effects,
                     DiagnosticEngine &diagnostics) {
  double best = 0, chance = 0;
  const Saving *chosen = nullptr;
  unsigned chosenLevel = 0;
  for (const Saving &saving : group) {
    llvm::Optional<unsigned> level = holder(state, saving);
    if (!level) {
      diagnostics.report(saving.place, diag::TimeloopNotModelled,
                         "a saving on `" + state.input.problem.spaces[saving.target].name +
                             "`, which no memory at or outside `" +
                             state.input.memories[saving.memory].name + "` holds");
      return false;
    }
    SavingOption option(state, saving, *level);
    double probability = option.probability(), benefit = option.benefit(probability);
    if (!chosen || benefit >= best) {
      best = benefit;
      chance = probability;
      chosen = &saving;
      chosenLevel = *level;
    }
  }
  SavingEffect &effect = effects[chosen->target][chosenLevel];
  if (!effect.isSaved || effect.probability < chance)
    effect = {true, chosen->kind, chance, chosen->place};
  return true;
}

/// A saving takes what those further out have left of its own share, so it must not save less
/// often.
static bool checkNesting(const SparseState &state, const SavingEffects &effects,
                         DiagnosticEngine &diagnostics) {
  constexpr double rounding = 1e-9;
  for (unsigned space = 0; space < effects.size(); ++space) {
    const SavingEffect *outer = nullptr;
    for (size_t memory = effects[space].size(); memory-- > 0;) {
      const SavingEffect &effect = effects[space][memory];
      if (!effect.isSaved)
        continue;
      if (outer && effect.kind != SavingKind::Lanes &&
          effect.probability < outer->probability - rounding) {
        diagnostics.report(effect.place, diag::TimeloopNotModelled,
                           "a saving on `" + state.input.problem.spaces[space].name + "` at `" +
                               state.input.memories[memory].name +
                               "` that happens less often than the one further out");
        return false;
      }
      outer = &effect;
    }
  }
  return true;
}

/// Lanes that are skipped at a memory are not sent what it would have sent them.
static bool addLanes(const SparseState &state, const LaneTable &lanes, SavingEffects &effects,
                     DiagnosticEngine &diagnostics) {
  for (const Saving &saving : state.input.sparse.savings) {
    if (saving.kind != SavingKind::Lanes)
      continue;
    SavingEffect &effect = effects[saving.target][saving.memory];
    if (effect.isSaved && effect.kind != SavingKind::Lanes && effect.probability != 0) {
      diagnostics.report(
          saving.place, diag::TimeloopNotModelled,
          "lanes and accesses of `" + state.input.problem.spaces[saving.target].name +
              "` that are both skipped at `" + state.input.memories[saving.memory].name + "`");
      return false;
    }
    effect = {true, SavingKind::Lanes, 1 - lanes[saving.target][saving.memory].share, saving.place};
  }
  return true;
}

llvm::Optional<SavingEffects> timeloop::savingEffects(const SparseState &state,
                                                      const LaneTable *lanes,
                                                      DiagnosticEngine &diagnostics) {
  SavingEffects effects(state.input.spaceCount(),
                        std::vector<SavingEffect>(state.input.memories.size()));
  // Gating comes first, memory by memory from the inside; among equals the first stays.
  std::vector<Saving> savings = state.input.sparse.savings;
  llvm::erase_if(savings, [](const Saving &one) { return one.kind == SavingKind::Lanes; });
  std::stable_sort(savings.begin(), savings.end(), [](const Saving &a, const Saving &b) {
    return std::pair(a.kind, a.memory) < std::pair(b.kind, b.memory);
  });
  for (size_t first = 0; first < savings.size();) {
    size_t last = first + 1;
    while (last < savings.size() && savings[last].group == savings[first].group)
      ++last;
    if (!addGroup(state, llvm::makeArrayRef(savings).slice(first, last - first), effects,
                  diagnostics))
      return llvm::None;
    first = last;
  }
  if ((lanes && !addLanes(state, *lanes, effects, diagnostics)) ||
      !checkNesting(state, effects, diagnostics))
    return llvm::None;
  return effects;
}
