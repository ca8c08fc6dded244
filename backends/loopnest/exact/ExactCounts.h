// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reuse analysis by definition: the counts of a nest as numbers of points of sets of integers,
// which isl makes and counts (Verdoolaege, "isl: An Integer Set Library for the Polyhedral Model",
// ICMS 2010). It shares nothing with the closed form (ClosedForm.h) and with the execution
// (Enumeration.h) but the nest, serves any affine subscripts and any loops, and is the third
// witness.
//
//   macs = |points|; steps = |settings of t among them|
//   inputs: fills = |entering| (Residence.h); reads of the parent = |messages|
//   output: writebacks = |leaving|; updates of the parent = |messages|; fills = |entries with a
//   sum|;
//           reads of the parent = fills + messages less those which meet no sum (Sums.h)
//
// Messages between a memory and those that it serves are what moves, projected onto (epoch, what
// the network tells apart, element).
#ifndef PERFC_BACKENDS_LOOPNEST_EXACT_EXACTCOUNTS_H
#define PERFC_BACKENDS_LOOPNEST_EXACT_EXACTCOUNTS_H

#include "backends/loopnest/analysis/Counts.h"
#include "backends/loopnest/analysis/FlatNest.h"

namespace perfc {
namespace loopnest {

struct ExactLimits {
  /// Operations of isl, of which it does some two million in a second.
  uint64_t operations = 20000000;
  /// Most points that are walked over for what is largest at one time: words held by an instance of
  /// a memory, active lanes.
  int64_t walked = 100000;
};

struct ExactCounts {
  /// Of `memories` all but: finished words, which depend on how many points a sum has, and sizes
  /// of transfers. Of the rest all but `arrays` and `finishedPoints`.
  Counts counts;
  /// Whether the largest amounts at one time are known: maxActiveLanes, maxResident, and
  /// maxResidentBits for words of the tensors' own sizes.
  bool hasPeaks = false;
};

/// Nothing when the nest is too large: isl needs more operations than `limits` allow, or a number
/// does not fit in 64 bits. Makes a context of isl of its own, so any thread may call it.
llvm::Optional<ExactCounts> countExactly(const FlatNest &flat, const ExactLimits &limits = {});

/// What `exact` knows of `nest` and `counts` have otherwise: "L.A.fills: 5, not 4".
std::vector<std::string> disagreements(const Nest &nest, const ExactCounts &exact,
                                       const Counts &counts);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_EXACT_EXACTCOUNTS_H
