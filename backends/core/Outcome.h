// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a statement found: the cost of what ran, and what only statements of its kind have. Metrics
// are those of an outcome.
#ifndef PERFC_BACKENDS_CORE_OUTCOME_H
#define PERFC_BACKENDS_CORE_OUTCOME_H

#include "backends/core/Cost.h"
#include "backends/core/Serving.h"
#include "backends/core/Training.h"
#include "ir/common/Metrics.h"

namespace perfc {

/// Money: for each second of a chip, and for each joule.
struct Price {
  double chipSecond = 0, joule = 0; ///< USD
};

struct Outcome;

/// What a statement finds with one source of uncertainty at the ends of its interval.
struct OutcomeEnds {
  UncertaintySource source;
  std::shared_ptr<const Outcome> upper, lower; ///< null where it does not run there
};

/// One of several providers that were asked the same, which an ensemble joins.
struct EnsembleMember {
  std::string name;
  Uncertain latency; ///< s, with the error that was measured of it
  double weight = 0; ///< of 1
};

struct Outcome {
  /// Of an evaluation; the other statements say theirs.
  ResultKind kind = ResultKind::Evaluation;
  /// Its latency is that of a step of a `train`, of the whole run of a `serve`.
  Cost cost;
  /// Of a `train`: what only a step has; null for other statements.
  std::shared_ptr<const TrainingSummary> training;
  /// What each rank runs in a step; null where there is none, or one that would be too long.
  std::shared_ptr<const StepProgram> program;
  /// Of a `serve`: the requests and batches; null for other statements.
  std::shared_ptr<const ServingSummary> serving;
  /// Elements of all weights of the subject; nothing where they do not fit 64 bits.
  llvm::Optional<int64_t> parameters;
  /// What a chip and energy cost, where the statement says it.
  llvm::Optional<Price> price;
  /// Tokens that the time of the cost is for: those that an evaluation or a step of a `train`
  /// reads, 0 of a workload without `token` tensors, or those that a `serve` answers.
  double tokens = 0;
  /// Where what it found has central values: what moves the metrics.
  std::vector<OutcomeEnds> ends;
  /// Chips that the energies of kernels in the breakdown are of.
  int64_t kernelChips = 1;
  /// Of sources that costs of kernels alone depend on, those that move a time; nothing where that
  /// is not known.
  llvm::Optional<std::vector<UncertaintySource>> timeSources;
  /// Whether figures of kernels of libraries (tile.family) may move it.
  bool readsFamilies = true;
  /// Of an ensemble.
  std::vector<EnsembleMember> ensemble;
  /// Of figures that another tool gives: what perfc's own model of it says, where that was asked
  /// for, and its name.
  std::shared_ptr<const Outcome> modelled;
  std::string tool;
  /// Nodes of a trace have times: what they compute, move and hold is not known.
  bool isTimesOnly = false;
  /// A figure of this with what each source of `ends` moves it: the larger of its two moves, so
  /// that the interval of one source has both ends in it.
  Uncertain withMoves(llvm::function_ref<double(const Outcome &)> figure) const;
};

/// A metric of a result.
struct MetricValue {
  /// Meaningless when `notGiven` or `text` is set.
  Uncertain value;
  Dimension dimension;
  /// A word instead of a number (`bottleneck`).
  std::string text;
  /// Why there is no value: "energy of memory `L2` is not given".
  std::string notGiven;
  /// The value where it is an exact count.
  llvm::Optional<int64_t> count;

  bool hasNumber() const { return text.empty() && notGiven.empty(); }
};

/// The metric `name` of `outcome`, by the table of its statement (ir/common/Metrics.h), with
/// `traffic.MEMORY` and members of distributions (`ttft.p99`). What only evaluations have is not
/// given, with the reason. Nothing when there is no such metric.
llvm::Optional<MetricValue> metric(const Outcome &outcome, llvm::StringRef name);
/// That of one pool of a `serve`; nothing where only the whole run has one.
llvm::Optional<MetricValue> poolMetric(const Outcome &of, const ServedPool &pool,
                                       llvm::StringRef name);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_OUTCOME_H
