// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reuse analysis of a mapped nest. Where the subscripts of each tensor use dimensions of their own,
// tiles are products of one-dimensional sets, |new \ old| = prod |A_k| - prod |A_k & B_k|, and sums
// over epochs and instances factorise by rank: the closed form. Subscripts that share dimensions
// are reduced first (Decouple.h); those that still do are one factor, whose tiles are sets of rows.
// Any other nest is executed step by step within a work limit. All give the same integers.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_ANALYSE_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_ANALYSE_H

#include "backends/loopnest/analysis/AnalysisError.h"
#include "backends/loopnest/analysis/Counts.h"
#include "backends/loopnest/analysis/Nest.h"

namespace perfc {
namespace loopnest {

struct AnalysisOptions {
  /// Execute the nest even where the closed form serves (for tests).
  bool enumerate = false;
  /// Most settings of all loops, times levels, that an enumeration may visit (a few seconds).
  int64_t workLimit = int64_t(1) << 23;
  /// The same where only conditions ask for an execution; beyond it their points are counted as
  /// well (AnalysisResult::counted).
  int64_t conditionLimit = int64_t(1) << 23;
  /// Most steps with sets of elements, where subscripts share dimensions (a second).
  int64_t setWork = int64_t(1) << 24;
  /// Count hops (ArrayCounts); the rest is cheaper without.
  bool hops = true;
  /// The same limit where hops alone have no closed form; beyond it they stay unset.
  int64_t hopWorkLimit = int64_t(1) << 17;
  /// Memories, in their order, whose transfers are counted by size (TensorTransfers): under the
  /// same limit where they alone have no closed form, and with this many steps with sets.
  std::vector<bool> transfers = {};
  int64_t transferSetWork = int64_t(1) << 20;
};

/// Counts, or what is wrong with the nest.
struct AnalysisResult {
  llvm::Optional<Counts> counts;
  std::vector<AnalysisError> errors;
  /// The nest that was counted, where that is another: without conditions that take too many
  /// points.
  llvm::Optional<Nest> counted;
  bool isExecuted = false;  ///< the counts are those of an execution
  bool isStretched = false; ///< those of the output follow from shorter loops (Stretch.h)
  /// Tensors whose tiles were counted as sets of elements, since their subscripts share dimensions.
  std::vector<unsigned> coupled;
};

AnalysisResult analyse(const Nest &nest, const AnalysisOptions &options = {});

/// All that is wrong with the nest itself; empty if it can be analysed.
std::vector<AnalysisError> validate(const Nest &nest);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_ANALYSE_H
