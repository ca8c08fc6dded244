// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusedTiles.h"

#include "ir/common/diagnostics/Fusion.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

namespace {

/// How the loops of a frame move one index: as digits, the innermost by `step`.
struct Digits {
  int64_t step = 0, count = 1;
  size_t innermost = 0, outermost = 0;
};

class TileLoops {
public:
  TileLoops(NestPlan &plan, Frame &frame, const FusePlace &place, DiagnosticEngine &diagnostics)
      : plan(plan), frame(frame), place(place), diagnostics(diagnostics) {}

  bool run();

private:
  bool fail(const std::string &reason) {
    diagnostics.report(place.where, diag::FusedTile, plan.statement->write.tensor, reason);
    return false;
  }
  bool moveIndex(unsigned index);
  llvm::Optional<Digits> digitsOf(unsigned index);
  bool canKeepHalo(unsigned index, const Digits &digits);
  bool coverTile(unsigned index, int64_t tile);
  bool dividesInside(unsigned index, int64_t tile) const;

  NestPlan &plan;
  Frame &frame;
  const FusePlace &place;
  DiagnosticEngine &diagnostics;
  std::vector<PlannedLoop> shared; ///< by loop of the frame; without an index where it moves none
};

} // namespace

/// Makes the loops inside step through `tile` values of an index; the outermost one is changed.
bool TileLoops::coverTile(unsigned index, int64_t tile) {
  PlannedLoop *outermost = nullptr;
  int64_t others = 1;
  for (PlannedLoop &loop : plan.loops) {
    if (!llvm::is_contained(loop.indices, index))
      continue;
    if (!outermost)
      outermost = &loop;
    else
      others = checkedMultiply(others, loop.factor).getValueOr(INT64_MAX / 4);
  }
  if (outermost) {
    outermost->factor = (tile + others - 1) / others;
    return true;
  }
  return tile == 1 || fail(fmt::format("no loop inside `{}` steps through the {} values of `{}`",
                                       place.memory, tile, plan.statement->names[index]));
}

/// True when the loops inside can step through exactly `tile` values.
bool TileLoops::dividesInside(unsigned index, int64_t tile) const {
  int64_t others = 1;
  bool isOutermost = true;
  for (const PlannedLoop &loop : plan.loops) {
    if (!llvm::is_contained(loop.indices, index))
      continue;
    if (!isOutermost)
      others = checkedMultiply(others, loop.factor).getValueOr(INT64_MAX / 4);
    isOutermost = false;
  }
  return tile % others == 0;
}

llvm::Optional<Digits> TileLoops::digitsOf(unsigned index) {
  const Movement &move = frame.moves[index];
  Digits digits;
  int64_t expected = 0;
  for (size_t k = frame.loops.size(); k-- > 0;) {
    if (move.shifts[k] == 0)
      continue;
    if (digits.step == 0) {
      digits.step = expected = move.shifts[k];
      digits.innermost = k;
    }
    digits.outermost = k;
    if (move.shifts[k] != expected) {
      fail(fmt::format("the shared loops move `{}` by {}, where {} would continue its tiles",
                       plan.statement->names[index], move.shifts[k], expected));
      return llvm::None;
    }
    expected *= frame.loops[k].loop.factor;
    digits.count *= frame.loops[k].loop.factor;
  }
  return digits;
}

bool TileLoops::canKeepHalo(unsigned index, const Digits &digits) {
  const std::string &name = plan.statement->names[index];
  if (digits.innermost + 1 < frame.loops.size())
    return fail(fmt::format("the halo along `{}` is retained only if the innermost shared loop "
                            "moves it",
                            name));
  for (size_t k = 0; k < frame.loops.size(); ++k)
    if (frame.moves[index].shifts[k] != 0 && frame.loops[k].loop.axis)
      return fail(fmt::format(
          "the halo along `{}` is retained in one memory, not in its neighbours", name));
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
  bool keepsHalo = move.tile > digits->step && place.retains;
  if (keepsHalo && !canKeepHalo(index, *digits))
    return false;
  bool isWindow = !keepsHalo && (move.tile != digits->step || !dividesInside(index, move.tile));
  if (isWindow)
    plan.windows.push_back({index, digits->step, move.tile, digits->count});
  for (size_t k = 0; k < frame.loops.size(); ++k) {
    if (move.shifts[k] == 0)
      continue;
    PlannedLoop loop = frame.loops[k].loop;
    loop.indices = {index};
    loop.numbersTiles = isWindow;
    // What is kept is made once: the halo of the first tile takes further steps.
    if (!isWindow && k == digits->outermost) {
      int64_t inside = digits->step * (digits->count / loop.factor);
      loop.factor = (extent + inside - 1) / inside;
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

bool passes::followFrame(NestPlan &plan, Frame &frame, const FusePlace &place,
                         DiagnosticEngine &diagnostics) {
  return TileLoops(plan, frame, place, diagnostics).run();
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
