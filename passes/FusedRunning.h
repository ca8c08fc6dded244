// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions that are read before they are complete. Tile by tile over j, m = max_j S[j] is a
// running maximum: P[j] = exp(S[j] - m) is right only for the m of its step, and a sum over j of
// what depends on P is put right when m changes,
//     U <- U exp(m_old - m_new) + sum over the new j of P V
// (online softmax: Milakov, Gimelshein, arXiv:1805.02867; Dao et al., "FlashAttention", NeurIPS
// 2022). Each step but the first takes a subtraction and an exponential per element of m, and a
// multiplication, a read and an update per element of each sum. Any other use of a running result
// is an error.
#ifndef PERFC_PASSES_FUSEDRUNNING_H
#define PERFC_PASSES_FUSEDRUNNING_H

#include "ir/loopnest/FusedOps.h"
#include "passes/FusedFrame.h"

namespace perfc {
namespace passes {

using loopnest::Rescale;

/// What is known of one group of statements when loops are shared.
struct RunningGroup {
  const StatementGroup *group;
  const Frame *frame;
  bool staysInside; ///< its result is fused
};

/// The rescaling that `groups` take, in their order. Nothing after a report at `where`.
llvm::Optional<std::vector<Rescale>> findRescaling(llvm::ArrayRef<RunningGroup> groups,
                                                   SourceRange where,
                                                   DiagnosticEngine &diagnostics);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_FUSEDRUNNING_H
