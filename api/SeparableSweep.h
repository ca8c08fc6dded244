// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sweep over one evaluation whose points are sums of the kernels that their values bring
// (api/Separation.h), in a program that says `separable`. Some points are built and evaluated as
// those of any other sweep; from these it is known what each value adds, which kernel by kernel
// makes any other point without a module: its sums of costs are those of `evaluate`
// (backends/core/StudySum.h), with intervals, whatever metric is asked for. What only an order of
// kernels has is not given: what memory holds at a time, the breakdown.
//
// That composition is known to be exact; which kernels a point has is checked, not proven, so a
// program asks for it. Where the points that were evaluated are no such sums, or what stands
// around the kernels differs between them (chip, runtime, a figure of the statement), a warning
// says so, and every point is evaluated.
#ifndef PERFC_API_SEPARABLESWEEP_H
#define PERFC_API_SEPARABLESWEEP_H

#include "api/Evaluation.h"
#include "api/Separation.h"
#include "frontend/build/SweepSpace.h"

namespace perfc::api {

class SeparableSweep {
public:
  SeparableSweep(Evaluation &evaluation, SweepSpace &space)
      : evaluation(evaluation), space(space) {}

  /// Keeps the results of all points; false where each is to be evaluated, after a warning.
  bool run(const Evaluation::Listener &listener);

private:
  using Choice = Separation::Choice;
  /// A point with its kernels.
  struct Built {
    ir::Module module;
    ir::Operation *point = nullptr, *evaluate = nullptr;
  };
  /// What is known of a point that was evaluated.
  struct Known {
    std::vector<double> figures; ///< its metrics, each with its interval
    std::vector<Diagnostic> problems;
  };
  /// What a part of a point adds.
  struct Part {
    StudySum sum;
    int64_t parameters = 0;
  };
  using Visitor = llvm::function_ref<bool(const Choice &, const Part &)>;

  bool refuse(std::string why);
  bool mayBeSum();
  bool build(Built &built, const Choice &choice);
  bool isEvaluation(Built &built);
  llvm::Optional<KernelRuns> evaluate(const Choice &choice);
  bool isFrame(Built &built);
  bool find();
  Part partOf(const KernelRuns &runs);
  void makeParts();
  llvm::Optional<Outcome> outcomeOf(const Part &part);
  bool areAsEvaluated();
  void visit(Visitor each);
  void point(const Part &part, const Evaluation::Listener &listener);

  Evaluation &evaluation;
  SweepSpace &space;
  KernelKinds kinds;
  std::map<Choice, Known> known;
  llvm::Optional<StructuralHash> frame; ///< of all that points have besides their kernels
  ResultLabels labels;
  std::string reason; ///< why points are no sums
  llvm::Optional<Separation> separation;
  Built base;                           ///< the first point, whose statement is that of all
  OutcomeOfSum ofSum;                   ///< of its statement
  std::vector<std::vector<Part>> parts; ///< by group; the first one's have what is common
};

} // namespace perfc::api

#endif // PERFC_API_SEPARABLESWEEP_H
