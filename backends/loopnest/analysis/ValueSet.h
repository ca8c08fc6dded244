// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of an affine subscript over a box, {sum c_k * i_k : 0 <= i_k < n_k}: an interval, or
// one with holes where strides leave some out. Sets of the same shape differ by a shift only.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_VALUESET_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_VALUESET_H

#include "backends/loopnest/analysis/Checked.h"
#include "backends/loopnest/analysis/Intervals.h"
#include "backends/loopnest/analysis/Nest.h"
#include <map>

namespace perfc {
namespace loopnest {

/// How many values the set has; for one or two terms without listing them: with a' = |a| / gcd,
/// |{a*i + b*j}| = n*m - max(0, n - b') * max(0, m - a').
Checked countValues(llvm::ArrayRef<Term> terms, llvm::ArrayRef<int64_t> lengths);

class ValueSet {
public:
  /// The lengths are one per term, each at least 1.
  ValueSet(llvm::ArrayRef<Term> terms, llvm::ArrayRef<int64_t> lengths);

  const Intervals &intervals() const { return list; }
  int64_t low() const { return list.front().low; }
  int64_t high() const { return list.back().high - 1; }
  int64_t count() const { return before.back(); }
  /// Values v with low <= v < high.
  int64_t countWithin(int64_t low, int64_t high) const;

private:
  int64_t countBelow(int64_t value) const;

  Intervals list;
  std::vector<int64_t> before; ///< values before each interval, and of all
};

/// Sets by their lengths, made when first asked for.
class ValueSets {
public:
  explicit ValueSets(llvm::ArrayRef<Term> terms) : terms(terms.begin(), terms.end()) {}
  const ValueSet &of(llvm::ArrayRef<int64_t> lengths);

private:
  llvm::SmallVector<Term, 2> terms;
  std::map<std::vector<int64_t>, ValueSet> sets;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_VALUESET_H
