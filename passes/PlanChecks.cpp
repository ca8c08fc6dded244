// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Mappings.h"
#include "passes/NestPlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

/// Where the loop, else the mapping, was written; nowhere for loops that nobody wrote.
static SourceRange placeOfLoop(const PlannedLoop *loop, SourceRange written) {
  if (loop && loop->source)
    return loop->source->range();
  return written;
}

//===-- Coverage
//-------------------------------------------------------------------------------===//

/// The loops that step through the values of one index; those that number its tiles do not.
struct IndexLoops {
  const PlannedLoop *outermost = nullptr; ///< of several steps
  int64_t cover = 1;                      ///< values
  int64_t step = 1;                       ///< of the outermost

  IndexLoops(const NestPlan &plan, unsigned index) {
    for (const PlannedLoop &loop : llvm::reverse(plan.loops)) {
      if (!llvm::is_contained(loop.indices, index) || loop.factor == 1 || loop.numbersTiles)
        continue;
      outermost = &loop;
      step = cover;
      cover = checkedMultiply(cover, loop.factor).getValueOr(INT64_MAX);
    }
  }
};

bool passes::checkLength(const NestPlan &plan, unsigned index, int64_t extent, SourceRange written,
                         DiagnosticEngine &diagnostics) {
  IndexLoops loops(plan, index);
  if (!loops.outermost || (loops.outermost->factor - 1) <= (extent - 1) / loops.step)
    return true;
  diagnostics.report(placeOfLoop(loops.outermost, written), diag::LoopTooLong,
                     plan.statement->writtenName(index), counted(loops.outermost->factor, "step"),
                     loops.step, extent, (extent - 1) / loops.step + 1);
  return false;
}

static bool checkIndex(const NestPlan &plan, unsigned index, SourceRange written,
                       DiagnosticEngine &diagnostics) {
  const Statement &statement = *plan.statement;
  int64_t extent = statement.extents[index];
  for (const PlannedWindow &window : plan.windows)
    if (window.index == index)
      extent = window.extent;
  if (extent < 1) {
    diagnostics.report(written, diag::NestNotCounted,
                       fmt::format("{} has size {}", statement.writtenName(index), extent));
    return false;
  }
  IndexLoops loops(plan, index);
  if (loops.cover >= extent)
    return checkLength(plan, index, extent, written, diagnostics);
  diagnostics
      .report(placeOfLoop(loops.outermost, written), diag::LoopNotCovered,
              statement.writtenName(index), loops.cover, extent)
      .help("the factors of an index, multiplied, cover its extent; `rest` is the smallest factor "
            "that does");
  return false;
}

//===-- Axes
//-----------------------------------------------------------------------------------===//

static bool checkAxes(const NestPlan &plan, SourceRange written, DiagnosticEngine &diagnostics) {
  bool valid = true;
  for (unsigned p = 0; p < plan.chip->places.size(); ++p)
    for (unsigned a = 0; a < plan.chip->places[p].axes.size(); ++a) {
      const Axis &axis = plan.chip->places[p].axes[a];
      int64_t lanes = 1;
      const PlannedLoop *last = nullptr;
      for (const PlannedLoop &loop : plan.loops)
        if (loop.place == p && loop.axis && *loop.axis == a) {
          lanes = checkedMultiply(lanes, loop.factor).getValueOr(INT64_MAX);
          last = &loop;
        }
      if (lanes <= axis.size)
        continue;
      valid = false;
      diagnostics
          .report(placeOfLoop(last, written), diag::AxisTooSmall,
                  fmt::format("{}.{}", plan.chip->places[p].name, axis.name),
                  counted(axis.size, "lane"), lanes)
          .note(plan.chip->places[p].op->range(), "the array is declared here");
    }
  return valid;
}

//===-- Capacities
//-----------------------------------------------------------------------------===//

/// Where the mapping says what the memory's tile is: its place, else the mapping.
static SourceRange placeRange(const NestPlan &plan, unsigned place, SourceRange written) {
  for (const PlannedLoop &loop : plan.loops)
    if (loop.place == place && loop.source && loop.source->parentOp())
      return loop.source->parentOp()->range();
  return written;
}

/// True when keptBits is what the tile at `position` holds, and no bound of it.
static bool countsTile(const NestPlan &plan, size_t position) {
  const Statement &statement = *plan.statement;
  llvm::SmallVector<int64_t, 8> tile = plan.tile(position);
  auto counts = [&](const Access &access, bool isWritten) {
    return !plan.isKept(plan.places[position], access, isWritten) ||
           statement.countsElements(access, tile);
  };
  return counts(statement.write, true) &&
         llvm::all_of(statement.reads, [&](const Access &read) { return counts(read, false); });
}

bool passes::checkCapacities(const NestPlan &plan, SourceRange written,
                             DiagnosticEngine &diagnostics) {
  bool valid = true;
  for (size_t position = 0; position < plan.places.size(); ++position) {
    const Place &place = plan.chip->places[plan.places[position]];
    if (!place.capacityBits || !countsTile(plan, position))
      continue;
    auto tensors = keptBits(plan, position);
    double needed = totalBits(tensors);
    if (needed <= static_cast<double>(*place.capacityBits))
      continue;
    valid = false;
    std::vector<std::string> parts;
    for (const TensorBits &tensor : tensors)
      parts.push_back(tensor.tensor.str() + " " + sizeText(tensor.bits));
    diagnostics
        .report(placeRange(plan, plan.places[position], written), diag::CapacityExceeded,
                place.name, sizeText(*place.capacityBits), sizeText(needed),
                fmt::join(parts, " + "))
        .note(place.op->range(), "the memory is declared here");
  }
  return valid;
}

bool passes::checkPlan(const NestPlan &plan, SourceRange written, DiagnosticEngine &diagnostics) {
  bool valid = true;
  for (unsigned index = 0; index < plan.statement->extents.size(); ++index)
    valid &= checkIndex(plan, index, written, diagnostics);
  return checkAxes(plan, written, diagnostics) && valid;
}
