// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusedOrder.h"

#include "ir/common/diagnostics/Fusion.h"
#include "passes/DependenceChecks.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

namespace {

/// What a group does to a tensor, in the indices of its main statement.
struct GroupAccess {
  llvm::StringRef tensor;
  std::vector<Subscript> ranks;
  bool isWrite;
};

} // namespace

static std::vector<GroupAccess> accessesOf(const StatementGroup &group) {
  const Statement &main = *group.main;
  std::vector<GroupAccess> list{{main.write.tensor, main.write.ranks, true}};
  for (const Access &read : main.reads)
    list.push_back({read.tensor, read.ranks, false});
  for (const Access &read : finishReads(group))
    list.push_back({read.tensor, read.ranks, false});
  // Epilogues write, point by point, where the main statement does.
  for (const Statement *epilogue : group.epilogues)
    list.push_back({epilogue->write.tensor, main.write.ranks, true});
  return list;
}

/// Loops of several steps, outermost first.
static std::vector<const PlannedLoop *> steppingLoops(const NestPlan &plan) {
  std::vector<const PlannedLoop *> loops;
  for (const PlannedLoop &loop : plan.loops)
    if (loop.factor > 1)
      loops.push_back(&loop);
  return loops;
}

/// Outermost loops that both run together. What is further in both have for themselves.
static size_t sharedLoops(const NestPlan &first, const Frame &firstFrame, const NestPlan &second,
                          const Frame &secondFrame) {
  std::vector<const PlannedLoop *> a = steppingLoops(first), b = steppingLoops(second);
  size_t most = std::min({a.size(), b.size(), firstFrame.loops.size(), secondFrame.loops.size()});
  auto isShared = [&](size_t at) {
    const FrameLoop &loop = firstFrame.loops[at];
    return loop.id == secondFrame.loops[at].id && a[at]->source == loop.loop.source &&
           b[at]->source == loop.loop.source;
  };
  size_t count = 0;
  while (count < most && isShared(count))
    ++count;
  return count;
}

static std::string wordFor(bool isWrite) { return isWrite ? "sets" : "reads"; }

bool passes::checkFusedOrder(llvm::ArrayRef<StatementGroup> groups, llvm::ArrayRef<NestPlan> nests,
                             llvm::ArrayRef<Frame> frames,
                             llvm::function_ref<bool(llvm::StringRef)> isKnown,
                             DiagnosticEngine &diagnostics) {
  for (size_t a = 0; a < groups.size(); ++a)
    for (size_t b = a + 1; b < groups.size(); ++b) {
      // Tiles that overlap belong to tensors that stay inside.
      auto first = orderedLoops(nests[a]), second = orderedLoops(nests[b]);
      size_t shared = sharedLoops(nests[a], frames[a], nests[b], frames[b]);
      if (!first || !second || shared == 0)
        continue;
      const Statement &earlier = *groups[a].main, &later = *groups[b].main;
      for (const GroupAccess &one : accessesOf(groups[a]))
        for (const GroupAccess &other : accessesOf(groups[b])) {
          if (one.tensor != other.tensor || !(one.isWrite || other.isWrite) || isKnown(one.tensor))
            continue;
          auto broken =
              firstBroken({&earlier, one.ranks, *first}, {&later, other.ranks, *second}, shared);
          if (!broken)
            continue;
          std::string example;
          if (!broken->first.empty())
            example = fmt::format(": at {} it {} what is {} at {}",
                                  pointText(later, broken->second), wordFor(other.isWrite),
                                  one.isWrite ? "set" : "read", pointText(earlier, broken->first));
          diagnostics
              .report(steppingLoops(nests[b])[*broken->loop]->source->range(),
                      diag::FusedDependence, later.write.tensor, wordFor(other.isWrite), one.tensor,
                      earlier.write.tensor, wordFor(one.isWrite), example)
              .note(earlier.op->range(), "this comes first")
              .note(later.op->range(), "and then this");
          return false;
        }
    }
  return true;
}
