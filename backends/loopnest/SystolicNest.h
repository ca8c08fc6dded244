// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mapped nest on a chip with a systolic array. The loops stay as they are, and each change of the
// stationary operand costs the filling and draining of the array. It is the same machine as that of
// FoldedNest.h: its elements keep what stays, whether they have a memory for it or not, and pass on
// what streams, so the same nest has the same counts in either way. docs/cost-model.md has the
// formulas.
#ifndef PERFC_BACKENDS_LOOPNEST_SYSTOLICNEST_H
#define PERFC_BACKENDS_LOOPNEST_SYSTOLICNEST_H

#include "backends/loopnest/NestAdapter.h"
#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/systolic/Folds.h"

namespace perfc {
namespace loopnest {

/// The systolic array among the places of a nest.
struct SystolicPlace {
  size_t position; ///< among the places
  SystolicArray array;
};

/// Nothing when no array of the nest is systolic.
llvm::Optional<SystolicPlace> findSystolic(const AdaptedNest &adapted);

/// Gives the elements of a systolic array, where no memory in them keeps the stationary operand, a
/// place of no cost that does, for the analysis; `takeCounts` takes it out again.
void holdStationary(AdaptedNest &adapted);

/// The counts of a mapped nest from what `analyse` found for `adapted` as `holdStationary` leaves
/// it; what that added is gone again. On a systolic array words are passed from element to element,
/// so each enters or leaves once and crosses one link per point, and changes of the stationary
/// operand take the cycles of folds. Nothing when these do not fit 64 bits.
llvm::Optional<Counts> takeMappedCounts(AdaptedNest &adapted, AnalysisResult result);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SYSTOLICNEST_H
