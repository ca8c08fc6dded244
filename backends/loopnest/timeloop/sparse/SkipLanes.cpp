// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that are skipped: a spatial loop gives each lane a tile of a tensor, and those whose tiles
// are empty leave their place to others, so that an array with fewer lanes does. Over a loop of n
// lanes at most min(n, nonzeros of their tiles) / n are needed at once, and 1 - P(a tile is empty)
// on average, by the innermost such loop. What an array further out leaves out is left out inside.
// The figures are the tool's, cut off to whole lanes loop by loop as it does.
#include "backends/loopnest/timeloop/sparse/SparseTiles.h"

#include "ir/common/diagnostics/Timeloop.h"

#include <algorithm>
#include <map>

using namespace perfc;
using namespace perfc::timeloop;

namespace {

class LaneSkipper {
public:
  LaneSkipper(const SparseState &state, DiagnosticEngine &diagnostics);

  llvm::Optional<LaneTable> run();

private:
  unsigned holder(unsigned space, unsigned memory) const;
  bool shrinkByForm(unsigned space);
  bool shrinkBy(const Saving &saving);
  bool shrinkLoop(unsigned leader, const FullLoop &loop, const Extents &tile, Lanes &lanes,
                  bool &isFirst);
  void widen(const Saving &saving, const FullLoop &loop, Extents &tile) const;
  void passInward(unsigned space, llvm::function_ref<bool(unsigned)> hasOwn);
  bool checkMeshes() const;
  bool failMesh(unsigned level, int64_t x, int64_t y) const;

  const SparseState &state;
  const Input &input;
  DiagnosticEngine &diagnostics;
  unsigned memories;
  LaneTable lanes;
  LaneTable before; ///< as they were when `passInward` last ran
};

} // namespace

LaneSkipper::LaneSkipper(const SparseState &state, DiagnosticEngine &diagnostics)
    : state(state), input(state.input), diagnostics(diagnostics),
      memories(static_cast<unsigned>(input.memories.size())) {
  std::vector<Lanes> mapped(memories + 1);
  for (unsigned level = memories; level-- > 0;) {
    mapped[level] = mapped[level + 1];
    for (const FullLoop &loop : state.nest.loops(level))
      if (loop.isSpatial())
        (loop.axis == Axis::X ? mapped[level].x : mapped[level].y) *= loop.end;
  }
  lanes.assign(input.spaceCount(), mapped);
  before = lanes;
}

/// The memory at or outside `memory` that holds a tensor; the count of memories if there is none.
unsigned LaneSkipper::holder(unsigned space, unsigned memory) const {
  while (memory < memories && !state.tiles[space][memory].shape)
    ++memory;
  return memory;
}

static void scale(int64_t &lanes, double ratio) {
  lanes = static_cast<int64_t>(static_cast<double>(lanes) * ratio);
}

/// What one spatial loop leaves of its lanes, each with a tile of `leader`.
bool LaneSkipper::shrinkLoop(unsigned leader, const FullLoop &loop, const Extents &tile,
                             Lanes &needed, bool &isFirst) {
  const DensityModel &density = state.densities[leader];
  Extents all = tile;
  all[loop.dim] *= loop.end;
  int64_t one = state.nest.elements(leader, tile), every = state.nest.elements(leader, all);
  if (every % one != 0) {
    diagnostics.report(input.sparse.place, diag::TimeloopNotModelled,
                       "lanes that are skipped whose tiles of `" +
                           input.problem.spaces[leader].name + "` overlap");
    return false;
  }
  if (isFirst)
    needed.share = 1 - density.emptyProbability(one);
  isFirst = false;
  double most = static_cast<double>(std::min(every / one, density.most(every)));
  int64_t &along = loop.axis == Axis::X ? needed.x : needed.y;
  scale(along, most / static_cast<double>(loop.end));
  if (along == 0)
    diagnostics.report(input.sparse.place, diag::TimeloopNotModelled,
                       "lanes that are skipped by `" + input.problem.spaces[leader].name +
                           "`, which leaves none");
  return along != 0;
}

/// A tensor in a form that says which of its tiles are empty needs no lanes for them.
bool LaneSkipper::shrinkByForm(unsigned space) {
  std::vector<bool> isShrunk(memories + 1, false);
  for (unsigned memory = 0; memory < memories; ++memory) {
    unsigned from = std::min(holder(space, memory), memories - 1);
    if (!state.tiles[space][from].hasMetadata)
      continue;
    Lanes &needed = lanes[space][memory];
    llvm::ArrayRef<FullLoop> loops = state.nest.loops(memory);
    bool isFirst = true;
    for (size_t i = 0; i < loops.size(); ++i)
      if (loops[i].isSpatial() && !loops[i].isTrivial() && state.nest.uses(space, loops[i].dim) &&
          !shrinkLoop(space, loops[i], state.nest.tileInside(memory, i), needed, isFirst))
        return false;
    isShrunk[memory] = needed.share != 1;
  }
  passInward(space, [&](unsigned level) { return isShrunk[level]; });
  return true;
}

/// While a lane's tile of the target stays in place, its tile of the leader is stepped by the
/// temporal loops outside, up to the next that steps the target.
void LaneSkipper::widen(const Saving &saving, const FullLoop &loop, Extents &tile) const {
  bool stays = false;
  for (unsigned memory = 0; memory < saving.memory; ++memory)
    stays |= state.tiles[saving.target][memory].shape > 0;
  if (!stays || !state.nest.uses(saving.target, loop.dim))
    return;
  unsigned last = std::min(holder(saving.target, saving.memory), memories - 1);
  for (unsigned memory = saving.memory; memory <= last; ++memory)
    for (const FullLoop &outer : state.nest.loops(memory)) {
      if (outer.isSpatial() || outer.isTrivial())
        continue;
      if (state.nest.uses(saving.target, outer.dim))
        return;
      tile[outer.dim] *= outer.end;
    }
}

bool LaneSkipper::shrinkBy(const Saving &saving) {
  unsigned leader = saving.leaders.front();
  Lanes &needed = lanes[saving.target][saving.memory];
  needed.share = 1;
  unsigned from = holder(leader, saving.memory);
  if (from == memories || !state.tiles[leader][from].hasMetadata)
    return true;
  llvm::ArrayRef<FullLoop> loops = state.nest.loops(saving.memory);
  bool isFirst = true;
  for (size_t i = 0; i < loops.size(); ++i) {
    if (!loops[i].isSpatial() || loops[i].isTrivial() || !state.nest.uses(leader, loops[i].dim))
      continue;
    Extents tile = state.nest.tileInside(saving.memory, i);
    widen(saving, loops[i], tile);
    if (!shrinkLoop(leader, loops[i], tile, needed, isFirst))
      return false;
  }
  return true;
}

/// Levels inside one with fewer lanes have fewer in the same ratio; their share is that of the
/// level further out, down to a level that `hasOwn`.
void LaneSkipper::passInward(unsigned space, llvm::function_ref<bool(unsigned)> hasOwn) {
  std::vector<Lanes> &levels = lanes[space];
  for (unsigned level = memories; level > 0; --level) {
    double x = static_cast<double>(levels[level].x) / static_cast<double>(before[space][level].x);
    double y = static_cast<double>(levels[level].y) / static_cast<double>(before[space][level].y);
    bool passed = x == 1 && y == 1, isOwn = false;
    for (unsigned inner = level; !passed && inner-- > 0;) {
      isOwn |= hasOwn(inner);
      if (!isOwn)
        levels[inner].share *= levels[level].share;
      scale(levels[inner].x, x);
      scale(levels[inner].y, y);
    }
    before[space][level] = levels[level];
  }
}

bool LaneSkipper::failMesh(unsigned level, int64_t x, int64_t y) const {
  const Level &array = input.level(level);
  SourceRange place = input.place;
  for (unsigned memory = memories; memory-- > level;)
    if (input.placements[memory].spatial.place.isValid())
      place = input.placements[memory].spatial.place;
  diagnostics.report(place, diag::TimeloopMeshUse, array.name, array.meshX, array.meshY, x, y);
  return false;
}

bool LaneSkipper::checkMeshes() const {
  for (unsigned level = 0; level <= memories; ++level) {
    const Level &array = input.level(level), &outer = input.level(std::min(level + 1, memories));
    int64_t x = 0, y = 0;
    bool fits = true;
    for (const std::vector<Lanes> &levels : lanes) {
      const Lanes &own = levels[level], &around = levels[std::min(level + 1, memories)];
      x = std::max(x, own.x);
      y = std::max(y, own.y);
      fits &= own.x / around.x <= array.meshX / outer.meshX &&
              own.y / around.y <= array.meshY / outer.meshY;
    }
    if (!fits || x > array.meshX || y > array.meshY)
      return failMesh(level, x, y);
  }
  return true;
}

llvm::Optional<LaneTable> LaneSkipper::run() {
  for (unsigned space = 0; space < input.spaceCount(); ++space)
    if (!shrinkByForm(space))
      return llvm::None;
  std::vector<Saving> savings = input.sparse.savings;
  llvm::erase_if(savings, [](const Saving &one) { return one.kind != SavingKind::Lanes; });
  std::stable_sort(savings.begin(), savings.end(),
                   [](const Saving &a, const Saving &b) { return a.memory < b.memory; });
  for (const Saving &saving : savings)
    if (!shrinkBy(saving))
      return llvm::None;
  for (unsigned space = 0; space < input.spaceCount(); ++space)
    passInward(space, [&](unsigned level) {
      return llvm::any_of(
          savings, [&](const Saving &one) { return one.target == space && one.memory == level; });
    });
  return checkMeshes() ? llvm::Optional<LaneTable>(std::move(lanes)) : llvm::None;
}

llvm::Optional<LaneTable> timeloop::skipLanes(const SparseState &state,
                                              DiagnosticEngine &diagnostics) {
  std::map<unsigned, unsigned> options;
  for (const Saving &saving : state.input.sparse.savings) {
    if (saving.kind != SavingKind::Lanes)
      continue;
    if (saving.leaders.size() == 1 && ++options[saving.group] == 1)
      continue;
    diagnostics.report(saving.place, diag::TimeloopNotModelled,
                       "lanes that are skipped on several conditions");
    return llvm::None;
  }
  return LaneSkipper(state, diagnostics).run();
}
