// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The goal of a search over a whole program, as a function of its total energy and latency.
#ifndef PERFC_BACKENDS_MAPPER_NETWORKGOAL_H
#define PERFC_BACKENDS_MAPPER_NETWORKGOAL_H

#include "backends/mapper/GoalFunction.h"
#include "backends/mapper/NestSpace.h"
#include "ir/study/SearchOps.h"

namespace perfc::mapper {

using emit::ExpressionValue;
using emit::MetricNames;

class NetworkGoal {
public:
  /// `baseline` is that of the program as it was lowered, `fixed` the part of it that is not of
  /// `spaces`. Reports a goal that a search cannot have.
  NetworkGoal(study::SearchStatement search, const Outcome &baseline, loopnest::Score fixed,
              const MetricNames &names, const std::vector<NestSpace> &spaces,
              DiagnosticEngine &diagnostics);

  bool isValid() const { return valid; }
  /// What each nest is searched for.
  const loopnest::SearchGoal &nestGoal() const { return goal; }
  llvm::StringRef text() const { return goalText; }
  /// Of a program with these totals; larger is worse.
  double value(double energy, double latency) const;

  struct Choice {
    std::vector<unsigned> points; ///< by nest: a point of its front
    double value;
    double bound;
  };
  /// The best combination of points that meets the requirements; nothing after a report.
  llvm::Optional<Choice> best(llvm::ArrayRef<const loopnest::SearchResult *> results);

private:
  /// A combination of the first nests.
  struct Partial {
    double energy, latency;
    int64_t before; ///< index of the combination without the last nest
    unsigned point;
  };
  void classify(const ir::Attribute &expr);
  GoalProbe probe() const;
  loopnest::Score around() const;
  GoalFunction functionOfOne() const;
  bool isMonotone() const;
  bool isConstant() const;
  bool meets(double energy, double latency) const;
  Outcome outcomeOf(double energy, double latency) const;
  static std::vector<Partial> thin(llvm::ArrayRef<Partial> all, bool isBound);
  std::string leastText(llvm::ArrayRef<std::vector<loopnest::Score>> found) const;
  llvm::Optional<Choice> combine(llvm::ArrayRef<std::vector<loopnest::Score>> points, bool isBound,
                                 bool &thinned) const;

  study::SearchStatement search;
  Outcome baseline; ///< without its breakdown
  const MetricNames &names;
  const std::vector<NestSpace> &spaces;
  DiagnosticEngine &diagnostics;
  ir::Attribute expr;
  std::string goalText;
  loopnest::SearchGoal goal;
  double sign = 1;
  loopnest::Score fixed;
  bool valid = false;
};

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_NETWORKGOAL_H
