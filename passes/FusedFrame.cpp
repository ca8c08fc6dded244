// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusedFrame.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

int64_t passes::boundedProduct(int64_t a, int64_t b) {
  return checkedMultiply(a, b).getValueOr(INT64_MAX / 4);
}

Frame Frame::upTo(size_t position, llvm::ArrayRef<int64_t> extents) const {
  Frame result;
  for (const FrameLoop &loop : loops)
    if (loop.position <= position)
      result.loops.push_back(loop);
  for (size_t index = 0; index < moves.size(); ++index) {
    Movement move = moves[index];
    for (size_t k = result.loops.size(); k < loops.size(); ++k)
      move.tile = std::min(INT64_MAX / 4,
                           move.tile + boundedProduct(move.shifts[k], loops[k].loop.factor - 1));
    move.tile = std::min(move.tile, std::max<int64_t>(1, extents[index]));
    move.shifts.resize(result.loops.size());
    result.moves.push_back(std::move(move));
  }
  return result;
}

bool Frame::hasLoopsOf(const Frame &other) const {
  return loops.size() == other.loops.size() &&
         std::equal(loops.begin(), loops.end(), other.loops.begin(),
                    [](const FrameLoop &a, const FrameLoop &b) { return a.id == b.id; });
}

int64_t passes::coverInside(const NestPlan &plan, unsigned index, size_t position) {
  int64_t cover = 1;
  for (const PlannedLoop &loop : plan.loops)
    if (plan.positionOf(loop.place) > position && llvm::is_contained(loop.indices, index))
      cover = boundedProduct(cover, loop.factor);
  return std::min(cover, std::max<int64_t>(1, plan.statement->extents[index]));
}

/// Shifts of the loops from `first` on, which are digits of their indices; tiles inside them.
static void moveByDigits(Frame &frame, const NestPlan &plan, size_t first, size_t position) {
  for (unsigned index = 0; index < frame.moves.size(); ++index) {
    Movement &move = frame.moves[index];
    move.tile = coverInside(plan, index, position);
    move.shifts.resize(frame.loops.size(), 0);
    int64_t step = move.tile;
    for (size_t k = frame.loops.size(); k-- > first;)
      if (llvm::is_contained(frame.loops[k].loop.indices, index)) {
        move.shifts[k] = step;
        step = boundedProduct(step, frame.loops[k].loop.factor);
      }
  }
}

void passes::extendFrame(Frame &frame, const NestPlan &plan, size_t from, size_t to,
                         unsigned &nextId) {
  size_t first = frame.loops.size();
  for (const PlannedLoop &loop : plan.loops) {
    size_t position = plan.positionOf(loop.place);
    if (position > from && position <= to && loop.factor > 1)
      frame.loops.push_back({nextId++, loop, position});
  }
  moveByDigits(frame, plan, first, to);
}

Frame passes::frameOf(const NestPlan &plan, size_t position, unsigned &nextId) {
  Frame frame;
  frame.moves.resize(plan.statement->names.size());
  for (const PlannedLoop &loop : plan.loops)
    if (plan.positionOf(loop.place) <= position && loop.factor > 1)
      frame.loops.push_back({nextId++, loop, plan.positionOf(loop.place)});
  moveByDigits(frame, plan, 0, position);
  return frame;
}

llvm::Optional<Movement> passes::needOf(const Frame &frame, const Subscript &subscript) {
  Movement need;
  need.shifts.assign(frame.loops.size(), 0);
  need.isPlain = subscript.terms.size() == 1 && subscript.terms.front().second == 1;
  for (const auto &[index, coefficient] : subscript.terms) {
    if (coefficient < 0)
      return llvm::None;
    const Movement &move = frame.moves[index];
    auto add = [&](int64_t &sum, int64_t factor) {
      sum = std::min(INT64_MAX / 4, sum + boundedProduct(coefficient, factor));
    };
    add(need.tile, move.tile - 1);
    add(need.ahead, move.ahead);
    for (size_t k = 0; k < frame.loops.size(); ++k)
      add(need.shifts[k], move.shifts[k]);
  }
  return subscript.dataDependent ? llvm::None : llvm::Optional<Movement>(std::move(need));
}
