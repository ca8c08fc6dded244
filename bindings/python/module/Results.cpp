// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bindings/python/module/Results.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::python;

Findings python::findingsOf(const api::Program &program, Settings point) {
  return {std::move(point), program.problems(), program.problemsText(), !program.isGood()};
}

void Results::result(api::Result result) {
  found.push_back(std::move(result));
  Settings &settings = found.back().point;
  settings.insert(settings.begin(), point.begin(), point.end());
}

void Results::listen(Listener toTell, size_t ofPoints) {
  listener = std::move(toTell);
  points = ofPoints;
  progress = {"", 0, points > 1 ? static_cast<int64_t>(points) : 0, ""};
}

/// The lock is not held while the listener is called.
void Results::tell(bool isEnd) {
  Progress now;
  {
    std::lock_guard<std::mutex> guard(telling);
    auto time = std::chrono::steady_clock::now();
    if (!isEnd && time - told < std::chrono::milliseconds(100))
      return;
    told = time;
    now = progress;
  }
  listener(now);
}

void Results::at(const std::string &what) {
  if (!listener)
    return;
  {
    std::lock_guard<std::mutex> guard(telling);
    progress.what = what;
    if (points == 1)
      progress.done = progress.total = 0;
    isInSweep = false;
  }
  tell(/*isEnd=*/false);
}

/// The outermost work that has parts is what counts: points, a sweep of the program, a search.
void Results::count(bool ofSweep, int64_t done, int64_t total) {
  if (!listener || points > 1)
    return;
  {
    std::lock_guard<std::mutex> guard(telling);
    if (isInSweep && !ofSweep)
      return;
    isInSweep = ofSweep;
    progress.done = done;
    progress.total = total;
  }
  tell(/*isEnd=*/false);
}

void Results::best(bool, const std::string &text) {
  if (!listener)
    return;
  {
    std::lock_guard<std::mutex> guard(telling);
    progress.best = text;
  }
  tell(/*isEnd=*/false);
}

void Results::pointEnds(size_t done) {
  if (!listener)
    return;
  {
    std::lock_guard<std::mutex> guard(telling);
    if (points > 1)
      progress.done = static_cast<int64_t>(done);
    else
      progress.done = progress.total = std::max<int64_t>(1, progress.total);
  }
  tell(/*isEnd=*/true);
}

void Results::end(const api::Program &program) {
  Findings findings = findingsOf(program, point);
  if (!findings.problems.empty())
    problems.push_back(std::move(findings));
}

/// The names in the lists of all results, which are mostly the same.
template <typename List>
static std::vector<std::string> namesIn(const std::deque<api::Result> &results,
                                        const List &listOf) {
  std::vector<std::string> names;
  for (const api::Result &result : results)
    for (const auto &entry : listOf(result))
      if (std::find(names.begin(), names.end(), entry.name) == names.end())
        names.push_back(entry.name);
  return names;
}

std::vector<std::string> Results::metricNames() const {
  return namesIn(
      found, [](const api::Result &result) -> auto & { return result.metrics; });
}

std::vector<std::string> Results::settingNames() const {
  return namesIn(
      found, [](const api::Result &result) -> auto & { return result.point; });
}

static double numberOf(const api::Result &result, Results::Of of, const std::string &name) {
  if (of == Results::Of::Setting) {
    for (const api::Setting &setting : result.point)
      if (setting.name == name)
        return setting.value.value_or(NAN);
    return NAN;
  }
  const api::Metric *metric = result.find(name);
  if (!metric || !metric->hasNumber())
    return NAN;
  return of == Results::Of::Metric ? metric->value : metric->halfWidth;
}

const std::vector<double> &Results::column(Of of, const std::string &name) {
  auto [entry, isNew] = columns.try_emplace({of, name});
  if (isNew)
    for (const api::Result &result : found)
      entry->second.push_back(numberOf(result, of, name));
  return entry->second;
}
