// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a scorecard says of predictions: fidelity by level (D1), what composing levels adds to the
// error (D2), and transfer to what no fit saw (D3).
#include "tools/driver/validate/Card.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

using Cell = CardPart::Cell;

static Cell cellOf(const llvm::Optional<double> &value) { return value ? Cell(*value) : Cell(); }
static Cell countOf(size_t count) { return static_cast<double>(count); }
static Cell shareOf(size_t part, size_t all) {
  return all == 0 ? Cell() : Cell(100 * static_cast<double>(part) / static_cast<double>(all));
}

static bool isMeasured(const CardLine &line) { return line.against == "measured"; }
/// Rows that a fit may have seen, and whether there are any.
static bool hasSeen(const CardLine &line) { return line.unseen != "all"; }

/// The rows that no fit saw, with the reason of the line; rows 0 where it has none.
static GroupStatistics unseenOf(const CardTables &tables, const CardLine &line,
                                llvm::StringRef metric) {
  if (const std::vector<ValidationRow> *leftOut = tables.leftOutRows(line))
    return agreementOf(*leftOut, metric);
  if (line.unseen.empty())
    return {};
  return agreementOf(tables.rowsOf(line), metric, line.unseen == "all" ? "" : line.unseen);
}

static GroupStatistics seenOf(const CardTables &tables, const CardLine &line,
                              llvm::StringRef metric) {
  if (!hasSeen(line))
    return {};
  return agreementOf(tables.rowsOf(line), metric, line.unseen, /*others=*/true);
}

static std::string unseenName(const CardLine &line) {
  if (!line.leaveOut.empty())
    return "left out by " + llvm::join(line.leaveOut, ", ");
  return line.unseen == "all" ? "all rows" : line.unseen;
}

static Cell meanOf(llvm::ArrayRef<double> values) {
  double sum = 0;
  for (double value : values)
    sum += value;
  return values.empty() ? Cell() : Cell(sum / static_cast<double>(values.size()));
}

namespace {

/// A metric of a table, with the lines of the card that it is in: one for what is said of all rows,
/// several where they leave out different groups.
struct CardMetric {
  std::string name;
  std::vector<const CardLine *> lines;

  const CardLine &line() const { return *lines.front(); }
};

/// What a level comes to over its tables.
struct LevelFigures {
  std::set<std::string> tables;
  size_t figures = 0, equal = 0;    ///< of tools
  std::vector<double> seen, unseen; ///< errors of measured tables and metrics
  size_t intervals = 0, covered = 0;
};

} // namespace

/// The metrics of all tables, each once, in the order of the lines.
static std::vector<CardMetric> cardMetrics(const CardTables &tables) {
  using Key = std::tuple<std::string, std::string, std::string>;
  llvm::MapVector<Key, CardMetric, std::map<Key, unsigned>> found;
  for (const CardLine &line : tables.lines())
    for (const std::string &metric : line.metrics) {
      CardMetric &known = found[{line.table, line.kind, metric}];
      known.name = metric;
      known.lines.push_back(&line);
    }
  std::vector<CardMetric> all;
  for (auto &[key, metric] : found)
    all.push_back(std::move(metric));
  return all;
}

/// The mean error over the lines of a metric, as `agreement` has it of each.
static void
addError(const CardTables &tables, const CardMetric &metric, std::vector<double> &errors,
         GroupStatistics (*agreement)(const CardTables &, const CardLine &, llvm::StringRef)) {
  std::vector<double> each;
  for (const CardLine *line : metric.lines)
    if (auto mape = agreement(tables, *line, metric.name).mape)
      each.push_back(*mape);
  Cell mean = meanOf(each);
  if (const double *error = std::get_if<double>(&mean))
    errors.push_back(*error);
}

static CardPart levelPart(const CardTables &tables) {
  llvm::MapVector<llvm::StringRef, LevelFigures> levels;
  for (const CardMetric &metric : cardMetrics(tables)) {
    const CardLine &line = metric.line();
    LevelFigures &level = levels[line.level];
    level.tables.insert(line.table);
    GroupStatistics all = agreementOf(tables.rowsOf(line), metric.name);
    level.intervals += all.intervals;
    level.covered += all.covered;
    if (isMeasured(line)) {
      addError(tables, metric, level.seen, seenOf);
      addError(tables, metric, level.unseen, unseenOf);
    } else {
      level.figures += all.rows;
      level.equal += all.exact;
    }
  }
  CardPart part{
      "levels",
      "D1 fidelity, by level",
      "figures of other tools: how many are equal; measured ones: the mean, over tables "
      "and their metrics, of the mean absolute error of rows that a fit may have seen and "
      "of rows that none saw; 90 % intervals with the measurement in them",
      {{"level", "level", true},
       {"tables", "tables"},
       {"figures", "tools' figures"},
       {"equal", "equal %"},
       {"seen_mape", "seen mape %"},
       {"unseen_mape", "unseen mape %"},
       {"cover", "cover %"}}};
  for (const auto &[name, level] : levels)
    part.rows.push_back({name.str(), countOf(level.tables.size()),
                         level.figures ? countOf(level.figures) : Cell(),
                         shareOf(level.equal, level.figures), meanOf(level.seen),
                         meanOf(level.unseen), shareOf(level.covered, level.intervals)});
  return part;
}

static CardPart tablePart(const CardTables &tables) {
  CardPart part{"tables",
                "D1 fidelity, by table",
                "all rows of each table against a tool or measurements",
                {{"level", "level", true},
                 {"table", "table", true},
                 {"metric", "metric", true},
                 {"against", "against", true},
                 {"rows", "rows"},
                 {"equal", "equal %"},
                 {"mape", "mape %"},
                 {"median_ape", "p50 %"},
                 {"p90_ape", "p90 %"},
                 {"spearman", "rank r"},
                 {"cover", "cover %"},
                 {"skipped", "skip"}}};
  for (const CardMetric &metric : cardMetrics(tables)) {
    const CardLine &line = metric.line();
    GroupStatistics all = agreementOf(tables.rowsOf(line), metric.name);
    part.rows.push_back({line.level, line.table, metric.name, line.against, countOf(all.rows),
                         isMeasured(line) ? Cell() : shareOf(all.exact, all.rows), cellOf(all.mape),
                         cellOf(all.medianApe), cellOf(all.p90Ape), cellOf(all.spearman),
                         shareOf(all.covered, all.intervals), countOf(all.skipped)});
  }
  return part;
}

std::vector<CardPart> driver::fidelityParts(const CardTables &tables) {
  return {levelPart(tables), tablePart(tables)};
}

CardPart driver::compositionPart(const CardTables &tables) {
  CardPart part{"composition",
                "D2 composition",
                "gamma: the mean error of a composed prediction over the mean of those of its "
                "parts, each against measurements of its own; below 1 errors cancel",
                {{"level", "level", true},
                 {"table", "composed", true},
                 {"metric", "metric", true},
                 {"mape", "mape %"},
                 {"parts", "parts", true},
                 {"parts_mape", "parts' mape %"},
                 {"gamma", "gamma"}}};
  for (const CardLine &line : tables.lines()) {
    if (line.parts.empty())
      continue;
    std::vector<double> errors;
    for (llvm::StringRef each : line.parts) {
      auto [table, metric] = each.rsplit(':');
      if (auto error = agreementOf(tables.rowsOf(*tables.lineOf(table, metric)), metric).mape)
        errors.push_back(*error);
    }
    Cell ofParts = meanOf(errors);
    for (const std::string &metric : line.metrics) {
      llvm::Optional<double> mape = agreementOf(tables.rowsOf(line), metric).mape;
      const double *below = std::get_if<double>(&ofParts);
      part.rows.push_back({line.level, line.table, metric, cellOf(mape),
                           llvm::join(line.parts, ", "), ofParts,
                           mape && below && *below > 0 ? Cell(*mape / *below) : Cell()});
    }
  }
  return part;
}

CardPart driver::transferPart(const CardTables &tables) {
  CardPart part{"transfer",
                "D3 transfer",
                "rows that no fit saw, and beside them the rows of the same kind that one may have "
                "seen",
                {{"table", "table", true},
                 {"metric", "metric", true},
                 {"new", "what is new", true},
                 {"which", "rows that are", true},
                 {"rows", "rows"},
                 {"mape", "mape %"},
                 {"median_ape", "p50 %"},
                 {"spearman", "rank r"},
                 {"cover", "cover %"},
                 {"seen_mape", "seen mape %"}}};
  std::vector<CardMetric> metrics = cardMetrics(tables);
  for (const CardLine &line : tables.lines())
    for (const std::string &name : line.metrics) {
      GroupStatistics unseen = unseenOf(tables, line, name);
      if (unseen.rows == 0)
        continue;
      std::vector<double> seen;
      for (const CardMetric &other : metrics)
        if (other.line().kind == line.kind && other.name == name)
          addError(tables, other, seen, seenOf);
      part.rows.push_back({line.table, name, line.isNew, unseenName(line), countOf(unseen.rows),
                           cellOf(unseen.mape), cellOf(unseen.medianApe), cellOf(unseen.spearman),
                           shareOf(unseen.covered, unseen.intervals), meanOf(seen)});
    }
  return part;
}
