// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `fuse S at M`: the statements of a kernel run together, one tile after the other. The loops at M
// and outside it are those of the statement that reads S; each of their steps runs the statement
// that makes S on the tile that is needed, so M holds what one step needs and S is never further
// out. If c reads S[... a x + b r ...] and p writes S[... y ...], a step of x by s moves y by a s,
// and a tile of X values of x and R of r needs
//     Y = 1 + a (X - 1) + b (R - 1)
// values of y. Tensors may meet at different memories: further in than all of them, loops are those
// of each statement alone.
#ifndef PERFC_PASSES_FUSEDPLAN_H
#define PERFC_PASSES_FUSEDPLAN_H

#include "passes/FusedRunning.h"
#include "passes/NestPlan.h"
#include "passes/StatementGroups.h"

namespace perfc {
namespace passes {

using loopnest::FusedTensor;
using loopnest::KeptElements;

struct FusedPlan {
  std::string place; ///< the innermost memory at which statements meet
  std::vector<FusedTensor> tensors;
  std::vector<std::string> finished; ///< fused tensors that are finished where they are made
  std::vector<Rescale> rescales;     ///< of running results
  std::vector<KeptElements> kept;    ///< of tensors whose halos are retained
  std::vector<NestPlan> nests;       ///< one per group of statements, in their order
  int64_t blocks = 1;                ///< tiles that an array which dispatches is given
};

/// True when `mapping` fuses statements.
bool isFused(loopnest::MappingOp mapping);

/// The nests of the groups of a kernel; nothing after a report: loops outside a memory over what
/// the reading statement lacks, tiles that differ, a halo that cannot be kept, a reduction that is
/// read before it is complete.
llvm::Optional<FusedPlan> planFused(const Chip &chip, llvm::ArrayRef<StatementGroup> groups,
                                    loopnest::MappingOp mapping, DiagnosticEngine &diagnostics);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_FUSEDPLAN_H
