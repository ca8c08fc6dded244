// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of an evaluation add up to, one after the other, before the statement makes its
// outcome of it: costs by `addSequential`, the stack's times, who took part. All of it is linear in
// how often each kernel runs, so that evaluations of one statement whose kernels are known, by what
// they cost, need no module:
//     outcome(point) = finish(sum over kernels k of runs(k, point) * one run of k)
#ifndef PERFC_BACKENDS_CORE_STUDYSUM_H
#define PERFC_BACKENDS_CORE_STUDYSUM_H

#include "backends/core/StackTime.h"
#include "backends/core/StructuralHash.h"
#include <map>

namespace perfc {

struct StudySum {
  explicit StudySum(study::EvaluateOp evaluate) : stack(evaluate) {}

  Cost total;
  StackTime stack;
  Figure otherChips;     ///< J of kernels on all chips but one
  size_t appended = 0;   ///< costs, also of what repeats
  bool computes = false; ///< has a kernel
  std::vector<std::string> providerNames, mappings, tiles, libraries, formulas;

  void note(const Provenance &provenance);
  /// Adds `part`, of the same statement, `count` times at the end. What does not fit, as
  /// `addSequential` says it; nothing when all does.
  llvm::Optional<std::string> add(const StudySum &part, int64_t count = 1);
};

/// How often an evaluation runs each kernel, by what its cost depends on.
using KernelRuns = std::map<StructuralHash, int64_t>;

/// One run of each.
using KernelKinds = std::map<StructuralHash, StudySum>;

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_STUDYSUM_H
