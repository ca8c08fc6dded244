// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs have found, in order, and their metrics as columns of numbers that NumPy shows in
// place.
#ifndef PERFC_BINDINGS_PYTHON_RESULTS_H
#define PERFC_BINDINGS_PYTHON_RESULTS_H

#include "api/perfc/Program.h"
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

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

/// How far a run is.
struct Progress {
  std::string what;            ///< the statement that it is at
  int64_t done = 0, total = 0; ///< points, or of a search what it looks through; 0 of 0: unknown
  std::string best;            ///< what a search or sweep has found so far: "3.200 mJ"
};

class Results : public api::Sink {
public:
  using Listener = std::function<void(const Progress &)>;

  void result(api::Result result) override;
  void table(api::Table table) override { reports.push_back(std::move(table)); }
  void at(const std::string &what) override;
  void count(bool ofSweep, int64_t done, int64_t total) override;
  void best(bool ofSweep, const std::string &text) override;
  /// Tells `listener`, ten times a second at most, how far a run of so many points is, and each
  /// time that one ends; null for nobody.
  void listen(Listener listener, size_t points);
  /// So many points have ended.
  void pointEnds(size_t done);
  /// What is set for the results that follow.
  void begin(Settings settings) { point = std::move(settings); }
  /// The run of the point at hand has ended.
  void end(const api::Program &program);

  const std::deque<api::Result> &all() const { return found; }
  /// What `report` at file level asks for.
  const std::vector<api::Table> &tables() const { return reports; }
  const std::vector<Findings> &findings() const { return problems; }
  bool isInterrupted = false; ///< or cancelled: these are those so far

  /// The names of metrics and settings, each where it is first seen.
  std::vector<std::string> metricNames() const;
  std::vector<std::string> settingNames() const;
  /// A number for each result, NaN where it has none; it stays where it is as long as this.
  enum class Of { Metric, HalfWidth, Setting };
  const std::vector<double> &column(Of of, const std::string &name);

private:
  void tell(bool isEnd);

  Listener listener;
  std::mutex telling; ///< guards what follows: searches tell from their own threads
  Progress progress;
  size_t points = 1;
  bool isInSweep = false; ///< of the program
  std::chrono::steady_clock::time_point told;
  std::deque<api::Result> found;
  std::vector<api::Table> reports;
  std::vector<Findings> problems;
  Settings point;
  std::map<std::pair<Of, std::string>, std::vector<double>> columns;
};

} // namespace perfc::python

#endif // PERFC_BINDINGS_PYTHON_RESULTS_H
