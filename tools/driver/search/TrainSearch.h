// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holes of a `train`: every strategy that the holes allow is tried, but for those whose parameters
// alone do not fit. Strategies that divide the model alike (tensor, context, microbatch,
// recomputation) share the costs of their kernels. Slow ones count, too: they may be the best for
// their memory.
#ifndef PERFC_TOOLS_DRIVER_SEARCH_TRAINSEARCH_H
#define PERFC_TOOLS_DRIVER_SEARCH_TRAINSEARCH_H

#include "backends/emit/MetricExpression.h"
#include "backends/training/Train.h"
#include <limits>
#include <map>
#include <string>

namespace perfc::driver {

/// What a search over strategies came to.
struct TrainSearchResult {
  passes::Strategy best;
  std::string goal;
  double value = 0;
  size_t strategies = 0; ///< that the holes allow
  size_t costed = 0;
  size_t fitting = 0;
  size_t fulfilling = 0; ///< of these, even or balanced, as `require` asks
  size_t divisions = 0, prunedDivisions = 0;
  /// Strategies with which the algorithms of `with` cannot be chosen, by the reason.
  std::map<std::string, size_t> refused;
  bool isProven = true; ///< false when the time ran out
  /// s that no division of the layers among stages is faster than, in any strategy with a pipeline.
  double bound = std::numeric_limits<double>::infinity();
  bool isBounded = true; ///< the goal is time, and all such strategies have a bound
  double gap = 0;        ///< how much longer the best takes than that, as a share; 0 if it does not
  /// Strategies that no other beats in both step time and memory, by step time.
  std::vector<StrategyPoint> front;
};

/// Fills the holes of `train`, an operation of `module`, which has only been built, not lowered.
/// Nothing after a report.
llvm::Optional<TrainSearchResult>
searchStrategies(const ir::Module &module, const ir::Operation &train, ProviderSet &providers,
                 const emit::MetricNames &names, DiagnosticEngine &diagnostics);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_SEARCH_TRAINSEARCH_H
