// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusedRunning.h"

#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Fusion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

using namespace perfc;
using namespace perfc::passes;

namespace {

using LoopIds = llvm::SmallSet<unsigned, 4>;

class RunningResults {
public:
  RunningResults(llvm::ArrayRef<RunningGroup> groups, SourceRange where,
                 DiagnosticEngine &diagnostics)
      : groups(groups), where(where), diagnostics(diagnostics), partial(groups.size()) {}

  llvm::Optional<std::vector<Rescale>> run();

private:
  const Statement &main(size_t group) const { return *groups[group].group->main; }
  const Access &made(size_t group) const { return groups[group].group->last().write; }
  bool moves(size_t group, size_t loop, bool onlyReductions) const;
  void findPartial(size_t group);
  bool checkReads(size_t reader);
  bool checkRead(size_t reader, size_t maker);
  bool rescale(size_t reader, size_t maker, const FrameLoop &loop);
  bool addRescale(llvm::StringRef tensor, int64_t elements, bool isStatistics);
  bool refuse(size_t maker, const FrameLoop &loop, llvm::StringRef why);

  llvm::ArrayRef<RunningGroup> groups;
  SourceRange where;
  DiagnosticEngine &diagnostics;
  std::vector<LoopIds> partial; ///< by group: loops in whose steps its result is not complete
  std::vector<Rescale> rescales;
  int64_t changes = 0; ///< of the statistics of a maximum, per element
};

} // namespace

/// True when `loop` of the group's frame takes steps along one of its indices.
bool RunningResults::moves(size_t group, size_t loop, bool onlyReductions) const {
  const Frame &frame = *groups[group].frame;
  for (unsigned index = 0; index < frame.moves.size(); ++index)
    if (frame.moves[index].shifts[loop] != 0 && (!onlyReductions || main(group).isReduction(index)))
      return true;
  return false;
}

void RunningResults::findPartial(size_t group) {
  const Frame &frame = *groups[group].frame;
  for (size_t k = 0; k < frame.loops.size(); ++k)
    if (moves(group, k, /*onlyReductions=*/true))
      partial[group].insert(frame.loops[k].id);
}

bool RunningResults::refuse(size_t maker, const FrameLoop &loop, llvm::StringRef why) {
  auto &error = diagnostics.report(where, diag::FusedRunning, made(maker).tensor, why);
  if (loop.loop.source)
    error.note(loop.loop.source->range(), "this loop reduces it step by step");
  return false;
}

bool RunningResults::addRescale(llvm::StringRef tensor, int64_t elements, bool isStatistics) {
  if (llvm::any_of(rescales, [&](const Rescale &one) { return one.tensor == tensor; }))
    return true;
  llvm::Optional<int64_t> count = checkedMultiply(elements, changes);
  if (!count) {
    diagnostics.report(where, diag::CountOverflow, tensor, "elements to rescale");
    return false;
  }
  rescales.push_back({tensor.str(), *count, isStatistics});
  return true;
}

/// `reader` takes the exponential of a difference to the maximum that `maker` has so far.
bool RunningResults::rescale(size_t reader, size_t maker, const FrameLoop &loop) {
  llvm::StringRef kind = main(maker).op.reduce();
  if (kind != "max" && kind != "min")
    return refuse(maker, loop,
                  "only the exponential of a difference to a maximum can be put right "
                  "afterwards");
  if (!main(reader).op.functions().find("exp") || !groups[reader].staysInside)
    return refuse(maker, loop,
                  fmt::format("`{}`, which depends on it, is no exponential that stays inside",
                              made(reader).tensor));
  int64_t steps = 1;
  for (const FrameLoop &one : groups[maker].frame->loops)
    if (partial[maker].count(one.id))
      steps = checkedMultiply(steps, one.loop.factor).getValueOr(INT64_MAX);
  changes = steps - 1;
  if (!addRescale(made(maker).tensor, made(maker).elements(main(maker).extents), true))
    return false;
  for (size_t sum = reader + 1; sum < groups.size(); ++sum) {
    if (llvm::none_of(main(sum).reads,
                      [&](const Access &read) { return read.tensor == made(reader).tensor; }))
      continue;
    if (main(sum).op.reduce() != "+" || !partial[sum].count(loop.id))
      return refuse(maker, loop,
                    fmt::format("`{}`, which depends on it, is no sum over the same steps",
                                made(sum).tensor));
    const Access &accumulated = main(sum).write;
    if (!addRescale(accumulated.tensor, accumulated.elements(main(sum).extents), false))
      return false;
  }
  return true;
}

bool RunningResults::checkRead(size_t reader, size_t maker) {
  const Frame &frame = *groups[reader].frame;
  for (size_t k = 0; k < frame.loops.size(); ++k) {
    if (!partial[maker].count(frame.loops[k].id))
      continue;
    if (moves(reader, k, /*onlyReductions=*/false)) {
      if (!rescale(reader, maker, frame.loops[k]))
        return false;
    } else {
      // It runs in the last step only, or its own result is as incomplete as what it reads.
      partial[reader].insert(frame.loops[k].id);
    }
  }
  return true;
}

/// Reads of the main statement, and those of epilogues that come before the main sum is complete.
bool RunningResults::checkReads(size_t reader) {
  const StatementGroup &group = *groups[reader].group;
  for (size_t maker = 0; maker < reader; ++maker) {
    auto readsIt = [&](const Statement &statement) {
      return llvm::any_of(statement.reads,
                          [&](const Access &read) { return read.tensor == made(maker).tensor; });
    };
    bool isEarly = readsIt(*group.main);
    for (const Statement *epilogue : group.epilogues)
      for (const FrameLoop &loop : groups[reader].frame->loops)
        isEarly |=
            readsIt(*epilogue) && partial[maker].count(loop.id) && !partial[reader].count(loop.id);
    if (isEarly && !checkRead(reader, maker))
      return false;
  }
  return true;
}

llvm::Optional<std::vector<Rescale>> RunningResults::run() {
  for (size_t group = 0; group < groups.size(); ++group)
    findPartial(group);
  for (size_t group = 0; group < groups.size(); ++group)
    if (!checkReads(group))
      return llvm::None;
  return std::move(rescales);
}

llvm::Optional<std::vector<Rescale>> passes::findRescaling(llvm::ArrayRef<RunningGroup> groups,
                                                           SourceRange where,
                                                           DiagnosticEngine &diagnostics) {
  return RunningResults(groups, where, diagnostics).run();
}
