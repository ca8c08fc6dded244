// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run has found: one result per evaluation, with the place and the sweep point it belongs
// to, and what was expected of them. Everything that emitters write comes from here or from the IR.
#ifndef PERFC_BACKENDS_EMIT_RESULT_H
#define PERFC_BACKENDS_EMIT_RESULT_H

#include "backends/core/Outcome.h"
#include "backends/core/VerifiedNests.h"
#include "ir/core/Module.h"

namespace perfc::emit {

struct StatementForm;

/// The outcome of an `expect`.
struct Expectation {
  std::string text; ///< the condition as written
  bool holds = false;
  /// Share of outcomes for which it holds, where `confidence` asks for it.
  llvm::Optional<double> probability;
  SourceRange place;
};

/// Metrics of the file, by name.
using OwnMetrics = std::vector<std::pair<std::string, MetricValue>>;

/// The outcome of a statement, with what it is called and where it stands.
struct Result : Outcome {
  const StatementForm *form = nullptr; ///< of its statement
  std::string name;                    ///< given by `as`, or made from the statement's word
  std::string label;                   ///< "conv1 on eyeriss_like with row_stationary"
  std::string subject;                 ///< as written
  std::string on;                      ///< as written
  /// Which statement of the file this belongs to, from 0; the rows of a comparison and the points
  /// of a sweep share it.
  unsigned statement = 0;
  ir::AttrDict point; ///< what the sweep has set
  SourceRange place;
  /// The metrics of the file that its statement names, or that the file asks of it.
  OwnMetrics own;
  std::vector<Expectation> expectations;
  /// Where nests are counted a second time.
  llvm::Optional<VerifiedNests> verified;
};

/// "n=8; speed=2GB/s": what the sweep has set; "" outside of one.
std::string pointText(const Result &result);

/// A kernel or collective of a result, all its runs together, or a time in which neither runs: what
/// stages wait for, the optimizer.
struct KernelLine {
  const CostPart *part = nullptr;
  /// Runs in the whole result, and the figures of all of them.
  int64_t count = 1;
  Uncertain latency;
  Figure energy;
  double flops = 0;
  double macs = 0;

  bool isRest() const { return part->kind == PartKind::Phase; }
};

/// The lines of a breakdown in the order in which they run, repetitions multiplied. Those of
/// a `train` or `serve` add up to its latency.
std::vector<KernelLine> flatten(const CostPart &breakdown);

/// The metrics that `outcome` has, by name: those of every result, then those of its kind.
std::vector<std::pair<llvm::StringRef, MetricValue>> metricsOf(const Outcome &outcome);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_RESULT_H
