// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long lanes take that wait for each other and leave out points where one of several tensors is
// zero. A lane executes the points, of T, at which all of its elements are nonzero. Lanes share
// elements: the tensors are ordered from the one that most lanes share, and each tensor i splits
// the lanes that have the tensors before in common into n_i, which have elements of their own. With
// nonzero shares p_i, the points that are left after tensor i are S_i ~ binomial(S_(i-1), p_i),
// S_0 = T, and
//     P(the slowest takes at most k) = H_1(T, k),
//     H_i(s, k) = (sum over t of P(S_i = t | S_(i-1) = s) H_(i+1)(t, k))^n_i,  H_(m+1)(s, k) = [s
//     <= k].
// This is exact where the lanes of each tensor are among those of the next. Where a tensor is
// shared across lanes that another tells apart, its elements count as different ones there, which
// makes the slowest lane slower, since lanes that share are slow together: an upper bound.
#ifndef PERFC_BACKENDS_LOOPNEST_SPARSE_LOCKSTEP_H
#define PERFC_BACKENDS_LOOPNEST_SPARSE_LOCKSTEP_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace perfc {
namespace loopnest {

/// E[max of `lanes` independent binomial(trials, share)] / trials; 1 <= trials.
double slowestLane(double lanes, int64_t trials, double share);

/// E[max of `lanes` independent draws from `distribution`, probabilities of 0, 1, …] / its largest
/// number: the sum over k of 1 - P(at most k)^lanes.
double slowestLane(double lanes, llvm::ArrayRef<double> distribution);

/// One tensor: the lanes into which it splits those that share the tensors before, and the share of
/// its elements that are nonzero.
struct LaneLevel {
  double lanes;
  double share;
};

/// E[points that the slowest lane executes] / trials; 1 <= trials. `first`, if not empty, are the
/// probabilities of 0 … trials nonzeros of the first tensor, which else are binomial. Beyond 64
/// trials lanes of several tensors share only what all of them share, an upper bound.
double slowestLane(llvm::ArrayRef<LaneLevel> levels, int64_t trials, llvm::ArrayRef<double> first);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SPARSE_LOCKSTEP_H
