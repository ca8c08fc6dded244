// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a counted nest: one part per memory, array network and compute unit, put together.
#ifndef PERFC_BACKENDS_LOOPNEST_NESTCOST_H
#define PERFC_BACKENDS_LOOPNEST_NESTCOST_H

#include "backends/core/Chip.h"
#include "backends/core/Leakage.h"
#include "backends/loopnest/ChipTime.h"
#include "backends/loopnest/NestAdapter.h"
#include "backends/loopnest/analysis/Counts.h"
#include "ir/phase/PhaseOps.h"

namespace perfc {
namespace loopnest {

/// What is known before costs are put together.
struct CountedNest {
  const AdaptedNest &adapted;
  const Counts &counts;
  /// Of the unit that executes the points.
  UnitRate rate;
  llvm::Optional<Quantity> clock;
  /// Bytes that statements fused to this one read from the outermost memory besides.
  int64_t extraBytes = 0;
};

/// One resource that a nest uses.
struct ResourceCost {
  CostPart part;
  ChipTime time;
  std::vector<std::string> notes;
};

/// The resource "memory NAME" and its traffic; `memory` counts the memories of the nest.
ResourceCost memoryCost(const CountedNest &nest, size_t memory, MemoryTraffic &traffic);
/// The networks of one array; `array` counts the arrays of the nest.
ResourceCost networkCost(const CountedNest &nest, size_t array);
/// The compute unit: steps * operations per point / rate.
ResourceCost computeCost(const CountedNest &nest);

using passes::networkFor;
using perfc::leakage;

/// Operations that a point takes on a lane: a multiply-accumulate is one, every other operation of
/// the equation one more.
int64_t operationsPerPoint(op::StatementOp statement);

/// The rows of the table of accesses.
std::vector<AccessCounts> accessTable(const CountedNest &nest);
/// Adds the rows of operands that finish a result, behind those of the outermost memory, which they
/// are read from.
void addFinishRows(llvm::ArrayRef<phase::FinishOperand> operands, llvm::StringRef outermost,
                   std::vector<AccessCounts> &table);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_NESTCOST_H
