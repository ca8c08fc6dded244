// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/Minimise.h"

#include "llvm/ADT/STLExtras.h"
#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

using namespace perfc::api;

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

class Minimiser {
public:
  using ErrorsAt =
      llvm::function_ref<std::vector<double>(llvm::ArrayRef<double>, llvm::ArrayRef<size_t>)>;
  Minimiser(const FitProblem &problem, ErrorsAt errorsAt);

  FitSolution run();

private:
  double loss(double error) const;
  double pull(double error) const;
  double objective(const VectorXd &values, const VectorXd &errors) const;
  VectorXd errors(const VectorXd &values) const;
  void begin();
  bool differentiate();
  void weigh();
  enum class Step : uint8_t { None, Poor, Good };
  Step step();
  FitProblem::Line line(Eigen::Index row) const;
  std::vector<bool> freeOnes() const;
  MatrixXd covariance() const;

  const FitProblem &problem;
  ErrorsAt errorsAt;
  std::vector<size_t> allRows;
  MatrixXd priors;  ///< a row per term
  VectorXd offsets; ///< of the terms
  VectorXd values;  ///< so far the best
  VectorXd current; ///< its errors
  double least = 0; ///< its objective
  MatrixXd slopes;  ///< of errors, by row and unknown
  VectorXd pulls;   ///< loss'(e) / e of each row, weighted
  MatrixXd curvature;
  VectorXd descent;    ///< minus the gradient
  bool isFresh = true; ///< the slopes are those at the best values
  static constexpr double firstDamping = 1e-3;
  double damping = firstDamping;
};

} // namespace

Minimiser::Minimiser(const FitProblem &problem, ErrorsAt errorsAt)
    : problem(problem), errorsAt(errorsAt), allRows(problem.weights.size()) {
  std::iota(allRows.begin(), allRows.end(), 0);
  auto count = static_cast<Eigen::Index>(problem.unknowns.size());
  auto terms = static_cast<Eigen::Index>(problem.terms.size());
  priors = MatrixXd::Zero(terms, count);
  offsets = VectorXd::Zero(terms);
  for (Eigen::Index i = 0; i < terms; ++i) {
    const LinearTerm &term = problem.terms[static_cast<size_t>(i)];
    for (const auto &[unknown, factor] : term.factors)
      priors(i, static_cast<Eigen::Index>(unknown)) += factor;
    offsets[i] = term.offset;
  }
  values = VectorXd(count);
  for (Eigen::Index k = 0; k < count; ++k)
    values[k] = problem.unknowns[static_cast<size_t>(k)].start;
}

double Minimiser::loss(double error) const {
  double d = problem.scale;
  return problem.isRobust ? (std::sqrt(error * error + d * d) - d) / (2 * d)
                          : error * error / (2 * d * d);
}

double Minimiser::pull(double error) const {
  double d = problem.scale;
  return problem.isRobust ? 1 / (2 * d * std::sqrt(error * error + d * d)) : 1 / (d * d);
}

double Minimiser::objective(const VectorXd &at, const VectorXd &errors) const {
  double sum = 0;
  for (Eigen::Index i = 0; i < errors.size(); ++i)
    sum += problem.weights[static_cast<size_t>(i)] * loss(errors[i]);
  sum += 0.5 * (priors * at - offsets).squaredNorm();
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

VectorXd Minimiser::errors(const VectorXd &at) const {
  std::vector<double> found = errorsAt({at.data(), static_cast<size_t>(at.size())}, allRows);
  return Eigen::Map<VectorXd>(found.data(), static_cast<Eigen::Index>(found.size()));
}

/// Errors and slopes at the start, as far as they are known.
void Minimiser::begin() {
  auto count = static_cast<Eigen::Index>(problem.known.size());
  if (count == 0) {
    current = errors(values);
    return;
  }
  current = VectorXd(count);
  slopes = MatrixXd(count, values.size());
  for (Eigen::Index i = 0; i < count; ++i) {
    const FitProblem::Line &known = problem.known[static_cast<size_t>(i)];
    current[i] = known.error;
    slopes.row(i) = Eigen::Map<const VectorXd>(known.slopes.data(), values.size());
  }
}

/// Slopes at the best values; false where one is no number.
bool Minimiser::differentiate() {
  slopes = MatrixXd::Zero(current.size(), values.size());
  isFresh = true;
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    const Unknown &unknown = problem.unknowns[static_cast<size_t>(k)];
    if (unknown.rows.empty())
      continue;
    VectorXd there = values;
    double step = values[k] + unknown.step <= unknown.high ? unknown.step : -unknown.step;
    there[k] += step;
    std::vector<double> moved =
        errorsAt({there.data(), static_cast<size_t>(there.size())}, unknown.rows);
    for (size_t i = 0; i < moved.size(); ++i) {
      auto row = static_cast<Eigen::Index>(unknown.rows[i]);
      slopes(row, k) = (moved[i] - current[row]) / step;
      if (!std::isfinite(slopes(row, k)))
        return false;
    }
  }
  return true;
}

/// Curvature and descent at the best values, with the slopes at hand.
void Minimiser::weigh() {
  pulls = VectorXd(current.size());
  for (Eigen::Index i = 0; i < current.size(); ++i)
    pulls[i] = problem.weights[static_cast<size_t>(i)] * pull(current[i]);
  VectorXd away = priors * values - offsets;
  curvature = slopes.transpose() * pulls.asDiagonal() * slopes + priors.transpose() * priors;
  descent = -slopes.transpose() * pulls.cwiseProduct(current) - priors.transpose() * away;
}

FitProblem::Line Minimiser::line(Eigen::Index row) const {
  VectorXd of = slopes.row(row);
  return {current[row], {of.data(), of.data() + of.size()}};
}

/// The unknowns that are not held by a bound.
std::vector<bool> Minimiser::freeOnes() const {
  std::vector<bool> free;
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    const Unknown &unknown = problem.unknowns[static_cast<size_t>(k)];
    bool isHeld = (values[k] <= unknown.low && descent[k] < 0) ||
                  (values[k] >= unknown.high && descent[k] > 0) || curvature(k, k) <= 0;
    free.push_back(!isHeld);
  }
  return free;
}

/// The rows and columns of `matrix` that are `free`.
static MatrixXd partOf(const MatrixXd &matrix, const std::vector<Eigen::Index> &free) {
  return matrix(free, free);
}

static std::vector<Eigen::Index> indicesOf(const std::vector<bool> &free) {
  std::vector<Eigen::Index> indices;
  for (size_t k = 0; k < free.size(); ++k)
    if (free[k])
      indices.push_back(static_cast<Eigen::Index>(k));
  return indices;
}

/// Takes a step that lowers the objective: none where what it gains is not worth another, a poor
/// one where that is less than half of what the slopes promise.
Minimiser::Step Minimiser::step() {
  constexpr double longest = 0.7; // of a logarithm, or of the range between linear bounds
  double worthIt = problem.leastGain * (1 + least);
  std::vector<Eigen::Index> free = indicesOf(freeOnes());
  if (free.empty())
    return Step::None;
  MatrixXd part = partOf(curvature, free);
  VectorXd down = descent(free);
  for (int attempt = 0; attempt < 8; ++attempt, damping *= 6) {
    MatrixXd damped = part;
    damped.diagonal() *= 1 + damping;
    VectorXd move = damped.ldlt().solve(down);
    double promised = 0.5 * move.dot(down);
    if (promised < worthIt) // the most that it can gain
      return Step::None;
    VectorXd there = values;
    for (size_t i = 0; i < free.size(); ++i) {
      const Unknown &unknown = problem.unknowns[static_cast<size_t>(free[i])];
      double by = std::clamp(move[static_cast<Eigen::Index>(i)], -longest, longest);
      there[free[i]] = std::clamp(there[free[i]] + by, unknown.low, unknown.high);
    }
    VectorXd found = errors(there);
    double objectiveThere = objective(there, found);
    if (objectiveThere >= least)
      continue;
    double gain = least - objectiveThere;
    values = std::move(there);
    current = std::move(found);
    least = objectiveThere;
    isFresh = false;
    damping = std::max(damping / 4, 1e-6);
    return gain <= worthIt ? Step::None : gain < promised / 2 ? Step::Poor : Step::Good;
  }
  return Step::None;
}

MatrixXd Minimiser::covariance() const {
  MatrixXd all = MatrixXd::Zero(values.size(), values.size());
  std::vector<Eigen::Index> free = indicesOf(freeOnes());
  if (free.empty())
    return all;
  MatrixXd inverse = partOf(curvature, free).completeOrthogonalDecomposition().pseudoInverse();
  std::map<size_t, VectorXd> gradients; // of clusters
  for (size_t i = 0; i < problem.clusters.size(); ++i) {
    auto row = static_cast<Eigen::Index>(i);
    VectorXd gradient = slopes.row(row)(free).transpose() * (pulls[row] * current[row]);
    auto [known, isNew] = gradients.try_emplace(problem.clusters[i], gradient);
    if (!isNew)
      known->second += gradient;
  }
  MatrixXd part = inverse;
  if (gradients.size() >= 3) {
    // What is known before varies as it says.
    MatrixXd spread = partOf(priors.transpose() * priors, free);
    for (const auto &[cluster, gradient] : gradients)
      spread += gradient * gradient.transpose();
    auto count = static_cast<double>(gradients.size());
    part = inverse * spread * inverse * (count / (count - 1));
  }
  for (size_t i = 0; i < free.size(); ++i)
    for (size_t j = 0; j < free.size(); ++j)
      all(free[i], free[j]) = part(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  return all;
}

FitSolution Minimiser::run() {
  constexpr unsigned mostSteps = 100;
  FitSolution solution;
  begin();
  least = objective(values, current);
  solution.isFound = std::isfinite(least) && (!problem.known.empty() || differentiate());
  while (solution.isFound && solution.steps < mostSteps) {
    if (problem.onStep)
      problem.onStep(solution.steps, mostSteps);
    weigh();
    bool isEnd = isFresh;
    Step taken = step();
    ++solution.steps;
    if (taken == Step::Good)
      continue;
    damping = std::min(damping, firstDamping); // old slopes may have been why
    isEnd &= taken == Step::None;
    if ((!isFresh && !differentiate()) || isEnd)
      break;
  }
  solution.values.assign(values.data(), values.data() + values.size());
  solution.objective = least;
  if (solution.isFound) {
    weigh();
    for (Eigen::Index row = 0; row < current.size(); ++row)
      solution.lines.push_back(line(row));
    MatrixXd spread = covariance();
    solution.covariance.assign(spread.data(), spread.data() + spread.size());
  }
  return solution;
}

FitSolution perfc::api::minimise(const FitProblem &problem, Minimiser::ErrorsAt errorsAt) {
  return Minimiser(problem, errorsAt).run();
}
