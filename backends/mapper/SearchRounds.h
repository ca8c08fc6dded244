// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The searches of a program's nests, side by side on as many threads as there are and within one
// limit of time: once for a goal that is a sum over nests or needs their fronts, or weight after
// weight for the product of energy and latency (TangentBounds). Nests that are equal are searched
// once; what one weight has found is where the next one begins.
#ifndef PERFC_BACKENDS_MAPPER_SEARCHROUNDS_H
#define PERFC_BACKENDS_MAPPER_SEARCHROUNDS_H

#include "backends/mapper/NestSearch.h"
#include "backends/mapper/SearchWatch.h"
#include "backends/mapper/TangentBounds.h"

namespace perfc::mapper {

/// What rounding may make of a proof, relatively.
constexpr double proofTolerance = 1e-9;

class SearchRounds {
public:
  using Clock = std::chrono::steady_clock;
  /// `firstEqual` has by space the first one with the same answer; `fixed` is the cost of what is
  /// not searched. Of `options`, each search gets its own deadline and share of the threads.
  /// `watch` sees what they find.
  SearchRounds(const std::vector<NestSpace> &spaces, llvm::ArrayRef<unsigned> firstEqual,
               loopnest::Score fixed, const loopnest::SearchOptions &options, SearchWatch &watch);

  /// Searches all nests until `end`; false when one has no mapping.
  bool search(const loopnest::SearchGoal &goal, Clock::time_point end);
  /// Searches for the least product of total energy and latency; false when a nest has no mapping.
  bool searchProduct(Clock::time_point end);
  /// Whether `searchProduct` bounds the program.
  bool canSearchProduct() const;

  const NestResult &result(unsigned space) const { return results[firstEqual[space]]; }
  /// The nest that has no mapping, after a search that returned false.
  const NestSpace &withoutMapping() const { return *refused; }
  /// True when the search has seen that it has none; false when the time was over before.
  bool hasNoMapping() const { return isRefused; }
  /// Where no product of total energy and latency is below, after `searchProduct`.
  const llvm::Optional<TangentBounds::Corner> &corner() const { return best; }
  unsigned provenNests() const { return proven; } ///< of those that differ
  int64_t evaluated() const { return evaluations; }
  /// Of all nests that differ; 0 where they are not counted.
  double mappings() const;

private:
  bool mayHaveMappings();
  bool round(const loopnest::SearchGoal &goal, Clock::time_point end, unsigned descents);
  void work(const loopnest::SearchGoal &goal, Clock::time_point end, unsigned descents,
            unsigned workers, std::atomic<unsigned> &next);
  std::vector<loopnest::Score> leastScores() const;
  loopnest::Score sumOf(llvm::ArrayRef<loopnest::Score> scores) const;
  void settle(llvm::ArrayRef<NestAnswers> answers, double weight);
  bool setEnough(llvm::ArrayRef<NestAnswers> answers, const TangentBounds::Cut &cut);

  const std::vector<NestSpace> &spaces;
  llvm::ArrayRef<unsigned> firstEqual;
  loopnest::Score fixed;
  loopnest::SearchOptions options;
  SearchWatch &watch;
  std::vector<NestResult> results; ///< by space; empty for repetitions
  std::vector<unsigned> distinct;  ///< spaces that are searched, in this order
  std::vector<char> settled;       ///< by space: whose result is known
  std::vector<double> enough;      ///< by space: what is not below is not looked for
  std::vector<std::shared_ptr<loopnest::Floors>> tables; ///< by space: for the rounds that follow
  llvm::Optional<TangentBounds::Corner> best;
  const NestSpace *refused = nullptr;
  bool isRefused = false;
  bool keepTables = false; ///< more rounds may follow
  unsigned proven = 0;
  int64_t evaluations = 0;
};

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_SEARCHROUNDS_H
