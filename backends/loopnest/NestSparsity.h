// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The zeros that a phase.kernel states, as the sparsity of the nest that it runs.
#ifndef PERFC_BACKENDS_LOOPNEST_NESTSPARSITY_H
#define PERFC_BACKENDS_LOOPNEST_NESTSPARSITY_H

#include "backends/loopnest/NestAdapter.h"
#include "backends/loopnest/NestCost.h"
#include "backends/loopnest/sparse/Sparsity.h"

namespace perfc {
namespace loopnest {

/// Nothing when `placement` states no zeros of the nest's tensors; it may be null.
llvm::Optional<Sparsity> sparsityOf(const AdaptedNest &nest, const ir::Operation *placement);

/// What turns the stored words of `tensor` into plain ones: its energy by the counts of `nest`, its
/// time by those of `timed`, words / (rate * instances that work). Nothing when it takes neither.
llvm::Optional<ResourceCost> decoderCost(const CountedNest &nest, const Counts &timed,
                                         const Sparsity &zeros, size_t tensor);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_NESTSPARSITY_H
