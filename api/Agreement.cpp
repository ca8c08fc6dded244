// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Agreement.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

using namespace perfc;
using namespace perfc::api;

Number Number::fromReal(double value) {
  bool isWhole = value == std::floor(value) && std::fabs(value) < 9007199254740992.0;
  return {value, isWhole ? llvm::Optional<int64_t>(static_cast<int64_t>(value)) : llvm::None};
}

bool Number::equals(const Number &other) const {
  if (whole && other.whole)
    return *whole == *other.whole;
  return std::fabs(real - other.real) <= 1e-9 * std::max(std::fabs(real), std::fabs(other.real));
}

std::string Number::text() const {
  return whole ? fmt::format("{}", *whole) : fmt::format("{}", real);
}

llvm::Optional<double> api::quantile(std::vector<double> values, double q) {
  if (values.empty())
    return llvm::None;
  llvm::sort(values);
  double at = q * static_cast<double>(values.size() - 1);
  size_t below = static_cast<size_t>(at);
  size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

/// Ranks from 1; equal values share the mean of theirs.
static std::vector<double> ranks(llvm::ArrayRef<double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]])
      ++last;
    double rank = static_cast<double>(first + last) / 2 + 1;
    for (size_t i = first; i <= last; ++i)
      result[order[i]] = rank;
    first = last + 1;
  }
  return result;
}

llvm::Optional<double> api::spearman(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  std::vector<double> x = ranks(a), y = ranks(b);
  double mean = (static_cast<double>(x.size()) + 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0)
    return llvm::None;
  return xy / std::sqrt(xx * yy);
}

namespace {

/// Collects one group.
class Group {
public:
  Group(Labels by, std::string metric) {
    statistics.by = std::move(by);
    statistics.metric = std::move(metric);
  }

  void add(const Prediction &prediction) {
    if (!prediction.predicted) {
      ++statistics.skipped;
      return;
    }
    if (!prediction.reference)
      return;
    ++statistics.rows;
    statistics.exact += prediction.predicted->equals(*prediction.reference);
    predicted.push_back(prediction.predicted->real);
    reference.push_back(prediction.reference->real);
    if (prediction.halfWidth > 0) {
      ++statistics.intervals;
      statistics.covered += std::fabs(predicted.back() - reference.back()) <= prediction.halfWidth;
    }
    if (reference.back() != 0)
      errors.push_back(std::fabs(predicted.back() - reference.back()) /
                       std::fabs(reference.back()) * 100);
  }

  GroupStatistics finish() {
    if (!errors.empty())
      statistics.mape =
          std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
    statistics.medianApe = quantile(errors, 0.5);
    statistics.p90Ape = quantile(errors, 0.9);
    statistics.spearman = spearman(predicted, reference);
    return std::move(statistics);
  }

  GroupStatistics statistics;

private:
  std::vector<double> predicted, reference, errors;
};

/// Groups in the order in which they are first needed.
class Groups {
public:
  void add(const Labels &by, const Prediction &prediction) {
    auto [place, isNew] = places.try_emplace({by, prediction.metric}, list.size());
    if (isNew)
      list.emplace_back(by, prediction.metric);
    list[place->second].add(prediction);
  }
  std::vector<Group> list;

private:
  std::map<std::pair<Labels, std::string>, size_t> places; ///< in the list
};

} // namespace

std::vector<GroupStatistics> api::groupStatistics(llvm::ArrayRef<ValidationRow> rows) {
  Groups all, byLabel, apart;
  for (const ValidationRow &row : rows)
    for (const Prediction &prediction : row.predictions) {
      if (!prediction.apart.empty()) {
        apart.add(prediction.apart, prediction);
        continue;
      }
      all.add({}, prediction);
      for (const auto &label : row.labels)
        byLabel.add({label}, prediction);
    }
  std::vector<GroupStatistics> result;
  for (Groups *groups : {&all, &byLabel, &apart})
    for (Group &group : groups->list)
      result.push_back(group.finish());
  return result;
}

emit::Json api::orNull(const llvm::Optional<double> &value) {
  return value ? emit::Json(*value) : emit::Json();
}

static emit::Json groupJson(const GroupStatistics &group) {
  emit::Json by = emit::Json::object();
  for (const auto &[key, value] : group.by)
    by.set(key, value);
  return emit::Json::object()
      .set("by", std::move(by))
      .set("metric", group.metric)
      .set("rows", group.rows)
      .set("exact", group.exact)
      .set("mape", orNull(group.mape))
      .set("median_ape", orNull(group.medianApe))
      .set("p90_ape", orNull(group.p90Ape))
      .set("spearman", orNull(group.spearman))
      .set("intervals", group.intervals)
      .set("covered", group.covered)
      .set("skipped", group.skipped);
}

emit::Json api::withAgreement(emit::Json object, llvm::ArrayRef<ValidationRow> rows) {
  emit::Json list = emit::Json::array();
  for (const GroupStatistics &group : groupStatistics(rows))
    list.push(groupJson(group));
  object.set("rows", rows.size()).set("groups", std::move(list));
  return object;
}

emit::Json api::withPredictions(emit::Json object, llvm::ArrayRef<ValidationRow> rows,
                                size_t most) {
  std::vector<std::pair<const ValidationRow *, const Prediction *>> all;
  for (const ValidationRow &row : rows)
    for (const Prediction &one : row.predictions)
      if (one.predicted && one.reference && one.apart.empty())
        all.emplace_back(&row, &one);
  emit::Json list = emit::Json::array();
  size_t step = all.size() / most + 1;
  for (size_t i = 0; i < all.size(); i += step) {
    const auto &[row, one] = all[i];
    std::string labels;
    for (const auto &[key, value] : row->labels)
      labels += (labels.empty() ? "" : ", ") + key + " = " + value;
    list.push(emit::Json::array()
                  .push(row->name)
                  .push(one->metric)
                  .push(one->predicted->real)
                  .push(one->reference->real)
                  .push(labels));
  }
  object.set("figures", all.size()).set("predictions", std::move(list));
  return object;
}
