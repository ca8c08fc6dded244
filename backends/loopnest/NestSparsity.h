// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The zeros that a phase.kernel states, as the sparsity of the nest that it runs.
#ifndef PERFC_BACKENDS_LOOPNEST_NESTSPARSITY_H
#define PERFC_BACKENDS_LOOPNEST_NESTSPARSITY_H

#include "backends/loopnest/NestAdapter.h"
#include "backends/loopnest/sparse/Sparsity.h"

namespace perfc {
namespace loopnest {

/// Nothing when `placement` states no zeros of the nest's tensors; it may be null.
llvm::Optional<Sparsity> sparsityOf(const AdaptedNest &nest, const ir::Operation *placement);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_NESTSPARSITY_H
