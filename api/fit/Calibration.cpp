// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/Calibration.h"

#include "api/fit/Unknowns.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

using namespace perfc;
using namespace perfc::api;

bool api::isPredicted(const ValidationRow &row) {
  return llvm::any_of(row.predictions,
                      [](const Prediction &prediction) { return prediction.predicted.hasValue(); });
}

llvm::StringRef api::groupOf(const ValidationRow &row, llvm::StringRef label) {
  for (const auto &[name, value] : row.labels)
    if (name == label)
      return value;
  return "";
}

/// Whether `text` is `pattern`, in which `*` stands for any characters.
static bool matches(llvm::StringRef text, llvm::StringRef pattern) {
  auto [first, rest] = pattern.split('*');
  if (!text.consume_front(first))
    return false;
  if (first.size() == pattern.size())
    return text.empty();
  for (size_t skipped = 0; skipped <= text.size(); ++skipped)
    if (matches(text.drop_front(skipped), rest))
      return true;
  return false;
}

bool api::isFitted(const Prediction &prediction, const Fit &fit) {
  return prediction.apart.empty() &&
         (fit.metrics.empty() || llvm::is_contained(fit.metrics, prediction.metric));
}

Prediction *api::fittedOf(ValidationRow &row, const Fit &fit) {
  auto found = llvm::find_if(
      row.predictions, [&](const Prediction &prediction) { return isFitted(prediction, fit); });
  return found == row.predictions.end() ? nullptr : &*found;
}

const Prediction *api::fittedOf(const ValidationRow &row, const Fit &fit) {
  return fittedOf(const_cast<ValidationRow &>(row), fit);
}

static bool isAboveZero(const llvm::Optional<Number> &number) { return number && number->real > 0; }

const Prediction *api::predictionOf(const ValidationRow &row, const Fit &fit) {
  const Prediction *found = fittedOf(row, fit);
  return found && isAboveZero(found->predicted) && isAboveZero(found->reference) ? found : nullptr;
}

bool api::isOf(const ValidationRow &row, const Fit &fit) {
  return llvm::all_of(fit.only, [&](const std::pair<std::string, std::string> &group) {
    return matches(groupOf(row, group.first), group.second);
  });
}

namespace {
/// A figure of a row that a fit is to.
struct Observation {
  size_t row; ///< its number
  const ValidationRow *of;
  const Prediction *prediction; ///< as the program is written
};
} // namespace

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
    ++sizes[groupOf(*one.of, fit.weight.by)];
  for (size_t i = 0; i < all.size(); ++i) {
    if (fit.weight.rows > 0)
      weights[i] = std::min(1.0, fit.weight.rows / sizes[groupOf(*all[i].of, fit.weight.by)]);
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
  std::string label = fit.weight.by;
  if (label.empty() && !fit.leaveOut.empty())
    label = fit.leaveOut.front();
  for (const Observation &one : all) {
    std::string group = label.empty() ? std::to_string(one.row) : groupOf(*one.of, label).str();
    clusters.push_back(numbers.try_emplace(group, numbers.size()).first->second);
  }
  return clusters;
}

/// Of `numbers` at most `most` of each group by `label`, those that come first in the order of a
/// hash of their names; in rising order.
static std::vector<size_t> someOfGroups(llvm::ArrayRef<ValidationRow> rows,
                                        llvm::ArrayRef<size_t> numbers, llvm::StringRef label,
                                        size_t most) {
  std::map<std::string, std::vector<std::pair<uint64_t, size_t>>> groups;
  for (size_t number : numbers) {
    std::string name = fmt::format("{} {}", rows[number].name, number);
    groups[groupOf(rows[number], label).str()].emplace_back(llvm::xxHash64(name), number);
  }
  std::vector<size_t> some;
  for (auto &[group, members] : groups) {
    llvm::sort(members);
    for (size_t i = 0; i < std::min(most, members.size()); ++i)
      some.push_back(members[i].second);
  }
  llvm::sort(some);
  return some;
}

/// One fit to some rows.
class Calibration::OneFit {
public:
  OneFit(FitRows &rows, const Fit &fit, size_t firstConstant, ConstantValues &values)
      : rows(rows), fit(fit), unknowns(fit, firstConstant, values), values(values), before(values) {
  }

  /// `whole` has been fitted to all rows; null for the first.
  FitFindings run(llvm::function_ref<bool(size_t)> isKnown, const OneFit *whole);

private:
  void choose(llvm::function_ref<bool(size_t)> isKnown);
  void addUses();
  void begin(const OneFit &whole);
  std::vector<double> errorsAt(llvm::ArrayRef<double> at, llvm::ArrayRef<size_t> positions);
  FitFindings::Constant found(size_t constant, size_t begin, size_t end) const;
  bool isUnknown(const FitLine &line, size_t begin, size_t end) const;

  FitRows &rows;
  const Fit &fit;
  Unknowns unknowns;
  ConstantValues &values;
  ConstantValues before; ///< what the fits before have found
  FitProblem problem;
  FitSolution solution;
  size_t count = 0;                  ///< of rows
  std::vector<Observation> observed; ///< in the order of rows
};

/// The rows that it is fitted to.
void Calibration::OneFit::choose(llvm::function_ref<bool(size_t)> isKnown) {
  std::vector<size_t> numbers;
  for (const auto &row : llvm::enumerate(rows.rows()))
    if (isKnown(row.index()) && isOf(row.value(), fit) && !fittedIn(row.value(), fit).empty())
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
void Calibration::OneFit::addUses() {
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

std::vector<double> Calibration::OneFit::errorsAt(llvm::ArrayRef<double> at,
                                                  llvm::ArrayRef<size_t> positions) {
  ConstantValues tried = values;
  unknowns.set(at, tried);
  std::vector<size_t> wanted;
  for (size_t position : positions)
    if (wanted.empty() || wanted.back() != observed[position].row)
      wanted.push_back(observed[position].row);
  std::vector<ValidationRow> found = rows.predict(tried, wanted);
  std::vector<double> errors;
  size_t row = 0;
  for (size_t position : positions) {
    const Prediction &written = *observed[position].prediction;
    row += wanted[row] != observed[position].row;
    auto prediction = llvm::find_if(found[row].predictions, [&](const Prediction &each) {
      return each.apart.empty() && each.metric == written.metric;
    });
    bool isKnown = prediction != found[row].predictions.end() && isAboveZero(prediction->predicted);
    errors.push_back(isKnown ? std::log(prediction->predicted->real / written.reference->real)
                             : std::numeric_limits<double>::quiet_NaN());
  }
  return errors;
}

/// Starts where the fit to all rows has ended, with the errors and slopes there.
void Calibration::OneFit::begin(const OneFit &whole) {
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

/// Whether neither a row nor a prior says anything about these unknowns of `line`, or of all of
/// them where they are alike.
bool Calibration::OneFit::isUnknown(const FitLine &line, size_t begin, size_t end) const {
  if (line.prior)
    return false;
  bool isAlike = line.alike > 0 && line.constants.size() > 1;
  for (size_t i = 0; i < problem.unknowns.size(); ++i) {
    bool speaks = isAlike ? unknowns.places[i].line == &line : i >= begin && i < end;
    if (speaks && !problem.unknowns[i].rows.empty())
      return false;
  }
  return true;
}

/// What was found of a constant that is the mean of these unknowns.
FitFindings::Constant Calibration::OneFit::found(size_t constant, size_t begin, size_t end) const {
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

FitFindings Calibration::OneFit::run(llvm::function_ref<bool(size_t)> isKnown,
                                     const OneFit *whole) {
  choose(isKnown);
  problem.unknowns = unknowns.unknowns;
  problem.terms = unknowns.terms();
  problem.isRobust = fit.isRobust;
  problem.scale = fit.scale;
  problem.weights = weightsOf(fit, observed);
  problem.clusters = clustersOf(fit, observed);
  addUses();
  if (whole && whole->solution.isFound && whole->before == before)
    begin(*whole);
  solution = minimise(problem, [&](llvm::ArrayRef<double> at, llvm::ArrayRef<size_t> positions) {
    return errorsAt(at, positions);
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

static size_t constantCount(const Fit &fit) {
  size_t count = 0;
  for (const FitLine &line : fit.lines)
    count += line.constants.size() + line.mean.hasValue();
  return count;
}

std::vector<std::unique_ptr<Calibration::OneFit>>
Calibration::fitAll(llvm::function_ref<bool(size_t)> isKnown, ConstantValues &values,
                    std::vector<FitFindings> &findings) {
  values.assign(rows.constants().size(), llvm::None);
  std::vector<std::unique_ptr<OneFit>> fits;
  size_t constant = 0;
  for (const Fit &each : rows.fits()) {
    if (each.family)
      continue;
    const OneFit *whole = fits.size() < wholes.size() ? wholes[fits.size()].get() : nullptr;
    fits.push_back(std::make_unique<OneFit>(rows, each, constant, values));
    findings.push_back(fits.back()->run(isKnown, whole));
    constant += constantCount(each);
  }
  return fits;
}

Calibration::Calibration(FitRows &rows) : rows(rows) {}
Calibration::~Calibration() = default;

std::vector<FitFindings> Calibration::fit(llvm::function_ref<bool(size_t)> isKnown,
                                          ConstantValues &values) {
  std::vector<FitFindings> findings;
  wholes.clear();
  wholes = fitAll(isKnown, values, findings);
  return findings;
}

std::vector<ValidationRow> Calibration::predicted(const ConstantValues &values,
                                                  llvm::ArrayRef<size_t> numbers,
                                                  llvm::ArrayRef<FitFindings> findings) {
  std::vector<ValidationRow> found = rows.predict(values, numbers);
  std::set<size_t> unknown;
  for (const FitFindings &each : findings)
    for (const FitFindings::Constant &constant : each.constants)
      if (constant.isUnknown)
        unknown.insert(constant.index);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::vector<size_t> &used = rows.uses()[numbers[i]];
    auto missing =
        llvm::find_if(unknown, [&](size_t constant) { return llvm::is_contained(used, constant); });
    if (missing == unknown.end())
      continue;
    for (Prediction &prediction : found[i].predictions) {
      prediction.predicted = llvm::None;
      prediction.halfWidth = 0;
      prediction.skipped =
          fmt::format("no other row says what `{}` is", rows.constants()[*missing]->path);
    }
  }
  return found;
}

std::vector<ValidationRow> Calibration::leaveOut(llvm::StringRef label) {
  std::vector<std::string> groups; // in the order of the table
  for (const ValidationRow &row : rows.rows())
    if (std::string group = groupOf(row, label).str();
        !group.empty() && !llvm::is_contained(groups, group))
      groups.push_back(group);
  std::vector<ValidationRow> all;
  ConstantValues values;
  if (wholes.empty())
    fit([](size_t) { return true; }, values);
  for (const std::string &group : groups) {
    std::vector<size_t> numbers;
    for (const auto &row : llvm::enumerate(rows.rows()))
      if (groupOf(row.value(), label) == group && isPredicted(row.value()))
        numbers.push_back(row.index());
    std::vector<FitFindings> findings;
    fitAll([&](size_t row) { return groupOf(rows.rows()[row], label) != group; }, values, findings);
    llvm::append_range(all, predicted(values, numbers, findings));
  }
  return all;
}

std::vector<bool> Calibration::shots(llvm::StringRef label, size_t shots) const {
  std::vector<size_t> all(rows.rows().size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<bool> isShot(all.size());
  for (size_t row : someOfGroups(rows.rows(), all, label, shots))
    isShot[row] = true;
  return isShot;
}

/// Reports a group that no row is in, with those that there are.
static bool checkGroup(llvm::ArrayRef<ValidationRow> rows, const std::string &label,
                       SourceRange place, DiagnosticEngine &diagnostics) {
  std::set<llvm::StringRef> known;
  for (const ValidationRow &row : rows)
    for (const auto &[name, value] : row.labels)
      known.insert(name);
  if (label.empty() || known.count(label))
    return true;
  std::vector<llvm::StringRef> names(known.begin(), known.end());
  std::string are =
      names.empty() ? "`by` in `against` makes groups" : "they are by " + llvm::join(names, ", ");
  diagnostics.report(place, diag::NoSuchGroup, label).suggest(label, names, are);
  return false;
}

/// Of a family whole devices are left out, and what they ran; a third group would go unseen.
static bool checkCount(const Fit &fit, size_t count, SourceRange place,
                       DiagnosticEngine &diagnostics) {
  constexpr size_t most = 2;
  if (!fit.family || count <= most)
    return true;
  diagnostics.report(place, diag::BadFit,
                     fmt::format("at most two groups to leave out of a family, devices and what "
                                 "they ran, not {}",
                                 count));
  return false;
}

/// Whether `fit` can be to that row. Those of families are evaluated by works, later.
static bool isFor(const Fit &fit, const ValidationRow &row) {
  if (!isOf(row, fit) || row.isLeftOut)
    return false;
  const Prediction *fitted = fittedOf(row, fit);
  return fit.family ? fitted && isAboveZero(fitted->reference) : predictionOf(row, fit) != nullptr;
}

bool Calibration::check(DiagnosticEngine &diagnostics, llvm::ArrayRef<std::string> others) {
  bool good = true;
  for (const std::string &label : others)
    good &= checkGroup(rows.rows(), label, {}, diagnostics);
  if (const Fit *family = llvm::find_if(rows.fits(), [](const Fit &fit) { return !!fit.family; });
      family != rows.fits().end())
    good &= checkCount(*family, others.size(), {}, diagnostics);
  for (const Fit &fit : rows.fits()) {
    good &= checkCount(fit, fit.leaveOut.size(), fit.range, diagnostics);
    std::vector<std::string> labels = fit.leaveOut;
    labels.push_back(fit.weight.by);
    labels.push_back(fit.sample.by);
    for (const auto &[label, value] : fit.only)
      labels.push_back(label);
    for (const std::string &label : labels)
      good &= checkGroup(rows.rows(), label, fit.range, diagnostics);
    if (fit.family) {
      labels = fit.family->sheet;
      labels.insert(labels.end(), {fit.family->by, fit.family->work});
      for (const std::string &label : labels)
        good &= checkGroup(rows.rows(), label, fit.family->range, diagnostics);
    }
  }
  // A table may have rows for some of the fits alone: of one precision, say.
  bool hasRows = llvm::any_of(rows.fits(), [&](const Fit &fit) {
    return llvm::any_of(rows.rows(), [&](const ValidationRow &row) { return isFor(fit, row); });
  });
  if (good && !hasRows && !rows.fits().empty()) {
    diagnostics.report(rows.fits().front().range, diag::NothingToFit);
    good = false;
  }
  return good;
}
