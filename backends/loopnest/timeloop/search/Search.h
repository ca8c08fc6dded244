// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A good mapping for a Timeloop input under the tool's own model. Simulated annealing over perfect
// factorizations with a quick estimate gives starting points; a local search that evaluates its
// moves as the tool does improves the best of them. Everything is seeded and limited by counts, so
// a result can be had again; nothing is said about how far from the best mapping it is.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_SEARCH_SEARCH_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_SEARCH_SEARCH_H

#include "backends/loopnest/timeloop/Result.h"
#include "ir/timeloop/Constraints.h"

namespace perfc::timeloop {

enum class Goal { Edp, Energy, Latency };

struct SearchOptions {
  Goal goal = Goal::Edp;
  int64_t evaluations = 2000;
  uint64_t seed = 1;
  /// s; what is found then depends on the speed of the machine.
  llvm::Optional<double> within;
};

struct SearchResult {
  Input best; ///< the input with the mapping
  Result result;
  double value = 0;      ///< of the goal: pJ * cycles, pJ or cycles
  int64_t evaluated = 0; ///< as the tool does
  int64_t estimated = 0;
};

/// What `goal` makes of energy (pJ) and cycles.
double goalValue(Goal goal, double energy, double cycles);

/// The mapping of `input` is left aside. Nothing when no valid mapping was found (reported).
llvm::Optional<SearchResult> search(const Input &input, const Constraints &constraints,
                                    const SearchOptions &options, DiagnosticEngine &diagnostics);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_SEARCH_SEARCH_H
