// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What enters and leaves a systolic array in each cycle of a fold. A skewed operand streams along
// its lanes, each lane a cycle behind the one before; a loaded operand enters row by row, the last
// row first, so that it ends at its place; outputs leave at the bottom of the columns.
#ifndef PERFC_BACKENDS_LOOPNEST_SYSTOLIC_STREAMS_H
#define PERFC_BACKENDS_LOOPNEST_SYSTOLIC_STREAMS_H

#include "backends/loopnest/systolic/Layer.h"

namespace perfc {
namespace loopnest {

/// Position of a fold in its plan; row folds pass inside column folds.
struct Fold {
  int64_t row = 0, column = 0;
};

/// The words of one operand that the array asks for, cycle by cycle.
class OperandStream {
public:
  /// `isInput` chooses the left operand (M x K), else the right one (K x N).
  OperandStream(const OperandWords &words, bool isInput, const Gemm &gemm,
                const SystolicArray &array, const FoldPlan &plan);

  /// Calls `visit(word)` for each lane that asks in cycle `cycle` of `fold`, in lane order.
  template <typename Visitor> void cycle(const Fold &fold, int64_t cycle, Visitor visit) const {
    int64_t first = 0, last = lanesUsed(fold) - 1, at = cycle - delay;
    if (isLoaded) {
      at = array.rows - 1 - cycle;
      if (at < 0 || at >= rowsUsed(fold))
        return;
    } else {
      first = std::max(first, at - length + 1);
      last = std::min(last, at);
    }
    for (int64_t lane = first; lane <= last; ++lane)
      if (int32_t word = wordAt(fold, isLoaded ? at : at - lane, lane); word >= 0)
        visit(word);
  }

  /// The order in which the tool prefetches the operand: one sweep over it, by diagonals where it
  /// is skewed, row by row where it is loaded; -1 where a fold does not fill the array.
  std::vector<int32_t> prefetchOrder() const;

  const OperandWords &operand() const { return words; }
  /// Sweeps over the operand in one run.
  int64_t sweeps() const;

private:
  int64_t lanesUsed(const Fold &fold) const;
  int64_t rowsUsed(const Fold &fold) const;
  int32_t wordAt(const Fold &fold, int64_t step, int64_t lane) const;
  int64_t folds() const { return lanesAreRows ? plan.rowFolds : plan.columnFolds; }

  const OperandWords &words;
  const bool isInput;
  const Gemm gemm;
  const SystolicArray array;
  const FoldPlan plan;
  bool isLoaded;      ///< stays in the array
  bool lanesAreRows;  ///< its lanes are the rows of the array, else the columns
  int64_t length = 0; ///< words per lane and fold, when it streams
  int64_t delay = 0;  ///< cycles before the first lane begins
};

/// Outputs that leave in cycle `cycle` of `fold`.
int64_t outputsInCycle(const Fold &fold, int64_t cycle, const SystolicArray &array,
                       const FoldPlan &plan);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SYSTOLIC_STREAMS_H
