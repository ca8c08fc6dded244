// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which statements of a kernel run as one loop nest: a statement, and the elementwise ones that
// only finish its result (a scale, a bias, an activation). Those are applied to each element as it
// leaves the nest; of them only their other inputs move.
#ifndef PERFC_PASSES_STATEMENTGROUPS_H
#define PERFC_PASSES_STATEMENTGROUPS_H

#include "ir/phase/PhaseOps.h"
#include "passes/analysis/KernelModel.h"

namespace perfc {
namespace passes {

struct StatementGroup {
  const Statement *main;
  llvm::SmallVector<const Statement *, 4> epilogues;

  /// The statement that writes the group's result.
  const Statement &last() const { return epilogues.empty() ? *main : *epilogues.back(); }
};

/// The groups of `kernel` in the order in which they run.
std::vector<StatementGroup> groupStatements(const Kernel &kernel);

/// What the epilogues of `group` read besides its result, in the indices of its main statement.
std::vector<Access> finishReads(const StatementGroup &group);
/// The operands that only its epilogues read.
std::vector<phase::FinishOperand> finishOperands(const StatementGroup &group);

/// Bytes that a kernel, or one group of it, moves when each element moves once.
struct MovedBytes {
  int64_t input = 0;  ///< activations and caches read
  int64_t weight = 0; ///< weights read
  int64_t output = 0; ///< written
};

/// The bytes of all tensors of `kernel` but its intermediates.
MovedBytes movedBytes(const Kernel &kernel);
/// The bytes of `group` when everything it reads comes from memory, intermediates as well.
MovedBytes movedBytes(const StatementGroup &group);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_STATEMENTGROUPS_H
