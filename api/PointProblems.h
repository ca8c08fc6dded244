// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is found at the points of a sweep: each diagnostic says at which point, and a warning about
// a place that several points give is there once, with all of them.
#ifndef PERFC_API_POINTPROBLEMS_H
#define PERFC_API_POINTPROBLEMS_H

#include "ir/common/Diagnostics.h"

namespace perfc::api {

class PointProblems {
public:
  explicit PointProblems(DiagnosticEngine &diagnostics) : diagnostics(diagnostics) {}
  ~PointProblems() { report(); }

  /// The next unit is of the sweep at `place`; of none where that is no place.
  void begin(SourceRange place);
  /// Takes what has been reported at `point`, "n = 64", from the `first`-th diagnostic on, until
  /// the sweep is over.
  void take(size_t first, llvm::StringRef point);
  /// The sweep is over.
  void report();

private:
  struct Held {
    Diagnostic problem;
    std::vector<std::string> points;
  };
  DiagnosticEngine &diagnostics;
  SourceRange sweep;
  std::vector<Held> held;
};

} // namespace perfc::api

#endif // PERFC_API_POINTPROBLEMS_H
