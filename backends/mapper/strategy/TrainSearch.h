// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holes of a `train`: the best of all strategies that the holes allow, and the front of step time
// and memory. Strategies that divide the model alike (tensor, context, microbatch, recomputation)
// share the costs of their kernels. Those with the least bound come first; one whose bounds show
// that it does not fit, or that it is neither the best nor on the front, is not run.
#ifndef PERFC_BACKENDS_MAPPER_STRATEGY_TRAINSEARCH_H
#define PERFC_BACKENDS_MAPPER_STRATEGY_TRAINSEARCH_H

#include "backends/emit/MetricExpression.h"
#include "backends/mapper/StudySearch.h"
#include "backends/training/Train.h"
#include <limits>
#include <map>
#include <string>

namespace perfc::mapper {

/// What became of the strategies that the holes allow.
struct StrategyCounts {
  size_t all = 0;
  size_t tried = 0;
  size_t unfit = 0;      ///< bounds show that they do not fit
  size_t beaten = 0;     ///< bounds show that others are better
  size_t impossible = 0; ///< the model cannot be divided so
  /// With which the algorithms of `with` cannot be chosen, by the reason.
  std::map<std::string, size_t> refused;
  size_t left = 0; ///< when the time ran out
};

/// What a search over strategies came to.
struct TrainSearchResult {
  passes::Strategy best;
  std::string goal;
  double value = 0;
  StrategyCounts counts;
  size_t costed = 0;      ///< steps, even or balanced
  size_t fitting = 0;     ///< of these
  size_t fulfilling = 0;  ///< of these, as `require` asks
  bool isTimed = false;   ///< the goal is the step's time, or what falls with it
  bool isConstant = true; ///< it has one value for all
  bool isLimited = false; ///< a chip has so much memory, of which a search fills a share
  /// The fastest of those that fit into the memory, but into more of it than a search fills.
  llvm::Optional<StrategyPoint> tight;
  bool isProven = true;   ///< false when it ended before
  bool isStopped = false; ///< from outside, not by the time
  /// s that no division of the layers among stages is faster than, in any strategy.
  double bound = std::numeric_limits<double>::infinity();
  bool isBounded = true; ///< the goal is time, and all strategies have a bound
  double gap = 0;        ///< how much longer the best takes than that, as a share; 0 if it does not
  /// Strategies that no other beats in both step time and memory, by step time.
  std::vector<StrategyPoint> front;
};

/// Fills the holes of `train`, an operation of `module`, which has only been built, not lowered.
/// `settings` say whether all are run, and when to end with the best so far. Nothing after a
/// report.
llvm::Optional<TrainSearchResult>
searchStrategies(const ir::Module &module, const ir::Operation &train, ProviderSet &providers,
                 const emit::MetricNames &names, const SearchSettings &settings,
                 DiagnosticEngine &diagnostics);

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_STRATEGY_TRAINSEARCH_H
