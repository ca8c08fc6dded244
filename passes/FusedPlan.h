// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `fuse S at M`: all statements of a kernel run together, one tile after the other. The loops at M
// and outside it are those of the last statement; each of their steps runs every statement on the
// tile that the later ones need, so M holds what one step needs and S is never further out. If c
// reads S[... a x + b r ...] and p writes S[... y ...], a step of x by s moves y by a s, and a tile
// of X values of x and R of r needs
//     Y = 1 + a (X - 1) + b (R - 1)
// values of y. Where Y > a s neighbouring tiles share a halo: p makes it again for each, or M keeps
// it and p runs ahead by it (the choices of fused-layer accelerators: Alwani et al., MICRO 2016).
#ifndef PERFC_PASSES_FUSEDPLAN_H
#define PERFC_PASSES_FUSEDPLAN_H

#include "passes/NestPlan.h"
#include "passes/StatementGroups.h"

namespace perfc {
namespace passes {

struct FusedPlan {
  std::string place;                ///< M
  std::vector<std::string> tensors; ///< that never leave it
  std::vector<NestPlan> nests;      ///< one per group of statements, in their order
  int64_t blocks = 1;               ///< tiles that an array which dispatches is given
};

/// True when `mapping` fuses statements.
bool isFused(loopnest::MappingOp mapping);

/// The nests of the groups of a kernel; nothing after a report: a tensor that is not made and read
/// by these groups, loops outside M over what the last statement lacks, a halo that cannot be kept.
llvm::Optional<FusedPlan> planFused(const Chip &chip, llvm::ArrayRef<StatementGroup> groups,
                                    loopnest::MappingOp mapping, DiagnosticEngine &diagnostics);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_FUSEDPLAN_H
