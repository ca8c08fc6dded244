// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A nest on a chip with a systolic array. Without a mapping of the user, a matrix product (or a
// convolution seen as one) runs in folds (systolic/Folds.h), and the memories around the array move
// what the folds ask for:
//     an operand that fits half of a memory enters it once,
//     one that does not enters again for each sweep over it,
//     partial sums that fit half of a memory are added up there, others go up and come back.
// With a mapping, the loops stay as they are, and each change of the stationary operand costs the
// filling and draining of the array. The array is the same machine then: its elements keep what
// stays, whether they have a memory for it or not, and pass on what streams. The same nest has the
// same counts in either way. docs/cost-model.md has the formulas.
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

/// The counts of a product in folds, with `steps` the cycles of the array; rewrites the loops of
/// `adapted` to those of the array, and names the fold plan in `plan`. Nothing when the nest is no
/// product, the array is not the only one, or a count does not fit 64 bits.
llvm::Optional<Counts> foldedCounts(AdaptedNest &adapted, const SystolicPlace &place,
                                    std::string &plan);

/// The operand that stays in the elements: the tensor of that role; nothing when none has it.
llvm::Optional<unsigned> stationaryTensor(const AdaptedNest &adapted, const SystolicPlace &place);

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
