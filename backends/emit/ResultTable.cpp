// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/ResultTable.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

using namespace perfc;
using namespace perfc::emit;
using Kind = ResultColumn::Kind;

bool ResultColumn::hasNumbers() const {
  return llvm::any_of(cells, [](const ResultCell &cell) { return cell.number.hasValue(); });
}

namespace {

/// Columns of one kind, found by name.
class Columns {
public:
  Columns(Kind kind, size_t count) : kind(kind), count(count) {}

  ResultColumn &operator[](llvm::StringRef name) {
    auto [entry, isNew] = places.try_emplace(name, list.size());
    if (isNew) {
      ResultColumn column;
      column.name = name.str();
      column.kind = kind;
      column.cells.resize(count);
      list.push_back(std::move(column));
    }
    return list[entry->second];
  }
  void moveTo(std::vector<ResultColumn> &all) {
    std::move(list.begin(), list.end(), std::back_inserter(all));
  }

private:
  Kind kind;
  size_t count;
  std::vector<ResultColumn> list;
  llvm::StringMap<size_t> places;
};

} // namespace

static void setMetric(ResultColumn &column, size_t row, const MetricValue &value) {
  if (!value.hasNumber()) {
    column.cells[row].text = value.text;
    return;
  }
  const MetricSpec *spec = findMetricOf(column.name);
  column.dimension = value.dimension;
  column.unit = spec && column.kind == Kind::Metric ? spec->unit.str() : value.dimension.unitText();
  column.isShare = spec && column.kind == Kind::Metric && spec->form == MetricForm::Share;
  column.cells[row].number = value.value.central();
  column.cells[row].halfWidth = value.value.halfWidth();
}

/// What a sweep sets, as a number where it is one.
static void setSetting(ResultColumn &column, size_t row, const ir::Attribute &value) {
  ResultCell &cell = column.cells[row];
  if (value.is(ir::AttrKind::Int) || value.is(ir::AttrKind::Quantity)) {
    column.dimension = value.asQuantity().dimension();
    column.unit = column.dimension.unitText();
    cell.number = value.asQuantity().toDouble();
  } else {
    cell.text = value.is(ir::AttrKind::String) ? value.asString().str() : value.text();
  }
}

static void addMembers(Columns &metrics, size_t row, const Result &result,
                       llvm::ArrayRef<llvm::StringRef> members) {
  for (const MetricSpec &spec : perfc::metricsOf(result.kind))
    if (spec.form == MetricForm::Distribution)
      for (llvm::StringRef member : members) {
        std::string name = (spec.name + "." + member).str();
        llvm::Optional<MetricValue> value = metric(result, name);
        if (value && value->hasNumber())
          setMetric(metrics[name], row, *value);
      }
}

std::vector<ResultColumn> emit::resultColumns(llvm::ArrayRef<const Result *> results,
                                              llvm::ArrayRef<llvm::StringRef> members) {
  size_t count = results.size();
  Columns heads(Kind::Word, count), settings(Kind::Setting, count), metrics(Kind::Metric, count),
      own(Kind::Own, count), tails(Kind::Word, count);
  for (size_t row = 0; row < count; ++row) {
    const Result &result = *results[row];
    const Provenance &by = result.cost.provenance;
    heads["result"].cells[row].text = result.name;
    heads["subject"].cells[row].text = result.subject;
    heads["on"].cells[row].text = result.on;
    for (const auto &[name, value] : result.point.entries())
      setSetting(settings[name], row, value);
    for (const auto &[name, value] : metricsOf(result))
      if (value.hasNumber())
        setMetric(metrics[name], row, value);
    addMembers(metrics, row, result, members);
    for (const auto &[name, value] : result.own)
      setMetric(own[name], row, value);
    tails["bound"].cells[row].text = result.cost.bottleneck().str();
    tails["provider"].cells[row].text = by.provider;
    tails["mapping"].cells[row].text = by.mapping;
  }
  std::vector<ResultColumn> all;
  for (Columns *columns : {&heads, &settings, &metrics, &own, &tails})
    columns->moveTo(all);
  return all;
}
