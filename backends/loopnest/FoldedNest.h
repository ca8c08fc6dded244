// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product on a systolic array without a mapping of the user. A matrix product (or a convolution
// seen as one) runs in folds (systolic/Folds.h), and the memories around the array move what the
// folds ask for:
//     an operand that fits half of a memory enters it once,
//     one that does not enters again for each sweep over it,
//     partial sums that fit half of a memory are added up there, others go up and come back.
// docs/cost-model.md has the formulas.
#ifndef PERFC_BACKENDS_LOOPNEST_FOLDEDNEST_H
#define PERFC_BACKENDS_LOOPNEST_FOLDEDNEST_H

#include "backends/loopnest/SystolicNest.h"

namespace perfc {
namespace loopnest {

/// The counts of a product in folds, with `steps` the cycles of the array; rewrites the loops of
/// `adapted` to those of the array, and names the fold plan in `plan`. Nothing when the nest is no
/// product, the array is not the only one, or a count does not fit 64 bits.
llvm::Optional<Counts> foldedCounts(AdaptedNest &adapted, const SystolicPlace &place,
                                    std::string &plan);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_FOLDEDNEST_H
