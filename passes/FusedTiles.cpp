// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusedTiles.h"

#include "ir/common/diagnostics/Fusion.h"
#include "passes/FusedHalo.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

namespace {

/// How the loops of a frame move one index: as digits, the innermost by `step`.
struct Digits {
  int64_t step = 0, count = 1;
  llvm::SmallVector<size_t, 2> loops; ///< of the frame, innermost first
};

class TileLoops {
public:
  TileLoops(NestPlan &plan, Frame &frame, const FusePlace &place, DiagnosticEngine &diagnostics)
      : plan(plan), frame(frame), place(place), diagnostics(diagnostics) {}

  bool run();
  bool findKept(int64_t &kept);

private:
  bool fail(const std::string &reason) {
    diagnostics.report(place.where, diag::FusedTile, plan.statement->write.tensor, reason);
    return false;
  }
  bool moveIndex(unsigned index);
  llvm::Optional<Digits> digitsOf(unsigned index);
  bool keepsHalo(unsigned index) const;
  bool canKeepHalo(unsigned index, const Digits &digits, int64_t inside);
  bool addWindow(unsigned index, const Digits &digits);
  bool coverTile(unsigned index, int64_t tile);
  int64_t coverOfInner(unsigned index, PlannedLoop *&outermost);
  TileSteps stepsOf(unsigned index) const;
  bool orderIndices(llvm::SmallVectorImpl<unsigned> &order) const;

  NestPlan &plan;
  Frame &frame;
  const FusePlace &place;
  DiagnosticEngine &diagnostics;
  std::vector<PlannedLoop> shared; ///< by loop of the frame; without an index where it moves none
};

} // namespace

/// Values that the loops over `index` but the outermost cover.
int64_t TileLoops::coverOfInner(unsigned index, PlannedLoop *&outermost) {
  int64_t cover = 1;
  outermost = nullptr;
  for (PlannedLoop &loop : plan.loops) {
    if (!llvm::is_contained(loop.indices, index))
      continue;
    if (!outermost)
      outermost = &loop;
    else
      cover = boundedProduct(cover, loop.factor);
  }
  return cover;
}

/// Makes the loops inside step through `tile` values of an index: the outermost one is changed,
/// unless they are all there are and no sum of other indices decides them.
bool TileLoops::coverTile(unsigned index, int64_t tile) {
  int64_t extent = std::max<int64_t>(1, plan.statement->extents[index]);
  std::string name = plan.statement->writtenName(index);
  PlannedLoop *outermost = nullptr;
  int64_t others = coverOfInner(index, outermost);
  if (!outermost)
    return tile == 1 || fail(fmt::format("no loop inside `{}` steps through the {} values of `{}`",
                                         place.memory, tile, name));
  if (!checkLength(plan, index, extent, place.where, diagnostics))
    return false;
  const Movement &move = frame.moves[index];
  if (!move.isMoved() && move.isPlain && tile == extent)
    return true;
  if (others > tile)
    return fail(fmt::format("its inner loops over `{}` cover {} values, and the tile has {}", name,
                            others, tile));
  outermost->factor = (tile + others - 1) / others;
  return true;
}

llvm::Optional<Digits> TileLoops::digitsOf(unsigned index) {
  const Movement &move = frame.moves[index];
  Digits digits;
  int64_t expected = 0;
  for (size_t k = frame.loops.size(); k-- > 0;) {
    if (move.shifts[k] == 0)
      continue;
    if (digits.step == 0)
      digits.step = expected = move.shifts[k];
    digits.loops.push_back(k);
    if (move.shifts[k] != expected) {
      fail(fmt::format("the shared loops move `{}` by {}, where {} would continue its tiles",
                       plan.statement->writtenName(index), move.shifts[k], expected));
      return llvm::None;
    }
    expected = boundedProduct(expected, frame.loops[k].loop.factor);
    digits.count = boundedProduct(digits.count, frame.loops[k].loop.factor);
  }
  if (expected == INT64_MAX / 4) {
    fail(fmt::format("the steps of the shared loops over `{}` do not fit 64 bits",
                     plan.statement->writtenName(index)));
    return llvm::None;
  }
  return digits;
}

//===-- Halos -------------------------------------------------------------------------------===//

bool TileLoops::keepsHalo(unsigned index) const {
  const Movement &move = frame.moves[index];
  auto isHalo = [&](int64_t shift) { return shift != 0 && move.tile > shift; };
  return place.retains && llvm::any_of(move.shifts, isHalo);
}

/// `inside` values of the index are covered by its inner loops.
bool TileLoops::canKeepHalo(unsigned index, const Digits &digits, int64_t inside) {
  std::string name = plan.statement->writtenName(index);
  for (size_t k : digits.loops)
    if (frame.loops[k].loop.axis)
      return fail(fmt::format(
          "the halo along `{}` is retained in one memory, not in its neighbours", name));
  if (digits.step % inside != 0)
    return fail(fmt::format("of `{}` each step makes {} new values, no whole number of the {} that "
                            "its inner loops cover",
                            name, digits.step, inside));
  return true;
}

/// How `index` moves in one lane.
TileSteps TileLoops::stepsOf(unsigned index) const {
  const Movement &move = frame.moves[index];
  int64_t extent = std::max<int64_t>(1, plan.statement->extents[index]);
  TileSteps steps = {move.tile, 1, 1, extent, move.ahead};
  bool hasLanes = false;
  for (size_t k = 0; k < frame.loops.size(); ++k) {
    if (move.shifts[k] == 0)
      continue;
    steps.step = move.shifts[k]; // that of the innermost remains
    hasLanes |= frame.loops[k].loop.axis.hasValue();
    if (!frame.loops[k].loop.axis)
      steps.count = boundedProduct(steps.count, frame.loops[k].loop.factor);
  }
  // Lanes divide an index without a halo.
  if (hasLanes)
    steps.extent = std::min(extent, boundedProduct(steps.step, steps.count));
  return steps;
}

/// The indices of the result in the order of the loops that move them; false where these do not
/// stand side by side.
bool TileLoops::orderIndices(llvm::SmallVectorImpl<unsigned> &order) const {
  for (size_t k = 0; k < frame.loops.size(); ++k) {
    size_t before = order.size();
    bool isAgain = false;
    for (const Subscript &rank : plan.statement->write.ranks) {
      unsigned index = rank.terms[0].first;
      if (frame.moves[index].shifts[k] == 0)
        continue;
      if (isAgain || order.size() > before)
        return false;
      isAgain = before > 0 && order[before - 1] == index;
      if (!isAgain && llvm::is_contained(order, index))
        return false;
      if (!isAgain)
        order.push_back(index);
    }
  }
  for (const Subscript &rank : plan.statement->write.ranks)
    if (!llvm::is_contained(order, rank.terms[0].first))
      order.push_back(rank.terms[0].first);
  return true;
}

bool TileLoops::findKept(int64_t &kept) {
  kept = 0;
  bool keeps = false;
  for (unsigned index = 0; index < frame.moves.size(); ++index)
    keeps |= keepsHalo(index);
  if (!keeps)
    return true;
  llvm::SmallVector<unsigned, 4> order;
  if (!orderIndices(order))
    return fail(
        "halos are retained only where the shared loops over each index stand side by side");
  llvm::SmallVector<TileSteps, 4> steps;
  for (unsigned index : order)
    steps.push_back(stepsOf(index));
  llvm::Optional<int64_t> most = keptElements(steps);
  kept = most.getValueOr(0);
  return most || fail("what is kept of it does not fit 64 bits");
}

//===-- Loops -------------------------------------------------------------------------------===//

bool TileLoops::addWindow(unsigned index, const Digits &digits) {
  const Movement &move = frame.moves[index];
  int64_t fresh = plan.statement->extents[index] - (move.tile - digits.step);
  if (move.ahead > 0 && digits.step * (digits.count - 1) >= fresh)
    return fail(
        fmt::format("along `{}` its reader runs ahead, which takes {} tiles, no whole number "
                    "for each step of the outermost loop; retained, its halo is made once",
                    plan.statement->writtenName(index), (fresh + digits.step - 1) / digits.step));
  plan.windows.push_back({index, digits.step, move.tile, digits.count});
  return true;
}

/// The shared loops of one index: digits where tiles stand side by side, else numbers of tiles.
bool TileLoops::moveIndex(unsigned index) {
  Movement &move = frame.moves[index];
  int64_t extent = std::max<int64_t>(1, plan.statement->extents[index]);
  llvm::Optional<Digits> digits = digitsOf(index);
  if (!digits)
    return false;
  if (digits->step == 0)
    return coverTile(index, std::min(move.tile, extent));
  PlannedLoop *outermost = nullptr;
  int64_t inside = coverOfInner(index, outermost);
  if (keepsHalo(index)) {
    if (!canKeepHalo(index, *digits, inside))
      return false;
    move.ahead += move.tile - digits->step;
    move.tile = digits->step;
  }
  bool isWindow = move.tile != digits->step || move.tile % inside != 0;
  if (isWindow && !addWindow(index, *digits))
    return false;
  for (size_t k : digits->loops) {
    PlannedLoop loop = frame.loops[k].loop;
    loop.indices = {index};
    loop.numbersTiles = isWindow;
    // What is kept is made once: the halo of the first tile takes further steps.
    if (!isWindow && k == digits->loops.back()) {
      int64_t covered = digits->step * (digits->count / loop.factor);
      loop.factor = (extent + covered - 1) / covered;
      if (move.ahead > 0)
        frame.loops[k].loop.factor = loop.factor;
    }
    shared[k] = loop;
  }
  if (!isWindow)
    move.tile = std::min(digits->step, extent);
  return coverTile(index, move.tile);
}

bool TileLoops::run() {
  shared.assign(frame.loops.size(), PlannedLoop{0, llvm::None, {}, 1});
  llvm::erase_if(plan.loops, [&](const PlannedLoop &loop) {
    return plan.positionOf(loop.place) <= place.position;
  });
  for (unsigned index = 0; index < frame.moves.size(); ++index)
    if (!moveIndex(index))
      return false;
  llvm::erase_if(shared, [](const PlannedLoop &loop) { return loop.indices.empty(); });
  shared.insert(shared.end(), plan.loops.begin(), plan.loops.end());
  plan.loops = std::move(shared);
  return true;
}

bool passes::followFrame(NestPlan &plan, Frame &frame, const FusePlace &place, int64_t &kept,
                         DiagnosticEngine &diagnostics) {
  TileLoops loops(plan, frame, place, diagnostics);
  return loops.findKept(kept) && loops.run();
}

void passes::bypassRepeated(NestPlan &plan, size_t position) {
  const Access &write = plan.statement->write;
  unsigned place = plan.places[position];
  bool isSaid = llvm::any_of(plan.keeps, [&](const PlannedKeep &keep) {
    return keep.place == place && keep.tensor == write.tensor;
  });
  if (isSaid)
    return;
  for (size_t inner = position + 1; inner < plan.places.size(); ++inner) {
    const Place &memory = plan.chip->places[plan.places[inner]];
    if (memory.isArray || !plan.isKept(plan.places[inner], write, /*isWritten=*/true))
      continue;
    bool hasLanes = llvm::any_of(plan.loops, [&](const PlannedLoop &loop) {
      size_t at = plan.positionOf(loop.place);
      return loop.axis && loop.factor > 1 && at > position && at < inner;
    });
    if (!hasLanes && write.elements(plan.tile(inner)) == write.elements(plan.tile(position)))
      plan.keeps.push_back({place, write.tensor.str(), false});
    return;
  }
}
