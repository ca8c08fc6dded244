// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From loopnest.nest and target.chip to the flat nest that the reuse analysis counts: the iteration
// domain and the access relations in the normal form that isl gives them, and the loops. A
// subscript that depends on data is on the safe side a new row for each setting of the indices that
// the key depends on, with a note.
#ifndef PERFC_BACKENDS_LOOPNEST_NESTADAPTER_H
#define PERFC_BACKENDS_LOOPNEST_NESTADAPTER_H

#include "backends/loopnest/analysis/Analyse.h"
#include "ir/loopnest/LoopnestOps.h"
#include "ir/op/OpOps.h"
#include "passes/analysis/Chip.h"
#include "passes/analysis/NormalForm.h"

namespace perfc {
namespace loopnest {

/// A nest to analyse, and what its parts are.
struct AdaptedNest {
  Nest nest;
  op::StatementOp statement;
  /// By tensor of `nest`.
  std::vector<TensorOp> tensors;
  /// By place of `nest`: a target.memory or target.array; null for loops in time between the lanes
  /// of an array, where nothing is stored. The lanes within are the same array once more.
  std::vector<const ir::Operation *> places;
  /// Name of the unit that executes a point.
  std::string unit;
  std::vector<std::string> notes;
};

/// Nothing, with the reason, when `nest` does not fit its kernel or chip, or its sets are none.
llvm::Optional<AdaptedNest> adaptNest(NestOp nest, const passes::Chip &chip,
                                      passes::NormalForms &forms, std::string &reason);

/// Drops the conditions of the nest, with a note: their points are executed as well. For what
/// counts nests in a way of its own.
void ignoreConditions(AdaptedNest &adapted);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_NESTADAPTER_H
