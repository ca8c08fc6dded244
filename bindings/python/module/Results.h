// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs have found, in order, and their metrics as columns of numbers that NumPy shows in
// place.
#ifndef PERFC_BINDINGS_PYTHON_RESULTS_H
#define PERFC_BINDINGS_PYTHON_RESULTS_H

#include "api/perfc/Program.h"
#include <deque>
#include <map>

namespace perfc::python {

using Settings = std::vector<api::Setting>;

/// The problems of one run, or of the run of one point.
struct Findings {
  Settings point; ///< that were set for it
  std::vector<api::Problem> problems;
  std::string text; ///< with lines and carets
  bool isError = false;
};

Findings findingsOf(const api::Program &program, Settings point);

class Results : public api::Sink {
public:
  void result(api::Result result) override;
  /// What is set for the results that follow.
  void begin(Settings settings) { point = std::move(settings); }
  /// The run of the point at hand has ended.
  void end(const api::Program &program);

  const std::deque<api::Result> &all() const { return found; }
  const std::vector<Findings> &findings() const { return problems; }
  bool isInterrupted = false; ///< by Ctrl-C: these are those so far

  /// The names of metrics and settings, each where it is first seen.
  std::vector<std::string> metricNames() const;
  std::vector<std::string> settingNames() const;
  /// A number for each result, NaN where it has none; it stays where it is as long as this.
  enum class Of { Metric, HalfWidth, Setting };
  const std::vector<double> &column(Of of, const std::string &name);

private:
  std::deque<api::Result> found;
  std::vector<Findings> problems;
  Settings point;
  std::map<std::pair<Of, std::string>, std::vector<double>> columns;
};

} // namespace perfc::python

#endif // PERFC_BINDINGS_PYTHON_RESULTS_H
