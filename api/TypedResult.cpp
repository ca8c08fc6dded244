// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/TypedResult.h"

#include "backends/emit/BreakdownRows.h"
#include "backends/mapper/SweepRows.h"
#include "ir/common/Metrics.h"
#include "ir/study/StudyOps.h"

using namespace perfc;
using namespace perfc::api;

Place api::typedPlace(SourceRange range, const SourceManager &sources) {
  if (!range.isValid())
    return {};
  LineColumn place = sources.lineColumn(range.file, range.begin);
  return {sources.path(range.file).str(), place.line, place.column};
}

Problem api::typedProblem(const Diagnostic &diagnostic, const SourceManager &sources) {
  Problem problem{severityName(diagnostic.kind->severity),
                  diagnostic.kind->code,
                  diagnostic.message,
                  typedPlace(diagnostic.range, sources),
                  {}};
  for (const Remark &remark : diagnostic.remarks)
    problem.remarks.push_back(
        {severityName(remark.severity), 0, remark.message, typedPlace(remark.range, sources), {}});
  return problem;
}

static Metric typedMetric(llvm::StringRef name, const MetricValue &value) {
  Metric metric{name.str(), "", 0, 0, value.text, value.notGiven};
  if (!value.hasNumber())
    return metric;
  const MetricSpec *spec = findMetricOf(name);
  metric.unit = spec ? spec->unit.str() : value.dimension.unitText();
  metric.value = value.value.central();
  metric.halfWidth = value.value.halfWidth();
  return metric;
}

/// Members of metrics that are distributions: `ttft.p99`.
static void addMembers(const emit::Result &result, std::vector<Metric> &metrics) {
  for (const MetricSpec &spec : metricsOf(result.kind))
    if (spec.form == MetricForm::Distribution)
      for (llvm::StringRef member : distributionMembers()) {
        std::string name = spec.name.str() + "." + member.str();
        if (llvm::Optional<MetricValue> value = metric(result, name))
          metrics.push_back(typedMetric(name, *value));
      }
}

static Part typedPart(const CostPart &part, const SourceManager &sources) {
  Part typed;
  typed.label = part.label;
  typed.kind = partKindName(part.kind).str();
  typed.place = typedPlace(part.location, sources);
  typed.count = part.count;
  typed.latency = part.latency.central();
  if (part.energy.isGiven())
    typed.energy = part.energy.known.central();
  typed.macs = part.macs;
  typed.flops = part.flops;
  typed.bytes = part.bytes;
  typed.utilization = part.utilization;
  typed.bound = part.bound;
  typed.provider = part.provider;
  typed.mapping = part.mapping;
  for (const CostPart &child : part.children)
    typed.parts.push_back(typedPart(child, sources));
  return typed;
}

static Setting typedSetting(llvm::StringRef name, const ir::Attribute &value) {
  Setting setting{name.str(), mapper::bindingText(value), std::nullopt};
  if (value.is(ir::AttrKind::Int) || value.is(ir::AttrKind::Quantity))
    setting.value = value.asQuantity().toDouble();
  return setting;
}

static Memory typedMemory(const MemoryTraffic &traffic) {
  Memory memory{traffic.memory,     traffic.isOffChip,         traffic.readBytes,
                traffic.writeBytes, traffic.latency.central(), std::nullopt};
  if (traffic.energy.isGiven())
    memory.energy = traffic.energy.known.central();
  return memory;
}

static Search typedSearch(const mapper::SearchSummary &summary) {
  Search search{summary.goal, summary.value, std::nullopt, summary.proven, summary.evaluated, {}};
  if (summary.hasBound)
    search.bound = summary.bound;
  llvm::StringSet<> names;
  search.mappings = mapper::printMappings(summary.mappings, names);
  return search;
}

Result api::typedResult(const emit::Result &result, llvm::StringRef statement,
                        const mapper::SearchSummary *search, const SourceManager &sources) {
  const Cost &cost = result.cost;
  Result typed;
  statement.consume_front("study.");
  typed.statement = statement.str();
  typed.name = result.name;
  typed.label = result.label;
  typed.subject = result.subject;
  typed.on = result.on;
  for (const auto &[name, value] : result.point.entries())
    typed.point.push_back(typedSetting(name, value));
  typed.place = typedPlace(result.place, sources);
  for (const auto &[name, value] : emit::metricsOf(result))
    typed.metrics.push_back(typedMetric(name, value));
  addMembers(result, typed.metrics);
  for (const auto &[name, value] : result.own)
    typed.metrics.push_back(typedMetric(name, value));
  typed.breakdown = typedPart(cost.breakdown, sources);
  for (const MemoryTraffic &traffic : cost.traffic)
    typed.memories.push_back(typedMemory(traffic));
  if (search)
    typed.search = typedSearch(*search);
  for (const EnsembleMember &member : result.ensemble)
    typed.ensemble.push_back(
        {member.name, member.latency.central(), member.latency.halfWidth(), member.weight});
  for (const emit::Expectation &one : result.expectations)
    typed.expectations.push_back(
        {one.text, one.holds,
         one.probability ? std::optional<double>(*one.probability) : std::nullopt,
         typedPlace(one.place, sources)});
  typed.notes = cost.notes;
  typed.provider = cost.provenance.provider;
  typed.mapping = cost.provenance.mapping;
  typed.formula = cost.provenance.formula;
  return typed;
}

/// What the expression of a column comes to.
static Metric typedCell(const ReportColumn &column, const emit::ExpressionValue &found) {
  MetricValue value;
  value.notGiven = emit::whyNotGiven(found);
  if (found.number) {
    value.value = found.number->toUncertain();
    value.dimension = found.number->dimension();
  } else if (value.notGiven.empty()) {
    value.text = emit::describe(found); // a word, or whether a condition holds
  }
  return typedMetric(column.title, value);
}

Table api::typedTable(const ReportTable &table) {
  Table typed{table.name, table.by, {}, {}};
  for (const ReportColumn &column : table.columns)
    typed.columns.push_back(column.title);
  for (const ReportTable::Row &row : table.rows) {
    Table::Row &added = typed.rows.emplace_back(Table::Row{row.label, {}});
    for (const auto &[column, value] : llvm::zip(table.columns, row.cells))
      added.cells.push_back(typedCell(column, value));
  }
  return typed;
}

const Metric *Result::find(std::string_view metric) const {
  for (const Metric &one : metrics)
    if (one.name == metric)
      return &one;
  return nullptr;
}
