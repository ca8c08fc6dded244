// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/OneFit.h"

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <set>

using namespace perfc;
using namespace perfc::api;

/// What a fit is to in a row: all its metrics, or the first one.
static std::vector<const Prediction *> fittedIn(const ValidationRow &row, const Fit &fit) {
  std::vector<const Prediction *> found;
  for (const Prediction &prediction : row.predictions) {
    if (!isFitted(prediction, fit))
      continue;
    if (isAboveZero(prediction.predicted) && isAboveZero(prediction.reference))
      found.push_back(&prediction);
    if (fit.metrics.empty())
      break;
  }
  return found;
}

/// Each once, less where its group has more than count; then all of one metric as much as all of
/// another.
static std::vector<double> weightsOf(const Fit &fit, llvm::ArrayRef<Observation> all) {
  std::vector<double> weights(all.size(), 1);
  llvm::StringMap<double> sizes, ofMetrics;
  for (const Observation &one : all)
    ++sizes[groupOf(*one.of, fit.weightBy)];
  for (size_t i = 0; i < all.size(); ++i) {
    if (double rows = sizes[groupOf(*all[i].of, fit.weightBy)]; fit.weight)
      weights[i] = std::min(1.0, fit.weight(rows) / rows);
    ofMetrics[all[i].prediction->metric] += weights[i];
  }
  if (ofMetrics.size() < 2)
    return weights;
  double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / ofMetrics.size();
  for (size_t i = 0; i < all.size(); ++i)
    weights[i] *= mean / ofMetrics[all[i].prediction->metric];
  return weights;
}

/// Rows of one group may err together; without groups each is by itself.
static std::vector<size_t> clustersOf(const Fit &fit, llvm::ArrayRef<Observation> all) {
  std::vector<size_t> clusters;
  std::map<std::string, size_t> numbers;
  std::string label = fit.weightBy;
  if (label.empty() && !fit.leaveOut.empty())
    label = fit.leaveOut.front();
  for (const Observation &one : all) {
    std::string group = label.empty() ? std::to_string(one.row) : groupOf(*one.of, label).str();
    clusters.push_back(numbers.try_emplace(group, numbers.size()).first->second);
  }
  return clusters;
}

/// The rows that it is fitted to.
void OneFit::choose(llvm::function_ref<bool(size_t)> isKnown) {
  std::vector<size_t> numbers;
  for (const auto &row : llvm::enumerate(rows.rows()))
    if (isKnown(row.index()) && isOf(row.value(), fit.only) && !fittedIn(row.value(), fit).empty())
      numbers.push_back(row.index());
  if (fit.sample.rows > 0)
    numbers = someOfGroups(rows.rows(), numbers, fit.sample.by,
                           static_cast<size_t>(std::max(1.0, fit.sample.rows)));
  count = numbers.size();
  for (size_t number : numbers)
    for (const Prediction *prediction : fittedIn(rows.rows()[number], fit))
      observed.push_back({number, &rows.rows()[number], prediction});
}

/// Gives each unknown what depends on it.
void OneFit::addUses() {
  std::vector<std::vector<size_t>> ofConstants(values.size());
  for (size_t i = 0; i < unknowns.places.size(); ++i)
    ofConstants[unknowns.places[i].constant].push_back(i);
  for (const Unknowns::Mean &mean : unknowns.means)
    for (size_t i = mean.begin; i < mean.end; ++i)
      ofConstants[mean.constant].push_back(i);
  for (size_t i = 0; i < observed.size(); ++i) {
    std::set<size_t> touched;
    for (size_t constant : rows.uses()[observed[i].row])
      touched.insert(ofConstants[constant].begin(), ofConstants[constant].end());
    for (size_t unknown : touched)
      problem.unknowns[unknown].rows.push_back(i);
  }
}

/// Of the logarithm of predicted over measured.
double OneFit::errorOf(double log) const { return fit.isRelative ? std::expm1(log) : log; }

std::vector<double> OneFit::errorsAt(llvm::ArrayRef<double> at, llvm::ArrayRef<size_t> positions) {
  ConstantValues tried = values;
  unknowns.set(at, tried);
  std::vector<size_t> wanted;
  for (size_t position : positions)
    if (wanted.empty() || wanted.back() != observed[position].row)
      wanted.push_back(observed[position].row);
  std::vector<ValidationRow> found = rows.attempt(tried, wanted, fit.metrics);
  std::vector<double> errors;
  size_t row = 0;
  for (size_t position : positions) {
    const Prediction &written = *observed[position].prediction;
    row += wanted[row] != observed[position].row;
    auto prediction = llvm::find_if(found[row].predictions, [&](const Prediction &each) {
      return each.apart.empty() && each.metric == written.metric;
    });
    bool isKnown = prediction != found[row].predictions.end() && isAboveZero(prediction->predicted);
    errors.push_back(isKnown
                         ? errorOf(std::log(prediction->predicted->real / written.reference->real))
                         : std::numeric_limits<double>::quiet_NaN());
  }
  return errors;
}

/// Tells the least mean error so far, of trials that predict all rows.
void OneFit::showBest(llvm::ArrayRef<double> errors) {
  if (errors.size() != observed.size() || errors.empty())
    return;
  double sum = 0;
  for (double error : errors)
    sum += std::fabs(error);
  double mean = sum / static_cast<double>(errors.size());
  if (!(mean < least) && least > 0) // one that is no number is of a trial that cannot be
    return;
  least = std::isnan(mean) ? 0 : mean;
  if (least > 0)
    rows.watcher().best(
        Watcher::Level::Statement,
        fmt::format("{:.3g} % mean error", 100 * (fit.isRelative ? least : std::expm1(least))));
}

/// Starts where the fit to all rows has ended, with the errors and slopes there.
void OneFit::begin(const OneFit &whole) {
  for (size_t i = 0; i < unknowns.places.size(); ++i)
    problem.unknowns[i].start = whole.solution.values[i];
  size_t next = 0;
  for (const Observation &one : observed) {
    while (next < whole.observed.size() && whole.observed[next].prediction != one.prediction)
      ++next;
    if (next == whole.observed.size()) // a sample has rows of its own
      return problem.known.clear();
    problem.known.push_back(whole.solution.lines[next]);
  }
}

/// Lets the unknowns go as far from the fit to all as its slopes are good for; those that no row is
/// left of begin where they would without one.
void OneFit::stayNear() {
  constexpr double farthest = 0.5; // of a logarithm, or of the range between linear bounds
  for (const Unknown &unknown : problem.unknowns)
    near.push_back(unknown.start);
  for (size_t i = 0; i < near.size(); ++i) {
    Unknown &unknown = problem.unknowns[i];
    if (unknown.rows.empty()) {
      unknown.start = unknowns.unknowns[i].start;
      continue;
    }
    unknown.low = std::max(unknown.low, near[i] - farthest);
    unknown.high = std::min(unknown.high, near[i] + farthest);
  }
}

std::vector<double> OneFit::linearErrors(llvm::ArrayRef<double> at,
                                         llvm::ArrayRef<size_t> positions) const {
  std::vector<double> errors;
  for (size_t position : positions) {
    const FitProblem::Line &line = problem.known[position];
    // Of relative errors the logarithms are linear, so that no prediction falls below 0.
    double log = fit.isRelative ? std::log1p(line.error) : line.error;
    double ofSlopes = fit.isRelative ? 1 / (1 + line.error) : 1;
    for (size_t i = 0; i < near.size(); ++i)
      log += ofSlopes * line.slopes[i] * (at[i] - near[i]);
    errors.push_back(errorOf(log));
  }
  return errors;
}

/// Whether neither a row nor a prior says anything about these unknowns of `line`, or of all of
/// them where they are alike.
bool OneFit::isUnknown(const FitLine &line, size_t begin, size_t end) const {
  if (line.prior)
    return false;
  bool isAlike = line.alike > 0 && line.constants.size() > 1;
  // A row whose chip has the constant may not depend on it, as on a capacity that nothing fills.
  auto moves = [&](size_t i) {
    return llvm::any_of(solution.lines,
                        [&](const FitProblem::Line &row) { return row.slopes[i] != 0; });
  };
  for (size_t i = 0; i < problem.unknowns.size(); ++i) {
    bool speaks = isAlike ? unknowns.places[i].line == &line : i >= begin && i < end;
    if (speaks && !problem.unknowns[i].rows.empty() && moves(i))
      return false;
  }
  return true;
}

/// What was found of a constant that is the mean of these unknowns.
FitFindings::Constant OneFit::found(size_t constant, size_t begin, size_t end) const {
  const FitLine &line = *unknowns.places[begin].line;
  size_t count = unknowns.places.size();
  double variance = 0;
  for (size_t i = begin; i < end && !solution.covariance.empty(); ++i)
    for (size_t j = begin; j < end; ++j)
      variance += solution.covariance[i * count + j];
  double width = endOfInterval * std::sqrt(std::max(0.0, variance));
  FitFindings::Constant found;
  found.index = constant;
  found.value = *values[constant];
  found.isLog = line.isLog;
  found.halfWidth =
      width / static_cast<double>(end - begin) * (line.isLog ? found.value : line.high - line.low);
  const Unknown &unknown = problem.unknowns[begin];
  double at = solution.values[begin];
  found.isHeld = end - begin == 1 && (at <= unknown.low || at >= unknown.high);
  found.isUnknown = isUnknown(line, begin, end);
  return found;
}

FitFindings OneFit::run(llvm::function_ref<bool(size_t)> isKnown, const OneFit *whole,
                        FitEffort effort) {
  choose(isKnown);
  if (effort.isSmall && !whole) {
    unknowns.startAt(rows.constants());
    problem.leastGain = 1e-4;
  }
  problem.unknowns = unknowns.unknowns;
  problem.terms = unknowns.terms();
  problem.isRobust = fit.isRobust;
  problem.scale = fit.scale;
  problem.weights = weightsOf(fit, observed);
  problem.clusters = clustersOf(fit, observed);
  addUses();
  if (whole && whole->solution.isFound && whole->before == before)
    begin(*whole);
  if (effort.isSmall && !problem.known.empty())
    stayNear();
  rows.watcher().at(fmt::format("calibrate {}: {}", fit.name, counted(count, "row")));
  problem.onStep = [&](unsigned steps, unsigned most) {
    rows.watcher().count(Watcher::Level::Statement, steps, most);
  };
  if (!problem.unknowns.empty()) // a statement may have intervals alone
    solution = minimise(problem, [&](llvm::ArrayRef<double> at, llvm::ArrayRef<size_t> positions) {
      std::vector<double> errors =
          near.empty() ? errorsAt(at, positions) : linearErrors(at, positions);
      showBest(errors);
      return errors;
    });
  unknowns.set(solution.values, values);
  FitFindings findings;
  findings.fit = &fit;
  findings.rows = count;
  findings.objective = solution.objective;
  findings.isFound = solution.isFound;
  findings.covariance = solution.covariance;
  for (size_t i = 0; i < unknowns.places.size(); ++i)
    findings.constants.push_back(found(unknowns.places[i].constant, i, i + 1));
  for (const Unknowns::Mean &mean : unknowns.means)
    findings.constants.push_back(found(mean.constant, mean.begin, mean.end));
  return findings;
}
