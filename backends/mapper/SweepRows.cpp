// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/SweepRows.h"

#include "backends/core/Cost.h"
#include "ir/study/SearchOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace perfc;
using namespace perfc::mapper;

bool mapper::readShard(llvm::StringRef text, SweepSettings &settings) {
  auto [shard, shards] = text.split('/');
  return !shard.getAsInteger(10, settings.shard) && !shards.getAsInteger(10, settings.shards) &&
         settings.shard >= 1 && settings.shard <= settings.shards;
}

std::string mapper::bindingText(const ir::Attribute &value) {
  if (value.is(ir::AttrKind::String))
    return value.asString().str();
  if (value.is(ir::AttrKind::Int) || value.is(ir::AttrKind::Quantity))
    return formatEngineering(value.asQuantity());
  return value.text();
}

std::string mapper::bindingsText(const ir::AttrDict &bindings) {
  std::string text;
  for (const auto &[name, value] : bindings.entries())
    text += (text.empty() ? "" : ", ") + name + " = " + bindingText(value);
  return text;
}

/// With a unit: "1.806 ms".
static std::string paretoText(const Quantity &value) {
  return formatEngineering(value.toDouble(), value.dimension());
}

/// A row that says which point and which result of it this is; `kept` gets what the point sets.
static StoredRow startRow(const emit::Result &result, const ir::Operation &point,
                          llvm::json::Object &kept) {
  StoredRow row;
  ir::AttrDict bindings = ir::as<study::PointOp>(point).bindings();
  row.statement = result.statement;
  row.bindings = bindingsText(bindings);
  row.label = result.label;
  llvm::json::Array list;
  for (const auto &[name, value] : bindings.entries())
    list.push_back(llvm::json::Array{name, bindingText(value)});
  kept["point"] = std::move(list);
  return row;
}

static std::string textOf(llvm::json::Object kept) {
  return llvm::formatv("{0}", llvm::json::Value(std::move(kept))).str();
}

GoalValues mapper::goalValues(const ir::Operation &point, const MetricNames &names) {
  study::GoalOp goal = ir::as<study::PointOp>(point).goal();
  GoalValues result;
  result.keep = static_cast<size_t>(goal.keep());
  const ir::AttrList &expressions = goal.pareto(), &texts = goal->listAttr("pareto_text");
  for (size_t i = 0; i < expressions.size(); ++i)
    if (emit::ExpressionValue value = emit::evaluateExpression(expressions[i], names);
        value.number) {
      result.metrics.push_back(texts[i].asString().str());
      result.values.push_back(*value.number);
    }
  return result;
}

StoredRow mapper::bareRow(const emit::Result &result, const ir::Operation &point) {
  llvm::json::Object kept;
  StoredRow row = startRow(result, point, kept);
  row.metrics = textOf(std::move(kept));
  return row;
}

StoredRow mapper::sweepRow(const emit::Result &result, const ir::Operation &point,
                           const GoalValues &goal) {
  llvm::json::Object metrics;
  StoredRow row = startRow(result, point, metrics);
  for (const auto &[name, value] : emit::metricsOf(result))
    if (value.hasNumber())
      metrics[name] = value.value.central();
  llvm::json::Array list;
  for (auto [name, value] : llvm::zip(goal.metrics, goal.values))
    list.push_back(llvm::json::Array{name, value.toDouble(), paretoText(value)});
  if (!list.empty()) {
    metrics["pareto"] = std::move(list);
    metrics["keep"] = static_cast<int64_t>(goal.keep);
  }
  row.metrics = textOf(std::move(metrics));
  return row;
}

static llvm::Optional<llvm::json::Object> keptBy(const StoredRow &row) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(row.metrics);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return llvm::None;
  }
  llvm::json::Object *object = parsed->getAsObject();
  return object ? llvm::Optional<llvm::json::Object>(std::move(*object)) : llvm::None;
}

void mapper::keep(StoredRow &row, llvm::StringRef name, llvm::json::Object value) {
  if (llvm::Optional<llvm::json::Object> kept = keptBy(row)) {
    (*kept)[name] = std::move(value);
    row.metrics = textOf(std::move(*kept));
  }
}

llvm::Optional<llvm::json::Object> mapper::keptIn(const StoredRow &row, llvm::StringRef name) {
  llvm::Optional<llvm::json::Object> kept = keptBy(row);
  llvm::json::Object *value = kept ? kept->getObject(name) : nullptr;
  return value ? llvm::Optional<llvm::json::Object>(std::move(*value)) : llvm::None;
}

/// The list `name` of what a row keeps; nothing where it has none.
static llvm::Optional<llvm::json::Array> listOf(const StoredRow &row, llvm::StringRef name) {
  llvm::Optional<llvm::json::Object> kept = keptBy(row);
  llvm::json::Array *list = kept ? kept->getArray(name) : nullptr;
  return list ? llvm::Optional<llvm::json::Array>(std::move(*list)) : llvm::None;
}

std::vector<std::pair<std::string, std::string>> mapper::settings(const StoredRow &row) {
  std::vector<std::pair<std::string, std::string>> result;
  if (llvm::Optional<llvm::json::Array> list = listOf(row, "point"))
    for (const llvm::json::Value &entry : *list)
      if (const llvm::json::Array *pair = entry.getAsArray(); pair && pair->size() == 2)
        result.emplace_back((*pair)[0].getAsString().getValueOr(""),
                            (*pair)[1].getAsString().getValueOr(""));
  return result;
}

std::string mapper::unmetRequirement(const ir::Operation &point, const MetricNames &names) {
  study::GoalOp goal = ir::as<study::PointOp>(point).goal();
  for (size_t i = 0; i < goal.require().size(); ++i) {
    emit::ExpressionValue value = emit::evaluateExpression(goal.require()[i], names);
    if (!value.truth || !*value.truth)
      return goal.requireTexts()[i];
  }
  return "";
}

StoredRow mapper::leftOutRow(const emit::Result &result, const ir::Operation &point,
                             llvm::StringRef unmet) {
  llvm::json::Object kept;
  StoredRow row = startRow(result, point, kept);
  kept["left_out"] = llvm::json::Array{unmet};
  row.metrics = textOf(std::move(kept));
  return row;
}

LeftOut &SweepFindings::sweepOf(int64_t statement,
                                llvm::function_ref<std::vector<std::string>()> settings) {
  if (sweeps.empty() || sweeps.back().statement != statement)
    sweeps.push_back({statement, settings(), 0, 0, {}});
  return sweeps.back();
}

std::vector<LeftOut> SweepFindings::leftOut() const {
  std::vector<LeftOut> result = sweeps;
  llvm::erase_if(result, [](const LeftOut &sweep) { return sweep.count == 0; });
  return result;
}

static std::vector<std::string> settingNames(const StoredRow &row) {
  std::vector<std::string> names;
  for (auto &[name, value] : settings(row))
    names.push_back(std::move(name));
  return names;
}

void SweepFindings::leaveOut(int64_t statement, llvm::StringRef unmet,
                             llvm::function_ref<StoredRow()> row) {
  LeftOut &sweep = sweepOf(statement, [&] { return settingNames(row()); });
  ++sweep.of;
  ++sweep.count;
  ++sweep.reasons[unmet.str()];
}

/// The values after `pareto` of a row, their names, and how they are printed.
static bool paretoValues(const StoredRow &row, std::vector<std::string> &names,
                         std::vector<double> &values, std::vector<std::string> &texts) {
  llvm::Optional<llvm::json::Array> list = listOf(row, "pareto");
  if (!list)
    return false;
  for (const llvm::json::Value &entry : *list)
    if (const llvm::json::Array *pair = entry.getAsArray(); pair && pair->size() >= 2) {
      names.push_back((*pair)[0].getAsString().getValueOr("").str());
      values.push_back((*pair)[1].getAsNumber().getValueOr(0));
      // Files of before have no text.
      texts.push_back(pair->size() > 2 ? (*pair)[2].getAsString().getValueOr("").str()
                                       : fmt::format("{:.6g}", values.back()));
    }
  return !values.empty();
}

static bool beats(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  bool smaller = false;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] > b[i])
      return false;
    smaller |= a[i] < b[i];
  }
  return smaller;
}

/// Of rows with `pareto` the number that `keep` gives.
static size_t keptOf(const StoredRow &row) {
  llvm::Optional<llvm::json::Object> kept = keptBy(row);
  return static_cast<size_t>(kept ? kept->getInteger("keep").getValueOr(1) : 1);
}

static void eraseRow(Front &front, size_t i) {
  auto at = static_cast<ptrdiff_t>(i);
  front.rows.erase(front.rows.begin() + at);
  front.values.erase(front.values.begin() + at);
  front.texts.erase(front.texts.begin() + at);
  front.beaten.erase(front.beaten.begin() + at);
}

// A row that goes is beaten by `keep` rows that stay or were beaten by as many themselves, so that
// what is left of the rows before says of each further one whether it is beaten as often.
void SweepFindings::addValues(int64_t statement, std::vector<std::string> metrics,
                              std::vector<double> values, size_t keep,
                              llvm::function_ref<StoredRow()> row,
                              llvm::function_ref<std::vector<std::string>()> texts) {
  if (allFronts.empty() || allFronts.back().statement != statement) {
    allFronts.emplace_back();
    allFronts.back().statement = statement;
    allFronts.back().metrics = std::move(metrics);
  }
  Front &front = allFronts.back();
  ++front.of;
  size_t beaten = 0;
  for (size_t i = 0; i < front.values.size() && beaten < keep; ++i)
    beaten += beats(front.values[i], values);
  if (beaten >= keep)
    return;
  for (size_t i = front.rows.size(); i-- > 0;)
    if (beats(values, front.values[i]) && ++front.beaten[i] >= keep)
      eraseRow(front, i);
  front.rows.push_back(row());
  front.values.push_back(std::move(values));
  front.texts.push_back(texts());
  front.beaten.push_back(beaten);
}

void SweepFindings::add(int64_t statement, const GoalValues &goal,
                        llvm::function_ref<StoredRow()> row) {
  ++sweepOf(statement, [&] { return settingNames(row()); }).of;
  if (goal.values.empty())
    return;
  std::vector<double> values;
  for (const Quantity &value : goal.values)
    values.push_back(value.toDouble());
  addValues(statement, goal.metrics, std::move(values), goal.keep, row, [&] {
    std::vector<std::string> texts;
    for (const Quantity &value : goal.values)
      texts.push_back(paretoText(value));
    return texts;
  });
}

void SweepFindings::add(const StoredRow &row) {
  LeftOut &sweep = sweepOf(row.statement, [&] { return settingNames(row); });
  ++sweep.of;
  llvm::Optional<llvm::json::Array> reason = listOf(row, "left_out");
  if (reason && !reason->empty()) {
    ++sweep.count;
    ++sweep.reasons[reason->front().getAsString().getValueOr("").str()];
  }
  std::vector<std::string> names, texts;
  std::vector<double> values;
  if (paretoValues(row, names, values, texts))
    addValues(
        row.statement, std::move(names), std::move(values), keptOf(row), [&] { return row; },
        [&] { return texts; });
}

SweepFindings mapper::findingsOf(llvm::ArrayRef<StoredRow> rows) {
  SweepFindings findings;
  for (const StoredRow &row : rows)
    findings.add(row);
  return findings;
}
