// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusedChecks.h"

#include "ir/common/diagnostics/Fusion.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

static std::string indicesOf(const ir::Operation &loop) {
  return fmt::format("{}", fmt::join(loop.stringsAttr("indices"), "`, `"));
}

bool passes::checkSharedIndices(loopnest::MappingOp mapping, llvm::ArrayRef<NestPlan> nests,
                                DiagnosticEngine &diagnostics) {
  bool valid = true;
  for (const ir::Operation &place : mapping->body()) {
    if (!place.is(loopnest::PlaceOp::opName))
      continue;
    for (const ir::Operation &loop : place.body()) {
      auto has = [&](const NestPlan &plan) {
        return llvm::any_of(plan.loops,
                            [&](const PlannedLoop &one) { return one.source == &loop; });
      };
      if (llvm::any_of(nests, has))
        continue;
      diagnostics.report(loop.range(), diag::NoFusedIndex, indicesOf(loop));
      valid = false;
    }
  }
  return valid;
}

bool passes::checkSharedLoops(const NestPlan &plan, size_t position, const Frame &frame,
                              DiagnosticEngine &diagnostics) {
  for (const FrameLoop &one : frame.loops)
    if (one.loop.indices.size() != 1) {
      diagnostics.report(one.loop.source->range(), diag::FusedLoop, indicesOf(*one.loop.source),
                         "it drives several indices with one number");
      return false;
    }
  for (const PlannedLoop &loop : plan.loops) {
    if (plan.positionOf(loop.place) > position || loop.factor == 1)
      continue;
    if (llvm::any_of(frame.loops,
                     [&](const FrameLoop &one) { return one.loop.source == loop.source; }))
      continue;
    diagnostics
        .report(loop.source->range(), diag::FusedLoop, plan.statement->writtenName(loop.indices[0]),
                fmt::format("the statement that it is fused to does not have it at or outside `{}`",
                            plan.chip->places[plan.places[position]].name))
        .help("its own loops stand at memories further in");
    return false;
  }
  return true;
}

/// The index of a loop of one statement or another.
static std::string writtenName(llvm::ArrayRef<StatementGroup> groups, const FrameLoop &loop) {
  std::string name = loop.loop.source->stringsAttr("indices").front();
  for (const StatementGroup &group : groups)
    if (llvm::Optional<unsigned> index = group.main->find(name))
      return group.main->writtenName(*index);
  return name;
}

bool passes::checkRevisits(llvm::ArrayRef<StatementGroup> groups, size_t maker, const Frame &frame,
                           llvm::StringRef reader, DiagnosticEngine &diagnostics) {
  const FrameLoop *moving = nullptr; // the innermost loop that does
  for (size_t k = frame.loops.size(); k-- > 0;) {
    const FrameLoop &loop = frame.loops[k];
    bool moved =
        llvm::any_of(frame.moves, [&](const Movement &move) { return move.shifts[k] != 0; });
    if (!moved && moving) {
      diagnostics
          .report(loop.loop.source->range(), diag::FusedLoop, writtenName(groups, loop),
                  fmt::format("its steps come back to tiles of `{}` that were left, which `{}` "
                              "needs",
                              groups[maker].last().write.tensor, reader))
          .help(fmt::format("inside the loop over `{}` it stays with one tile",
                            writtenName(groups, *moving)));
      return false;
    }
    if (moved && !moving)
      moving = &loop;
  }
  return true;
}
