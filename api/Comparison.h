// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes two results differ: kernels, collectives and times in which neither runs are matched
// by their labels, all runs of one label together, and sorted by the time between them; each
// difference has its causes, which are read off the parts: how often they run, operations, bytes at
// memories, how fast these and the units are, what bounds them, mappings and providers.
#ifndef PERFC_API_COMPARISON_H
#define PERFC_API_COMPARISON_H

#include "backends/emit/Json.h"
#include "backends/emit/Result.h"
#include <array>

namespace perfc::api {

/// A figure of two results; nothing where one has none.
struct Change {
  std::string what;
  Dimension dimension;
  llvm::Optional<double> before, after;
  bool isShare = false; ///< at most 1
  std::vector<std::string> causes;
  SourceRange place; ///< of a part, in the later result, or in the only one that has it

  double difference() const { return after.getValueOr(0) - before.getValueOr(0); }
  /// Whether they differ by more than rounding.
  bool isOne() const;
};

struct Comparison {
  const emit::Result *before, *after;
  /// What results of such statements are compared by, and further metrics that differ.
  std::vector<Change> metrics;
  /// What limits, mapping or strategy, provider and library, where they differ: of both.
  std::vector<std::array<std::string, 3>> words;
  /// Time of kernels and the like, that which differs most first.
  std::vector<Change> parts;
  /// For how long resources limit, where that differs, in the same order.
  std::vector<Change> bounds;
  /// Bytes that memories move, where they differ, and energies.
  std::vector<Change> memories;
  std::vector<std::string> same; ///< metrics that are equal
  size_t sameParts = 0;
};

/// Where `after` is of a tool, and perfc's own model of it was asked, too, metrics have as causes
/// what each of the two does otherwise.
Comparison compare(const emit::Result &before, const emit::Result &after);

/// Those of the first of `results`, rows of a comparison, with each that a tool gives and that has
/// what perfc's own model of it says.
std::vector<Comparison> toolComparisons(llvm::ArrayRef<const emit::Result *> results);

/// docs/output.md describes it.
emit::Json comparisonJson(const Comparison &comparison, const SourceManager &sources);

} // namespace perfc::api

#endif // PERFC_API_COMPARISON_H
