// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/Calibration.h"

#include "api/fit/OneFit.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
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

bool api::isAboveZero(const llvm::Optional<Number> &number) { return number && number->real > 0; }

const Prediction *api::predictionOf(const ValidationRow &row, const Fit &fit) {
  const Prediction *found = fittedOf(row, fit);
  return found && isAboveZero(found->predicted) && isAboveZero(found->reference) ? found : nullptr;
}

bool api::isOf(const ValidationRow &row, const RowGroups &groups) {
  return llvm::all_of(groups, [&](const std::pair<std::string, std::string> &group) {
    return matches(groupOf(row, group.first), group.second);
  });
}

std::vector<size_t> api::someOfGroups(llvm::ArrayRef<ValidationRow> rows,
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

static size_t constantCount(const Fit &fit) {
  size_t count = 0;
  for (const FitLine &line : fit.lines)
    count += line.constants.size() + line.mean.hasValue();
  return count;
}

std::vector<std::unique_ptr<OneFit>> Calibration::fitAll(llvm::function_ref<bool(size_t)> isKnown,
                                                         ConstantValues &values,
                                                         std::vector<FitFindings> &findings) {
  values.assign(rows.constants().size(), llvm::None);
  std::vector<std::unique_ptr<OneFit>> fits;
  size_t constant = 0;
  for (const Fit &each : rows.fits()) {
    if (each.family)
      continue;
    const OneFit *whole = fits.size() < wholes.size() ? wholes[fits.size()].get() : nullptr;
    fits.push_back(std::make_unique<OneFit>(rows, each, constant, values));
    findings.push_back(fits.back()->run(isKnown, whole, effort));
    constant += constantCount(each);
  }
  return fits;
}

Calibration::Calibration(FitRows &rows, FitEffort effort) : rows(rows), effort(effort) {}
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
  auto total = static_cast<int64_t>(groups.size());
  int64_t done = 0;
  for (const std::string &group : groups) {
    rows.watcher().count(Watcher::Level::Sweep, done++, total);
    std::vector<size_t> numbers;
    for (const auto &row : llvm::enumerate(rows.rows()))
      if (groupOf(row.value(), label) == group && isPredicted(row.value()))
        numbers.push_back(row.index());
    std::vector<FitFindings> findings;
    fitAll([&](size_t row) { return groupOf(rows.rows()[row], label) != group; }, values, findings);
    llvm::append_range(all, predicted(values, numbers, findings));
  }
  rows.watcher().count(Watcher::Level::Sweep, 0, 0);
  return all;
}

/// The interval of `declared` by `unseen` rows.
static void addIntervals(FitFindings &findings, const FitInterval &declared,
                         llvm::ArrayRef<const ValidationRow *> unseen) {
  constexpr double inside = 0.9;
  std::vector<double> misses;
  for (const ValidationRow *row : unseen)
    if (const Prediction *one = predictionOf(*row, *findings.fit); one && isOf(*row, declared.of))
      misses.push_back(std::exp(std::fabs(std::log(one->predicted->real / one->reference->real))) -
                       1);
  llvm::sort(misses);
  auto count = static_cast<double>(misses.size());
  auto place = static_cast<size_t>(std::ceil(inside * (count + 1) - 1e-9));
  double halfWidth = place <= misses.size() ? misses[place - 1] : 0;
  for (const FitConstant &constant : declared.constants)
    findings.intervals.push_back({&constant, halfWidth, misses.size()});
}

void Calibration::findIntervals(llvm::MutableArrayRef<FitFindings> findings,
                                llvm::ArrayRef<ValidationRow> fitted,
                                llvm::ArrayRef<ValidationRow> leftOut) {
  for (FitFindings &each : findings) {
    std::vector<const ValidationRow *> unseen;
    for (const ValidationRow &row : fitted)
      if (!isOf(row, each.fit->only) && !row.isLeftOut)
        unseen.push_back(&row);
    for (const ValidationRow &row : leftOut)
      if (isOf(row, each.fit->only))
        unseen.push_back(&row);
    for (const FitInterval &declared : each.fit->intervals)
      addIntervals(each, declared, unseen);
  }
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
  if (!isOf(row, fit.only) || row.isLeftOut)
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
    labels.push_back(fit.weightBy);
    labels.push_back(fit.sample.by);
    for (const auto &[label, value] : fit.only)
      labels.push_back(label);
    for (const FitInterval &interval : fit.intervals)
      for (const auto &[label, value] : interval.of)
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
