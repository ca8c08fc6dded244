// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many points a set has. A set is a union of disjoint basic sets; in a basic set, variables
// that no constraint ties together vary freely, so its number of points is the product over the
// groups of tied variables. Those of a group are counted in slices (ir/op/Points.h), or by isl,
// which walks over them, where strides leave holes.
#ifndef PERFC_PASSES_ANALYSIS_SETCOUNT_H
#define PERFC_PASSES_ANALYSIS_SETCOUNT_H

#include "passes/analysis/IslHandle.h"
#include "llvm/ADT/Optional.h"
#include <cstdint>
#include <vector>

namespace perfc {
/// Nothing where isl gives up, or the number does not fit in 64 bits.
llvm::Optional<int64_t> countPoints(const IslSet &set);

/// The most points that have their first `prefix` coordinates in common, over the points of all
/// `sets` together, each counting `weights` times: the coordinates after the prefix are those
/// of different spaces. Walks over all points; nothing beyond `limit` of them, or where isl
/// gives up.
llvm::Optional<int64_t> mostInFibre(const std::vector<IslSet> &sets,
                                    const std::vector<int64_t> &weights, unsigned prefix,
                                    int64_t limit);

} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_SETCOUNT_H
