// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least product E * L of sums over nests. With one weight w for all nests, the least of
// E + w * L over a program is the sum of what it is nest by nest: a line that no combination is
// below of. E * L is quasiconcave where both are positive and grows with both, so over the convex
// region above some lines it is least at a corner of that region: a lower bound. More lines are
// asked for until the corner is what has been found.
#ifndef PERFC_BACKENDS_MAPPER_TANGENTBOUNDS_H
#define PERFC_BACKENDS_MAPPER_TANGENTBOUNDS_H

#include "backends/loopnest/search/Search.h"

namespace perfc::mapper {

class TangentBounds {
public:
  /// No sums are below these, which are not negative.
  TangentBounds(double energy, double latency);
  /// Nothing has energy + weight * latency below `least`; the best found for it is at
  /// (energy, latency).
  void add(double weight, double least, double energy, double latency);

  struct Corner {
    double energy, latency;
    double product() const { return energy * latency; }
  };
  /// The corner of the region above all lines where the product is least.
  Corner leastCorner() const { return {corner.energy, corner.latency}; }
  /// Nothing has energy + weight * latency below `least`.
  void add(double weight, double least);

  /// A weight, and the least that is enough to know of it.
  struct Cut {
    double weight, least;
  };
  /// Through the points where the two lines of the corner leave what has a smaller product: when
  /// nothing is below, no corner between them has. Nothing where that is no one line.
  llvm::Optional<Cut> cut(double product) const;
  /// The weight to ask for next; nothing when those that there are leave no doubt but in what their
  /// own searches have left open.
  llvm::Optional<double> nextWeight() const;

private:
  /// a * energy + b * latency >= least.
  struct Line {
    double a, b, least;
    double energy, latency; ///< found for it
    bool isMet;             ///< something was
  };
  struct Found : Corner {
    size_t first, second; ///< lines
  };
  void update();
  bool isAsked(double weight) const;

  std::vector<Line> lines;
  Found corner;
};

/// What the searches of one nest have found, by weight. A mapping that is the best for two weights
/// is the best for all between them: its line is where the least of all lines is twice, and that
/// is concave.
class NestAnswers {
public:
  /// An infinite weight asks for the latency alone.
  void add(double weight, const loopnest::Candidate &candidate, bool proven);
  /// The best mapping for a weight, if it follows from those for others.
  const loopnest::Candidate *at(double weight) const;
  /// Of energy + weight * latency, what was found at the best.
  double least(double weight) const;
  /// Each that was found, without repetition.
  std::vector<loopnest::Candidate> all() const;
  bool areProven() const;

private:
  struct Answer {
    double weight;
    loopnest::Candidate candidate;
    bool proven;
  };
  std::vector<Answer> answers;
};

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_TANGENTBOUNDS_H
