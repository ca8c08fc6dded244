// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank of a tensor, or one dimension that the tensor does not use, as a factor of sums over
// epochs and groups of instances. For tiles A (new) and B (held) the factor gives
//   all  = sum |union of A|,   kept = sum |{x : every instance that needs x holds it}|,
// and what moves in total is prod all - prod kept over the factors of the tensor.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_RANKSUMS_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_RANKSUMS_H

#include "backends/loopnest/analysis/Checked.h"
#include "backends/loopnest/analysis/Transition.h"

namespace perfc {
namespace loopnest {

struct RankSums {
  Checked all = 1;
  Checked kept = 1;
};

/// A rank with its terms merged, without those that are always zero.
struct Rank {
  llvm::SmallVector<Term, 2> terms;
  int64_t constant;
  llvm::Optional<int64_t> extent; ///< only if it cuts something
  int64_t low;                    ///< smallest value of the subscript
  int64_t high;                   ///< largest
};
Rank normalise(const Nest &nest, const Subscript &subscript);

/// Indices of the dimension of a one-term rank whose elements are not padding.
IndexRange unpadded(const Rank &rank, int64_t size);

/// What one level needs to evaluate the factors of one of its tensors.
struct LevelDigits {
  const FlatNest *flat;
  unsigned level;
  std::vector<Digits> dims; ///< by dimension
};

/// A dimension that the tensor does not use: `all` counts its settings, a joint loop only once.
RankSums unusedDim(const Digits &digits, const Transition &transition, const JointLoops &joint);

/// A rank of at most one dimension: tiles are equal or disjoint, nothing is ever shared. `outer`
/// are the levels further out that must also keep what an idle instance is to keep (for outputs).
RankSums plainRank(const LevelDigits &digits, const Rank &rank, const Transition &transition,
                   llvm::ArrayRef<unsigned> outer, llvm::ArrayRef<FixedDigit> fixed = {});

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_RANKSUMS_H
