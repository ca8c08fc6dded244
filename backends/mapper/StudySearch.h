// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `search` statement: the nests of its program are searched, equal ones once, and the best loops
// are written into them, so that the evaluation that follows is the ordinary one. A goal over the
// whole program is a function of total energy and latency: sums are searched nest by nest; products
// have their best point at a corner of the lower convex hull of the sums, which is made of the
// nests' own corners; any other goal that never shrinks with either is best on the front.
#ifndef PERFC_BACKENDS_MAPPER_STUDYSEARCH_H
#define PERFC_BACKENDS_MAPPER_STUDYSEARCH_H

#include "backends/core/CostProvider.h"
#include "backends/emit/MetricExpression.h"
#include "backends/mapper/FoundMapping.h"
#include "ir/study/SearchOps.h"

namespace perfc::mapper {

using emit::MetricNames;

struct SearchSettings {
  unsigned threads = 0;          ///< 0 for as many as there are cores
  llvm::Optional<double> within; ///< s; overrides the statement's
  uint64_t seed = 1;
  loopnest::SearchStrategy strategy = loopnest::SearchStrategy::Bound;
  int64_t mostEvaluations = INT64_MAX; ///< of each nest, without bounds
  /// Set from outside to stop with the best so far (Ctrl-C); may be null.
  const std::atomic<bool> *stop = nullptr;
};

/// What a search found, besides the result of its evaluation.
struct SearchSummary {
  std::string goal; ///< as written
  bool hasValue = false;
  double value = 0; ///< of the goal, with the sign of `minimize`
  loopnest::SearchStrategy strategy = loopnest::SearchStrategy::Bound;
  bool hasBound = false; ///< without bounds there is one where all mappings were seen
  double bound = 0;      ///< no mapping has less
  bool proven = false;
  bool isPerfect = true; ///< factors that leave a rest are left out
  unsigned nests = 0, distinct = 0;
  unsigned provenNests = 0; ///< of the distinct ones
  int64_t evaluated = 0;
  double space = 0; ///< mappings of the nests that differ; 0 where they are not counted
  double cpuSeconds = 0;
  std::vector<std::string> notes;
  std::vector<FoundMapping> mappings;
  FoundFront front;
  /// (value - bound) / |value|; 0 when proven.
  double gap() const {
    return proven || value == 0 ? 0 : (value - bound) / (value < 0 ? -value : value);
  }
};

/// Searches the program of `search`, whose module has been lowered, and writes the best loops into
/// its nests. Nothing after a report.
llvm::Optional<SearchSummary> searchStudy(ir::Module &module, study::SearchStatement search,
                                          ProviderSet &providers, const MetricNames &names,
                                          const SearchSettings &settings,
                                          DiagnosticEngine &diagnostics);

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_STUDYSEARCH_H
