// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How unevenly tokens reach experts. With N choices of E experts, divided among R ranks, a rank
// gets N / R of them in the mean; all wait for the busiest. Expert i is chosen with probability
// p_i: 1/E, or in proportion to 1 / i^theta (zipf), where a seed says which expert stands where. A
// token chooses k different experts, so none gets more than all tokens: as in sampling without
// replacement with probabilities in proportion to size, the share of choices of expert i is
// min(1, c / i^theta) / k, with c so that these add up to 1 (Sarndal, Swensson, Wretman, Model
// Assisted Survey Sampling, 1992, section 3.6.2: those beyond 1 are taken with certainty, the
// others stay in proportion). Chosen by chance (uniform), the load of a rank has the variance N/R
// (1 - 1/R), and the largest of R of them lies Phi^-1((R - 3/8) / (R + 1/4)) deviations above the
// mean (Blom 1958). An expert that takes at most C N / E tokens drops the others (Lepikhin et al.,
// GShard, ICLR 2021, section 2.2).
#ifndef PERFC_PASSES_TRAINING_ROUTING_H
#define PERFC_PASSES_TRAINING_ROUTING_H

#include "passes/training/Strategy.h"

namespace perfc {
namespace passes {

struct ExpertLoad {
  double slowest = 1; ///< choices on the busiest rank over the mean of all choices
  double dropped = 0; ///< share of the choices that are dropped
};

/// The share of tokens that choose each of `experts` experts, `chosen` different ones by each
/// token, in the order in which they stand, as `routing` (zipf) has it.
std::vector<double> expertShares(const Routing &routing, int64_t experts, int64_t chosen);

/// Of a rank of `ranks` with the experts that are kept twice, those chosen most, among all places,
/// each of which takes half of the choices: places are dealt out to ranks, the busiest first to the
/// rank with the least (docs/serving.md). The load of the busiest over the mean.
double redundantLoad(const Routing &routing, int64_t experts, int64_t ranks, int64_t chosen);

/// The load of `experts` experts on `ranks` ranks when `choices` of them are made, `chosen`
/// different ones by each token.
ExpertLoad expertLoad(const Routing &routing, int64_t experts, int64_t ranks, double choices,
                      int64_t chosen);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_ROUTING_H
