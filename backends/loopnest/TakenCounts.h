// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counts of an adapted nest, as its chip has places: what the reuse analysis counts of a nest
// is of places that the adapter has made.
#ifndef PERFC_BACKENDS_LOOPNEST_TAKENCOUNTS_H
#define PERFC_BACKENDS_LOOPNEST_TAKENCOUNTS_H

#include "backends/loopnest/NestAdapter.h"
#include "backends/loopnest/analysis/Analyse.h"

namespace perfc {
namespace loopnest {

/// The counts of `result`, which has some; a note says when the nest was executed for them. What
/// loops between its lanes made several places of one array is put together again: their loops go
/// to the memory around the array, which changes no epoch and no instance.
Counts takeCounts(AdaptedNest &adapted, AnalysisResult result);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_TAKENCOUNTS_H
