// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hops in the closed form. Words that enter a level cross the arrays between it and its parent; the
// sums that leave it cross them back, from the same instances that entered together as long as no
// ragged loop idles some of them early. A read-back goes to the first instance alone; which of the
// elements that enter are read back follows from the levels further out, as for the counts.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_HOPS_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_HOPS_H

#include "backends/loopnest/analysis/Counts.h"
#include "backends/loopnest/analysis/Flow.h"

namespace perfc {
namespace loopnest {

/// Sets the hops of `tensor` in all arrays, or leaves them unset where they have no closed form;
/// false on overflow. `levels` has all levels, the lanes included.
bool countHops(llvm::ArrayRef<LevelDigits> levels, const Factors &factors, unsigned tensor,
               std::vector<ArrayCounts> &arrays, SetWork &work);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_HOPS_H
