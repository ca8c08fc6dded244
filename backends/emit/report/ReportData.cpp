// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/ResultTable.h"
#include "backends/emit/StatementForm.h"
#include "backends/emit/report/Report.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <cstdlib>
#include <map>

using namespace perfc;
using namespace perfc::emit;

/// So many results have their details always; those of more are chosen.
static constexpr size_t detailed = 24;
/// Bytes of details, and of the columns of metrics, of a page that opens at once.
static constexpr size_t detailBytes = 1 << 20, columnBytes = 3 << 19;
/// Events of a timeline that can be told apart.
static constexpr size_t timelineEvents = 600;

/// What a chart can show of a number, and no more text than that.
static Json brief(double value) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr) : value;
}

static Json brief(const Figure &figure) {
  return figure.isGiven() ? brief(figure.known.central()) : Json();
}

static size_t sizeOf(const Json &json) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json.printLine(stream);
  return stream.str().size();
}

namespace {

/// Lines of source that details name by their number.
class SourceLines {
public:
  explicit SourceLines(const SourceManager &sources) : sources(sources) {}

  /// Null for nowhere.
  Json numberOf(SourceRange range) {
    if (!range.isValid())
      return Json();
    LineColumn at = sources.lineColumn(range.file, range.begin);
    auto [entry, isNew] = numbers.try_emplace({range.file, at.line}, numbers.size());
    if (isNew) {
      llvm::StringRef text = sources.text(range.file);
      size_t begin = text.rfind('\n', range.begin);
      text =
          text.drop_front(begin == llvm::StringRef::npos || begin >= range.begin ? 0 : begin + 1);
      lines.push(Json::object()
                     .set("file", sources.path(range.file))
                     .set("line", at.line)
                     .set("text", text.take_front(text.find('\n')).trim().take_front(200)));
    }
    return entry->second;
  }
  Json take() { return std::move(lines); }

private:
  const SourceManager &sources;
  std::map<std::pair<FileId, unsigned>, size_t> numbers;
  Json lines = Json::array();
};

} // namespace

//===-- The table of all results ------------------------------------------------------------===//

static Json wordsJson(const ResultColumn &column) {
  Json words = Json::array(), rows = Json::array();
  llvm::StringMap<size_t> numbers;
  for (const ResultCell &cell : column.cells) {
    auto [entry, isNew] = numbers.try_emplace(cell.text, numbers.size());
    if (isNew)
      words.push(cell.text);
    rows.push(entry->second);
  }
  Json json = Json::object().set("words", std::move(words));
  return numbers.size() > 1 ? json.set("rows", std::move(rows)) : json;
}

static Json numbersJson(const ResultColumn &column) {
  auto isFirst = [&](const ResultCell &cell) {
    return cell.number == column.cells.front().number &&
           cell.halfWidth == column.cells.front().halfWidth;
  };
  bool isConstant = llvm::all_of(column.cells, isFirst);
  Json numbers = Json::array(), halves = Json::array();
  bool isUncertain = false;
  for (const ResultCell &cell : column.cells) {
    numbers.push(cell.number ? brief(*cell.number) : Json());
    halves.push(brief(cell.halfWidth));
    isUncertain |= cell.halfWidth != 0;
    if (isConstant)
      break;
  }
  Json json = Json::object().set("numbers", std::move(numbers));
  return isUncertain ? json.set("half_widths", std::move(halves)) : json;
}

static llvm::StringRef kindName(ResultColumn::Kind kind) {
  using Kind = ResultColumn::Kind;
  return kind == Kind::Word      ? "word"
         : kind == Kind::Setting ? "setting"
         : kind == Kind::Metric  ? "metric"
                                 : "own";
}

/// The columns, and the names of metrics for which there is no room.
static void addColumns(Json &report, llvm::ArrayRef<const Result *> results) {
  Json columns = Json::array(), leftOut = Json::array();
  size_t bytes = 0;
  for (const ResultColumn &column : resultColumns(results, {"p50", "p90", "p99"})) {
    Json cells = column.hasNumbers() ? numbersJson(column) : wordsJson(column);
    size_t size = sizeOf(cells);
    if (column.kind == ResultColumn::Kind::Metric && bytes + size > columnBytes) {
      leftOut.push(column.name);
      continue;
    }
    bytes += size;
    columns.push(Json::object()
                     .set("name", column.name)
                     .set("kind", kindName(column.kind))
                     .set("unit", column.unit)
                     .set("share", column.isShare)
                     .set("cells", std::move(cells)));
  }
  report.set("rows", results.size())
      .set("columns", std::move(columns))
      .set("columns_left_out", std::move(leftOut));
}

//===-- Details of results ------------------------------------------------------------------===//

static Json partJson(const CostPart &part, SourceLines &lines) {
  Json json = Json::object()
                  .set("label", part.label)
                  .set("kind", partKindName(part.kind))
                  .set("at", lines.numberOf(part.location))
                  .set("latency", brief(part.latency.central()))
                  .set("energy", brief(part.energy));
  auto setUnlessZero = [&](llvm::StringRef name, double value) {
    if (value != 0)
      json.set(name, brief(value));
  };
  setUnlessZero("flops", part.flops);
  setUnlessZero("macs", part.macs);
  setUnlessZero("bytes", part.bytes);
  setUnlessZero("utilization", part.utilization);
  if (part.count != 1)
    json.set("count", part.count);
  for (auto [name, text] :
       {std::pair{"bound", &part.bound}, {"provider", &part.provider}, {"mapping", &part.mapping}})
    if (!text->empty())
      json.set(name, *text);
  if (part.children.empty())
    return json;
  Json parts = Json::array();
  for (const CostPart &child : part.children)
    parts.push(partJson(child, lines));
  return json.set("overlap", part.composition == Composition::Overlap)
      .set("parts", std::move(parts));
}

static Json reportedMemories(const Cost &cost) {
  Json list = Json::array();
  for (const MemoryTraffic &memory : cost.traffic)
    list.push(Json::object()
                  .set("name", memory.memory)
                  .set("off_chip", memory.isOffChip)
                  .set("bytes", brief(memory.bytes()))
                  .set("latency", brief(memory.latency.central()))
                  .set("energy", brief(memory.energy)));
  return list;
}

/// Parts of the energy that stand in no kernel.
static Json energyJson(const Cost &cost) {
  Json json = Json::object().set("total", brief(cost.energy));
  if (cost.work)
    json.set("compute", brief(cost.work->computeEnergy));
  json.set("exchange", brief(cost.exchangeEnergy));
  if (cost.leakageEnergy)
    json.set("leakage", brief(*cost.leakageEnergy));
  return json;
}

static Json detailsJson(const Result &result, size_t row, SourceLines &lines) {
  const Cost &cost = result.cost;
  Json bounds = Json::array(), notes = Json::array(), expectations = Json::array(),
       totals = Json::array(), missing = Json::object(), timeline = Json::array();
  for (const BoundTime &bound : cost.bounds)
    bounds.push(Json::object()
                    .set("resource", bound.resource)
                    .set("latency", brief(bound.latency.central())));
  for (const std::string &note : cost.notes)
    notes.push(note);
  for (const Expectation &one : result.expectations)
    expectations.push(Json::object()
                          .set("text", one.text)
                          .set("holds", one.holds)
                          .set("at", lines.numberOf(one.place)));
  for (const TotalLine &line : result.form->totals(result))
    totals.push(Json::array().push(line.first).push(line.second));
  for (const auto &[name, value] : metricsOf(result))
    if (!value.notGiven.empty())
      missing.set(name, value.notGiven);
  result.form->timeline(result, 0, timeline);
  size_t events = timeline.size();
  timeline.truncate(timelineEvents);
  return Json::object()
      .set("row", row)
      .set("label", result.label)
      .set("point", pointText(result))
      .set("at", lines.numberOf(result.place))
      .set("time", result.form->timeName)
      .set("provider", cost.provenance.provider)
      .set("mapping", cost.provenance.mapping)
      .set("formula", cost.provenance.formula)
      .set("totals", std::move(totals))
      .set("not_given", std::move(missing))
      .set("latency", brief(cost.latency.central()))
      .set("energy", energyJson(cost))
      .set("bounds", std::move(bounds))
      .set("memories", reportedMemories(cost))
      .set("breakdown", partJson(cost.breakdown, lines))
      .set("events", events)
      .set("timeline", std::move(timeline))
      .set("notes", std::move(notes))
      .set("expectations", std::move(expectations));
}

/// The rows of `results` that have details.
static std::vector<size_t> detailedRows(llvm::ArrayRef<const Result *> results) {
  llvm::SetVector<size_t> rows;
  std::map<unsigned, std::vector<size_t>> statements;
  for (size_t row = 0; row < results.size(); ++row)
    statements[results[row]->statement].push_back(row);
  for (const auto &[statement, own] : statements) {
    rows.insert(own.front());
    for (llvm::StringRef name : results[own.front()]->form->compared) {
      auto value = [&](size_t row) {
        llvm::Optional<MetricValue> found = metric(*results[row], name);
        return found && found->hasNumber() ? found->value.central() : INFINITY;
      };
      rows.insert(*std::min_element(own.begin(), own.end(),
                                    [&](size_t a, size_t b) { return value(a) < value(b); }));
    }
  }
  std::vector<size_t> sorted = rows.takeVector();
  if (results.size() <= detailed) {
    sorted.resize(results.size());
    for (size_t row = 0; row < results.size(); ++row)
      sorted[row] = row;
  }
  llvm::sort(sorted);
  return sorted;
}

Json emit::reportData(const emit::Input &input) {
  Json report = Json::object().set("schema", 1), details = Json::array();
  SourceLines lines(input.sources);
  addColumns(report, input.results);
  size_t bytes = 0;
  for (size_t row : detailedRows(input.results)) {
    Json one = detailsJson(*input.results[row], row, lines);
    bytes += sizeOf(one);
    if (bytes > detailBytes && !details.isEmpty())
      break;
    details.push(std::move(one));
  }
  return report.set("results", std::move(details))
      .set("lines", lines.take())
      .set("findings", input.findings);
}
