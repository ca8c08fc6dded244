// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/SweepRows.h"

#include "backends/core/Cost.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

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
    return formatEngineering(value.asQuantity().toUncertain(), value.asQuantity().dimension());
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
  return formatEngineering(Uncertain(value.toDouble()), value.dimension());
}

StoredRow mapper::sweepRow(const emit::Result &result, const ir::Operation &point,
                           const MetricNames &names) {
  StoredRow row;
  row.statement = result.statement;
  row.bindings = bindingsText(ir::as<study::PointOp>(point).bindings());
  row.label = result.label;
  llvm::json::Object metrics, pareto;
  for (const auto &[name, value] : emit::metricsOf(result.cost))
    if (value.hasNumber())
      metrics[name] = value.value.central();
  std::vector<std::string> texts = point.stringsAttr("pareto_text");
  llvm::json::Array list;
  for (size_t i = 0; i < texts.size(); ++i) {
    emit::ExpressionValue value = emit::evaluateExpression(point.listAttr("pareto")[i], names);
    if (value.number)
      list.push_back(
          llvm::json::Array{texts[i], value.number->toDouble(), paretoText(*value.number)});
  }
  if (!list.empty())
    metrics["pareto"] = std::move(list);
  row.metrics = llvm::formatv("{0}", llvm::json::Value(std::move(metrics))).str();
  return row;
}

bool mapper::meetsRequirements(const ir::Operation &point, const MetricNames &names) {
  return llvm::all_of(point.listAttr("require"), [&](const ir::Attribute &condition) {
    emit::ExpressionValue value = emit::evaluateExpression(condition, names);
    return value.truth && *value.truth;
  });
}

/// The values after `pareto` of a row, their names, and how they are printed.
static bool paretoValues(const StoredRow &row, std::vector<std::string> &names,
                         std::vector<double> &values, std::vector<std::string> &texts) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(row.metrics);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  const llvm::json::Object *object = parsed->getAsObject();
  const llvm::json::Array *list = object ? object->getArray("pareto") : nullptr;
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

std::vector<Front> mapper::fronts(llvm::ArrayRef<StoredRow> rows) {
  std::vector<Front> result;
  for (const StoredRow &row : rows) {
    std::vector<std::string> names, texts;
    std::vector<double> values;
    if (!paretoValues(row, names, values, texts))
      continue;
    if (result.empty() || result.back().statement != row.statement)
      result.push_back({row.statement, names, {}, {}, {}, 0});
    Front &front = result.back();
    ++front.of;
    if (llvm::any_of(front.values, [&](const auto &other) { return beats(other, values); }))
      continue;
    for (size_t i = front.rows.size(); i-- > 0;)
      if (beats(values, front.values[i])) {
        front.rows.erase(front.rows.begin() + i);
        front.values.erase(front.values.begin() + i);
        front.texts.erase(front.texts.begin() + i);
      }
    front.rows.push_back(row);
    front.values.push_back(values);
    front.texts.push_back(texts);
  }
  return result;
}
