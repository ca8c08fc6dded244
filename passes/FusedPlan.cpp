// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusedPlan.h"

#include "ir/common/diagnostics/Fusion.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

bool passes::isFused(loopnest::MappingOp mapping) {
  return llvm::any_of(mapping->body(),
                      [](const ir::Operation &part) { return part.is(loopnest::FuseOp::opName); });
}

namespace {

/// How one index of a statement moves with the shared loops.
struct Movement {
  /// Per shared loop, how far one step of it moves the index.
  llvm::SmallVector<int64_t, 6> shifts;
  int64_t tile = 1; ///< values that one step needs
  bool isMoved() const {
    return llvm::any_of(shifts, [](int64_t shift) { return shift != 0; });
  }
};
using Movements = std::vector<Movement>; ///< by index of the statement

class FusedPlanner {
public:
  FusedPlanner(const Chip &chip, llvm::ArrayRef<StatementGroup> groups, loopnest::MappingOp mapping,
               DiagnosticEngine &diagnostics)
      : chip(chip), groups(groups), mapping(mapping), diagnostics(diagnostics) {}

  llvm::Optional<FusedPlan> run();

private:
  template <typename... Values>
  bool fail(const DiagnosticKind &kind, SourceRange where, Values &&...values) {
    diagnostics.report(where, kind, std::forward<Values>(values)...);
    return false;
  }
  bool readFuses();
  bool readPlans();
  bool checkShared();
  int64_t cover(const NestPlan &plan, unsigned index) const;
  bool movementsOfLast();
  bool movementsOf(size_t group);
  bool checkRevisits(size_t group);
  bool addNeeds(size_t producer, size_t consumer, const Access &read, Movements &needed);
  bool needOf(const Movements &own, const Subscript &subscript, Movement &need) const;
  bool applyMovements(size_t group);
  bool moveIndex(size_t group, unsigned index, std::vector<PlannedLoop> &shared);
  bool coverTile(NestPlan &plan, unsigned index, int64_t tile);
  void bypassRepeated(NestPlan &plan);
  int64_t blocks() const;

  const Chip &chip;
  llvm::ArrayRef<StatementGroup> groups;
  loopnest::MappingOp mapping;
  DiagnosticEngine &diagnostics;
  FusedPlan fused;
  SourceRange where; ///< the first `fuse`
  bool retains = false;
  size_t position = 0;                 ///< of M among the places of a plan
  std::vector<PlannedLoop> loops;      ///< shared ones of the last statement, outermost first
  llvm::SmallVector<int64_t, 6> steps; ///< of their first index
  std::vector<Movements> moves;        ///< by group
};

} // namespace

//===-- What is fused -----------------------------------------------------------------------===//

bool FusedPlanner::readFuses() {
  llvm::Optional<unsigned> place;
  for (ir::Operation &part : mapping->body()) {
    auto fuse = ir::as<loopnest::FuseOp>(part);
    if (!fuse)
      continue;
    llvm::Optional<unsigned> found = chip.find(fuse.place());
    if (!found || chip.places[*found].isArray)
      return fail(diag::FusePlace, fuse->range(), fuse.place(), "the chip has no such memory");
    if (*found == 0)
      return fail(diag::FusePlace, fuse->range(), fuse.place(),
                  "there is no memory outside it that fusing could spare");
    if (place && *place != *found)
      return fail(diag::FusePlace, fuse->range(), fuse.place(),
                  "other tensors of the mapping are fused at `" + fused.place + "`");
    if (!place)
      where = fuse->range();
    place = found;
    fused.place = fuse.place().str();
    retains |= fuse.retains();
    llvm::append_range(fused.tensors, fuse.tensors());
  }
  return true;
}

bool FusedPlanner::readPlans() {
  for (const StatementGroup &group : groups) {
    llvm::Optional<NestPlan> plan =
        planFromMapping(chip, *group.main, mapping, diagnostics, /*onlyOwn=*/true);
    if (!plan)
      return false;
    fused.nests.push_back(std::move(*plan));
  }
  position = fused.nests.back().positionOf(*chip.find(fused.place));
  return true;
}

/// The loops outside the tiles of M are those of the last statement.
bool FusedPlanner::checkShared() {
  const NestPlan &last = fused.nests.back();
  for (const PlannedLoop &loop : last.loops) {
    if (last.positionOf(loop.place) > position)
      continue;
    if (loop.indices.size() != 1)
      return fail(diag::FusedLoop, loop.source->range(), last.statement->names[loop.indices[0]],
                  "it drives several indices with one number");
    loops.push_back(loop);
  }
  for (const NestPlan &plan : fused.nests)
    for (const PlannedLoop &loop : plan.loops)
      for (unsigned index : loop.indices) {
        const std::string &name = plan.statement->names[index];
        if (plan.positionOf(loop.place) <= position && loop.factor > 1 &&
            !last.statement->find(name))
          return fail(diag::FusedLoop, loop.source->range(), name,
                      fmt::format("the last statement, which writes `{}`, has no such index",
                                  last.statement->write.tensor));
      }
  return true;
}

//===-- Movements ---------------------------------------------------------------------------===//

/// Values of an index that its loops inside M cover.
int64_t FusedPlanner::cover(const NestPlan &plan, unsigned index) const {
  int64_t product = 1;
  for (const PlannedLoop &loop : plan.loops)
    if (plan.positionOf(loop.place) > position && llvm::is_contained(loop.indices, index))
      product = checkedMultiply(product, loop.factor).getValueOr(INT64_MAX / 4);
  return std::min(product, std::max<int64_t>(1, plan.statement->extents[index]));
}

bool FusedPlanner::movementsOfLast() {
  const NestPlan &last = fused.nests.back();
  Movements own(last.statement->names.size());
  for (unsigned index = 0; index < own.size(); ++index) {
    own[index].tile = cover(last, index);
    own[index].shifts.assign(loops.size(), 0);
    int64_t step = own[index].tile;
    for (size_t k = loops.size(); k-- > 0;)
      if (loops[k].indices[0] == index) {
        own[index].shifts[k] = step;
        step = checkedMultiply(step, loops[k].factor).getValueOr(INT64_MAX / 4);
      }
  }
  moves.assign(groups.size(), {});
  moves.back() = std::move(own);
  return true;
}

/// What a subscript a x + b r + … of a consumer takes in one step, and how it moves.
bool FusedPlanner::needOf(const Movements &own, const Subscript &subscript, Movement &need) const {
  need.shifts.assign(loops.size(), 0);
  need.tile = 1;
  for (const auto &[index, coefficient] : subscript.terms) {
    if (coefficient < 0 || subscript.dataDependent)
      return false;
    const Movement &move = own[index];
    need.tile += coefficient * (move.tile - 1);
    for (size_t k = 0; k < loops.size(); ++k)
      need.shifts[k] += coefficient * move.shifts[k];
  }
  return true;
}

bool FusedPlanner::addNeeds(size_t producer, size_t consumer, const Access &read,
                            Movements &needed) {
  const Access &write = groups[producer].last().write;
  const Statement &maker = *groups[producer].main;
  for (size_t rank = 0; rank < write.ranks.size(); ++rank) {
    Movement need;
    const Subscript &target = write.ranks[rank];
    bool isPlain = target.terms.size() == 1 && target.terms[0].second == 1 && target.constant == 0;
    if (!needOf(moves[consumer], read.ranks[rank], need) || !isPlain)
      return fail(diag::FusedTile, where, write.tensor,
                  "a subscript of it is no index where it is written, or goes backwards where it "
                  "is read");
    Movement &known = needed[target.terms[0].first];
    // Positions outside the tensor are padding, which nobody makes.
    need.tile = std::min(need.tile, std::max<int64_t>(1, maker.extents[target.terms[0].first]));
    if (known.tile != 0 && (known.shifts != need.shifts || known.tile != need.tile))
      return fail(diag::FusedTile, where, write.tensor, "two statements read different tiles");
    known = need;
  }
  return true;
}

/// What is made in tiles is there for one tile only: a loop that leaves the tensor where it is must
/// not come back to tiles that were left.
bool FusedPlanner::checkRevisits(size_t group) {
  const Movements &own = moves[group];
  bool isMovedInside = false;
  for (size_t k = loops.size(); k-- > 0;) {
    bool moved = llvm::any_of(own, [&](const Movement &move) { return move.shifts[k] != 0; });
    if (loops[k].factor > 1 && !moved && isMovedInside)
      return fail(diag::FusedLoop, loops[k].source->range(),
                  fused.nests.back().statement->names[loops[k].indices[0]],
                  fmt::format("its steps come back to tiles of `{}` that were left",
                              groups[group].last().write.tensor));
    isMovedInside |= moved && loops[k].factor > 1;
  }
  return true;
}

/// Indices of what is made for later statements move as these need it; others move with the shared
/// loop of their name.
bool FusedPlanner::movementsOf(size_t group) {
  const Statement &statement = *groups[group].main;
  Movements own(statement.names.size());
  for (Movement &move : own)
    move.tile = 0; // not known
  llvm::StringRef made = groups[group].last().write.tensor;
  bool isRead = false;
  for (size_t later = group + 1; later < groups.size(); ++later)
    for (const Access &read : groups[later].main->reads)
      if (read.tensor == made && llvm::is_contained(fused.tensors, made)) {
        isRead = true;
        if (!addNeeds(group, later, read, own))
          return false;
      }
  const NestPlan &last = fused.nests.back();
  for (unsigned index = 0; index < own.size(); ++index) {
    if (own[index].tile != 0)
      continue;
    own[index].shifts.assign(loops.size(), 0);
    llvm::Optional<unsigned> same =
        isRead ? llvm::None : last.statement->find(statement.names[index]);
    own[index].tile = std::max<int64_t>(1, statement.extents[index]);
    if (same && moves.back()[*same].isMoved())
      own[index] = moves.back()[*same];
  }
  moves[group] = std::move(own);
  return !isRead || checkRevisits(group);
}

//===-- Loops -------------------------------------------------------------------------------===//

/// Makes the loops inside M step through `tile` values of an index; the outermost one is changed.
bool FusedPlanner::coverTile(NestPlan &plan, unsigned index, int64_t tile) {
  PlannedLoop *outermost = nullptr;
  int64_t others = 1;
  for (PlannedLoop &loop : plan.loops) {
    if (!llvm::is_contained(loop.indices, index) || plan.positionOf(loop.place) <= position)
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
  return tile == 1 || fail(diag::FusedTile, where, plan.statement->write.tensor,
                           fmt::format("no loop inside `{}` steps through the {} values of `{}`",
                                       fused.place, tile, plan.statement->names[index]));
}

/// The shared loops of one index: digits where tiles stand side by side, else numbers of tiles.
bool FusedPlanner::moveIndex(size_t group, unsigned index, std::vector<PlannedLoop> &shared) {
  NestPlan &plan = fused.nests[group];
  const Movement &move = moves[group][index];
  const std::string &name = plan.statement->names[index];
  int64_t extent = std::max<int64_t>(1, plan.statement->extents[index]);
  if (!move.isMoved())
    return coverTile(plan, index, std::min(move.tile, extent));
  int64_t step = 0, expected = 0, count = 1;
  size_t innermost = 0, outermost = 0;
  for (size_t k = loops.size(); k-- > 0;) {
    if (move.shifts[k] == 0 || loops[k].factor == 1)
      continue;
    if (step == 0) {
      step = expected = move.shifts[k];
      innermost = k;
    }
    outermost = k;
    if (move.shifts[k] != expected)
      return fail(diag::FusedTile, where, plan.statement->write.tensor,
                  fmt::format("the shared loops move `{}` by {}, where {} would continue its tiles",
                              name, move.shifts[k], expected));
    expected *= loops[k].factor;
    count *= loops[k].factor;
  }
  if (step == 0)
    return coverTile(plan, index, std::min(move.tile, extent));
  bool isHalo = move.tile > step, keepsHalo = isHalo && retains;
  for (size_t k = innermost + 1; k < loops.size() && keepsHalo; ++k)
    if (loops[k].factor > 1)
      return fail(diag::FusedTile, where, plan.statement->write.tensor,
                  fmt::format("the halo along `{}` is retained only if the innermost shared loop "
                              "moves it",
                              name));
  for (size_t k = 0; k < loops.size() && keepsHalo; ++k)
    if (move.shifts[k] != 0 && loops[k].factor > 1 && loops[k].axis)
      return fail(
          diag::FusedTile, where, plan.statement->write.tensor,
          fmt::format("the halo along `{}` is retained in one memory, not in its neighbours",
                      name));
  bool isWindow = move.tile != step && !keepsHalo;
  if (isWindow)
    plan.windows.push_back({index, step, move.tile, count});
  for (size_t k = 0; k < loops.size(); ++k) {
    if (move.shifts[k] == 0 || loops[k].factor == 1)
      continue;
    PlannedLoop loop = loops[k];
    loop.indices = {index};
    loop.numbersTiles = isWindow;
    // What is kept is made once: the halo of the first tile takes further steps.
    if (!isWindow && k == outermost)
      loop.factor = (extent + step * (count / loop.factor) - 1) / (step * (count / loop.factor));
    shared[k] = loop;
  }
  return coverTile(plan, index, isWindow ? move.tile : std::min(step, extent));
}

bool FusedPlanner::applyMovements(size_t group) {
  NestPlan &plan = fused.nests[group];
  std::vector<PlannedLoop> shared(loops.size(), PlannedLoop{0, llvm::None, {}, 1});
  llvm::erase_if(plan.loops,
                 [&](const PlannedLoop &loop) { return plan.positionOf(loop.place) <= position; });
  for (unsigned index = 0; index < moves[group].size(); ++index)
    if (!moveIndex(group, index, shared))
      return false;
  std::vector<PlannedLoop> all;
  for (size_t k = 0; k < shared.size(); ++k) {
    if (shared[k].indices.empty())
      continue;
    // The loops at M step from tile to tile: they stand outside it.
    if (plan.positionOf(shared[k].place) == position)
      shared[k].place = plan.places[position - 1];
    all.push_back(shared[k]);
  }
  llvm::append_range(all, plan.loops);
  plan.loops = std::move(all);
  bypassRepeated(plan);
  return true;
}

/// A result whose whole tile the next memory inside holds as well is held there only: it stays from
/// step to step, and M needs no room for it.
void FusedPlanner::bypassRepeated(NestPlan &plan) {
  const Access &write = plan.statement->write;
  unsigned place = plan.places[position];
  bool isSaid = llvm::any_of(plan.keeps, [&](const PlannedKeep &keep) {
    return keep.place == place && keep.tensor == write.tensor;
  });
  if (isSaid || llvm::is_contained(fused.tensors, write.tensor))
    return;
  for (size_t inner = position + 1; inner < plan.places.size(); ++inner) {
    const Place &memory = chip.places[plan.places[inner]];
    if (memory.isArray || !plan.isKept(plan.places[inner], write, /*isWritten=*/true))
      continue;
    if (write.elements(plan.tile(inner)) == write.elements(plan.tile(position)))
      plan.keeps.push_back({place, write.tensor.str(), false});
    return;
  }
}

/// Tiles outside the first array that dispatches.
int64_t FusedPlanner::blocks() const {
  const NestPlan &last = fused.nests.back();
  size_t array = 0;
  while (array < last.places.size() && !chip.places[last.places[array]].isDispatched)
    ++array;
  if (array == last.places.size() || array > position)
    return 1;
  int64_t count = 1;
  for (const PlannedLoop &loop : loops)
    if (!loop.axis && last.positionOf(loop.place) < array)
      count = checkedMultiply(count, loop.factor).getValueOr(INT64_MAX);
  return count;
}

llvm::Optional<FusedPlan> FusedPlanner::run() {
  if (!readFuses() || !readPlans() || !checkShared() || !movementsOfLast())
    return llvm::None;
  for (size_t group = groups.size() - 1; group-- > 0;)
    if (!movementsOf(group))
      return llvm::None;
  fused.blocks = blocks();
  for (size_t group = 0; group < groups.size(); ++group)
    if (!applyMovements(group))
      return llvm::None;
  // Epilogues finish a tile where it is: both names are the same words.
  for (const StatementGroup &group : groups)
    if (llvm::is_contained(fused.tensors, group.last().write.tensor) && !group.epilogues.empty())
      fused.tensors.push_back(group.main->write.tensor.str());
  for (const NestPlan &plan : fused.nests)
    if (plan.windows.empty() && !checkPlan(plan, where, diagnostics))
      return llvm::None;
  return std::move(fused);
}

llvm::Optional<FusedPlan> passes::planFused(const Chip &chip, llvm::ArrayRef<StatementGroup> groups,
                                            loopnest::MappingOp mapping,
                                            DiagnosticEngine &diagnostics) {
  return FusedPlanner(chip, groups, mapping, diagnostics).run();
}
