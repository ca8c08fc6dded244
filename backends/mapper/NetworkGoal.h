// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a search over a whole program is for, as functions of its total energy and latency: its
// goal, and the metrics of its `pareto`.
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
  const loopnest::SearchGoal &nestGoal() const { return ofNests; }
  llvm::StringRef text() const { return goal.text; }
  /// Of a program with these totals; larger is worse.
  double value(double energy, double latency) const;

  struct Choice {
    std::vector<unsigned> points; ///< by nest: a point of its front
    double value;
    double bound;
  };
  /// The best combination of points that meets the requirements; nothing after a report.
  llvm::Optional<Choice> best(llvm::ArrayRef<const loopnest::SearchResult *> results);

  struct FrontPoint {
    std::vector<unsigned> points; ///< by nest
    std::vector<Quantity> values; ///< of the metrics of `pareto`
  };
  /// The combinations that meet the requirements and that no other beats in all metrics of
  /// `pareto`, by ascending energy. `thinned` becomes true where there were too many to keep.
  std::vector<FrontPoint> front(llvm::ArrayRef<const loopnest::SearchResult *> results,
                                bool &thinned) const;

private:
  /// A metric that is to be small, or large.
  struct Aim {
    ir::Attribute expr;
    std::string text; ///< as written
    double sign = 1;  ///< -1 for what is to be large
  };
  /// A combination of the first nests.
  struct Partial {
    double energy, latency;
    int64_t before; ///< index of the combination without the last nest
    unsigned point;
  };
  using Combinations = std::vector<std::vector<Partial>>; ///< by number of nests
  Aim readGoal() const;
  bool check(const Aim &aim) const;
  void classify();
  GoalProbe probe() const;
  loopnest::Score around() const;
  GoalFunction functionOfOne() const;
  ExpressionValue evaluate(const ir::Attribute &expr, double energy, double latency) const;
  double value(const Aim &aim, double energy, double latency) const;
  bool isMonotone(const Aim &aim) const;
  bool isConstant(const Aim &aim) const;
  bool meets(double energy, double latency) const;
  Outcome outcomeOf(double energy, double latency) const;
  static std::vector<Partial> thin(llvm::ArrayRef<Partial> all, bool isBound);
  std::string leastText(llvm::ArrayRef<std::vector<loopnest::Score>> found) const;
  Combinations combine(llvm::ArrayRef<std::vector<loopnest::Score>> points, bool isBound,
                       bool &thinned) const;
  static std::vector<unsigned> pointsOf(const Combinations &all, size_t last);
  llvm::Optional<Choice> bestOf(const Combinations &all) const;

  study::SearchStatement search;
  Outcome baseline; ///< without its breakdown
  const MetricNames &names;
  const std::vector<NestSpace> &spaces;
  DiagnosticEngine &diagnostics;
  Aim goal;
  loopnest::SearchGoal ofNests;
  loopnest::Score fixed;
  bool valid = false;
};

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_NETWORKGOAL_H
