// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusedPlan.h"

#include "ir/common/diagnostics/Fusion.h"
#include "passes/DependenceChecks.h"
#include "passes/FusedChecks.h"
#include "passes/FusedOrder.h"
#include "passes/FusedTiles.h"
#include "passes/UnitChoice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace perfc;
using namespace perfc::passes;

bool passes::isFused(loopnest::MappingOp mapping) {
  return llvm::any_of(mapping->body(),
                      [](const ir::Operation &part) { return part.is(loopnest::FuseOp::opName); });
}

namespace {

/// A group that reads what another one makes, and how, in the indices of its main statement.
struct Reading {
  size_t group;
  Access access;
  bool isFinish; ///< to finish a result, once that is complete
};

class FusedPlanner {
public:
  FusedPlanner(const Chip &chip, llvm::ArrayRef<StatementGroup> groups, loopnest::MappingOp mapping,
               DiagnosticEngine &diagnostics)
      : chip(chip), groups(groups), mapping(mapping), diagnostics(diagnostics),
        frames(groups.size()) {}

  llvm::Optional<FusedPlan> run();

private:
  template <typename... Values>
  bool fail(const DiagnosticKind &kind, SourceRange where, Values &&...values) {
    diagnostics.report(where, kind, std::forward<Values>(values)...);
    return false;
  }
  bool readPlans();
  bool readFuses();
  bool readFuse(loopnest::FuseOp fuse);
  bool addTensor(llvm::StringRef tensor, const FusePlace &place);

  llvm::StringRef made(size_t group) const { return groups[group].last().write.tensor; }
  const FusePlace *placeOf(llvm::StringRef tensor) const;
  FusePlace meetingPlace(size_t group) const;
  size_t depthOf(size_t group) const;
  std::vector<Reading> readingsOf(size_t group) const;

  bool follow(size_t group);
  bool addNeeds(size_t producer, const Frame &reader, const Access &read, Frame &frame);
  void moveOthers(size_t group, bool isRead, Frame &frame) const;
  void standOutside(size_t group);
  bool findRunning();
  bool finish();
  int64_t blocks() const;

  const Chip &chip;
  llvm::ArrayRef<StatementGroup> groups;
  loopnest::MappingOp mapping;
  DiagnosticEngine &diagnostics;
  FusedPlan fused;
  llvm::StringMap<FusePlace> places; ///< by tensor that a group makes
  std::vector<FusePlace> meetings;   ///< the memories of `fuse` lines, outermost first
  std::vector<Frame> frames;         ///< by group
  unsigned nextId = 0;
};

} // namespace

//===-- What is fused -----------------------------------------------------------------------===//

bool FusedPlanner::readPlans() {
  for (const StatementGroup &group : groups) {
    llvm::Optional<NestPlan> plan =
        planFromMapping(chip, *group.main, mapping, diagnostics, /*onlyOwn=*/true);
    if (!plan)
      return false;
    fused.nests.push_back(std::move(*plan));
  }
  return checkSharedIndices(mapping, fused.nests, diagnostics);
}

/// A tensor that a later statement of its own group finishes is nowhere; it is noted.
bool FusedPlanner::addTensor(llvm::StringRef tensor, const FusePlace &place) {
  for (const StatementGroup &group : groups) {
    if (group.last().write.tensor == tensor) {
      auto [known, isNew] = places.try_emplace(tensor, place);
      if (!isNew && known->second.position != place.position)
        return fail(diag::FusePlace, place.where, place.memory,
                    fmt::format("`{}` is fused at `{}` already", tensor, known->second.memory));
      fused.tensors.push_back({tensor.str(), place.memory});
      // Epilogues finish a tile where it is: both names are the same words.
      if (!group.epilogues.empty())
        fused.tensors.push_back({group.main->write.tensor.str(), place.memory});
      return true;
    }
    bool isInside = group.main->write.tensor == tensor ||
                    llvm::any_of(group.epilogues, [&](const Statement *statement) {
                      return statement->write.tensor == tensor;
                    });
    if (isInside)
      fused.finished.push_back(tensor.str());
  }
  return true;
}

bool FusedPlanner::readFuse(loopnest::FuseOp fuse) {
  llvm::Optional<unsigned> found = chip.find(fuse.place());
  if (!found || chip.places[*found].isArray)
    return fail(diag::FusePlace, fuse->range(), fuse.place(), "the chip has no such memory");
  FusePlace place{fuse.place().str(), fused.nests.back().positionOf(*found), fuse.retains(),
                  fuse->range()};
  if (place.position == 0)
    return fail(diag::FusePlace, fuse->range(), fuse.place(),
                "there is no memory outside it that fusing could spare");
  meetings.push_back(place);
  for (const std::string &tensor : fuse.tensors())
    if (!addTensor(tensor, place))
      return false;
  return true;
}

bool FusedPlanner::readFuses() {
  for (ir::Operation &part : mapping->body())
    if (auto fuse = ir::as<loopnest::FuseOp>(part))
      if (!readFuse(fuse))
        return false;
  llvm::stable_sort(meetings,
                    [](const FusePlace &a, const FusePlace &b) { return a.position < b.position; });
  return true;
}

//===-- Where statements meet ---------------------------------------------------------------===//

const FusePlace *FusedPlanner::placeOf(llvm::StringRef tensor) const {
  auto found = places.find(tensor);
  return found == places.end() ? nullptr : &found->second;
}

/// How later groups read what `group` makes tile by tile; those that only finish their results with
/// it where there are no others.
std::vector<Reading> FusedPlanner::readingsOf(size_t group) const {
  std::vector<Reading> readings;
  for (bool isFinish : {false, true})
    for (size_t later = group + 1; later < groups.size(); ++later)
      for (const Access &read : isFinish ? finishReads(groups[later]) : groups[later].main->reads)
        if (read.tensor == made(group) &&
            (readings.empty() || readings.back().isFinish == isFinish))
          readings.push_back({later, read, isFinish});
  return readings;
}

/// The innermost memory at which `group` meets another statement.
size_t FusedPlanner::depthOf(size_t group) const {
  size_t depth = meetings.front().position;
  auto add = [&](llvm::StringRef tensor) {
    if (const FusePlace *place = placeOf(tensor))
      depth = std::max(depth, place->position);
  };
  add(made(group));
  for (const Access &read : groups[group].main->reads)
    add(read.tensor);
  for (const Access &read : finishReads(groups[group]))
    add(read.tensor);
  return depth;
}

/// The memory at which `group` joins the loops of later statements: where its result is fused, else
/// where it reads what is.
FusePlace FusedPlanner::meetingPlace(size_t group) const {
  const FusePlace *own = placeOf(made(group));
  if (own && !readingsOf(group).empty())
    return *own;
  size_t depth = depthOf(group);
  return *llvm::find_if(meetings, [&](const FusePlace &one) { return one.position == depth; });
}

//===-- Movements ---------------------------------------------------------------------------===//

bool FusedPlanner::addNeeds(size_t producer, const Frame &reader, const Access &read,
                            Frame &frame) {
  const Access &write = groups[producer].last().write;
  const Statement &maker = *groups[producer].main;
  SourceRange where = placeOf(write.tensor)->where;
  for (size_t rank = 0; rank < write.ranks.size(); ++rank) {
    const Subscript &target = write.ranks[rank];
    bool isPlain = target.terms.size() == 1 && target.terms[0].second == 1 && target.constant == 0;
    llvm::Optional<Movement> need = needOf(reader, read.ranks[rank]);
    if (!need || !isPlain)
      return fail(diag::FusedTile, where, write.tensor,
                  "a subscript of it is no index where it is written, or goes backwards where it "
                  "is read");
    Movement &known = frame.moves[target.terms[0].first];
    // Positions outside the tensor are padding, which nobody makes.
    need->tile = std::min(need->tile, std::max<int64_t>(1, maker.extents[target.terms[0].first]));
    if (known.tile != 0 &&
        (known.shifts != need->shifts || known.tile != need->tile || known.ahead != need->ahead))
      return fail(diag::FusedTile, where, write.tensor, "two statements read different tiles");
    known = std::move(*need);
  }
  return true;
}

/// Indices that no reader decides: all values in each step, or, of a result that nobody reads tile
/// by tile, as the last statement's index of the same name moves.
void FusedPlanner::moveOthers(size_t group, bool isRead, Frame &frame) const {
  const Statement &statement = *groups[group].main, &last = *groups.back().main;
  Frame outer = frames.back().upTo(meetingPlace(group).position, last.extents);
  for (unsigned index = 0; index < frame.moves.size(); ++index) {
    Movement &move = frame.moves[index];
    if (move.tile != 0)
      continue;
    move.shifts.assign(frame.loops.size(), 0);
    move.tile = std::max<int64_t>(1, statement.extents[index]);
    llvm::Optional<unsigned> same = isRead ? llvm::None : last.find(statement.names[index]);
    if (same && outer.moves[*same].isMoved())
      move = outer.moves[*same];
  }
}

/// Gives `group` the loops of the statements that read its result, and its own further in.
bool FusedPlanner::follow(size_t group) {
  const Statement &statement = *groups[group].main;
  FusePlace place = meetingPlace(group);
  std::vector<Reading> readings;
  if (placeOf(made(group)))
    readings = readingsOf(group);
  Frame frame;
  size_t parent = readings.empty() ? groups.size() - 1 : readings.front().group;
  frame.loops = frames[parent].upTo(place.position, groups[parent].main->extents).loops;
  frame.moves.resize(statement.names.size());
  for (Movement &move : frame.moves)
    move.tile = 0; // not known
  for (const Reading &reading : readings) {
    const Statement &reader = *groups[reading.group].main;
    Frame shared = frames[reading.group].upTo(place.position, reader.extents);
    if (!shared.hasLoopsOf(frame))
      return fail(diag::FusedTile, place.where, made(group),
                  "the statements that read it do not share these loops");
    if (!addNeeds(group, shared, reading.access, frame))
      return false;
  }
  bool isRead = !readings.empty() && !readings.front().isFinish;
  int64_t kept = 0;
  moveOthers(group, isRead, frame);
  if (!checkSharedLoops(fused.nests[group], place.position, frame, diagnostics) ||
      (isRead && !checkRevisits(groups, group, frame, made(parent), diagnostics)) ||
      !followFrame(fused.nests[group], frame, place, kept, diagnostics))
    return false;
  if (kept > 0)
    fused.kept.push_back({made(group).str(), kept});
  if (size_t depth = depthOf(group); depth > place.position)
    extendFrame(frame, fused.nests[group], place.position, depth, nextId);
  frames[group] = std::move(frame);
  return true;
}

//===-- Results -----------------------------------------------------------------------------===//

/// The loops at a meeting place step from tile to tile: they stand outside it.
void FusedPlanner::standOutside(size_t group) {
  NestPlan &plan = fused.nests[group];
  size_t depth = depthOf(group);
  for (PlannedLoop &loop : plan.loops) {
    size_t position = plan.positionOf(loop.place);
    bool isMeeting =
        llvm::any_of(meetings, [&](const FusePlace &one) { return one.position == position; });
    if (!isMeeting || position > depth)
      continue;
    const ir::Operation &memory = *chip.places[loop.place].op;
    do
      loop.place = plan.places[--position];
    while (position > 0 && !isOnWay(*chip.places[loop.place].op, memory));
  }
  if (placeOf(made(group)))
    return;
  for (const FusePlace &place : llvm::reverse(meetings))
    if (place.position <= depth)
      bypassRepeated(plan, place.position);
}

/// Tiles outside the first array that dispatches.
int64_t FusedPlanner::blocks() const {
  const NestPlan &last = fused.nests.back();
  size_t array = 0;
  while (array < last.places.size() && !chip.places[last.places[array]].isDispatched)
    ++array;
  if (array == last.places.size() || array > meetings.front().position)
    return 1;
  int64_t count = 1;
  for (const FrameLoop &one : frames.back().loops)
    if (!one.loop.axis && one.position < array)
      count = checkedMultiply(count, one.loop.factor).getValueOr(INT64_MAX);
  return count;
}

bool FusedPlanner::findRunning() {
  std::vector<RunningGroup> running;
  for (size_t group = 0; group < groups.size(); ++group)
    running.push_back({&groups[group], &frames[group], placeOf(made(group)) != nullptr});
  auto rescales = findRescaling(running, meetings.front().where, diagnostics);
  if (rescales)
    fused.rescales = std::move(*rescales);
  return rescales.hasValue();
}

bool FusedPlanner::finish() {
  fused.place = meetings.back().memory;
  fused.blocks = blocks();
  for (size_t group = 0; group < groups.size(); ++group)
    standOutside(group);
  bool valid = true;
  for (NestPlan &plan : fused.nests)
    valid &= assignUnit(plan, meetings.front().where, diagnostics) &&
             checkPlan(plan, meetings.front().where, diagnostics) &&
             checkDependences(plan, meetings.front().where, diagnostics);
  auto isRescaled = [&](llvm::StringRef tensor) {
    return llvm::any_of(fused.rescales, [&](const Rescale &one) { return one.tensor == tensor; });
  };
  return valid && checkFusedOrder(
                      groups, fused.nests, frames,
                      [&](llvm::StringRef tensor) { return placeOf(tensor) || isRescaled(tensor); },
                      diagnostics);
}

llvm::Optional<FusedPlan> FusedPlanner::run() {
  if (!readPlans() || !readFuses())
    return llvm::None;
  size_t last = groups.size() - 1;
  frames[last] = frameOf(fused.nests[last], depthOf(last), nextId);
  if (!checkSharedLoops(fused.nests[last], depthOf(last), frames[last], diagnostics))
    return llvm::None;
  for (size_t group = last; group-- > 0;)
    if (!follow(group))
      return llvm::None;
  if (!findRunning() || !finish())
    return llvm::None;
  return std::move(fused);
}

llvm::Optional<FusedPlan> passes::planFused(const Chip &chip, llvm::ArrayRef<StatementGroup> groups,
                                            loopnest::MappingOp mapping,
                                            DiagnosticEngine &diagnostics) {
  return FusedPlanner(chip, groups, mapping, diagnostics).run();
}
