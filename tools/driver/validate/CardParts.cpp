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

/// One agreement for each metric that a line names, or for all together.
static std::vector<std::vector<std::string>> metricSets(const CardLine &line) {
  std::vector<std::vector<std::string>> each;
  for (const std::string &metric : line.metrics)
    each.push_back({metric});
  if (each.empty())
    each.emplace_back();
  return each;
}

static std::string nameOf(llvm::ArrayRef<std::string> metrics) {
  return metrics.empty() ? "all" : llvm::join(metrics, " ");
}

/// The rows that no fit saw, with the reason of the line; rows 0 where it has none.
static GroupStatistics unseenOf(const CardTables &tables, const CardLine &line,
                                llvm::ArrayRef<std::string> metrics) {
  if (const std::vector<ValidationRow> *leftOut = tables.leftOutRows(line))
    return agreementOf(*leftOut, metrics);
  if (line.unseen.empty())
    return {};
  return agreementOf(tables.rowsOf(line), metrics, line.unseen == "all" ? "" : line.unseen);
}

static GroupStatistics seenOf(const CardTables &tables, const CardLine &line,
                              llvm::ArrayRef<std::string> metrics) {
  if (!hasSeen(line))
    return {};
  return agreementOf(tables.rowsOf(line), metrics, line.unseen, /*others=*/true);
}

static std::string unseenName(const CardLine &line) {
  if (!line.leaveOut.empty())
    return "left out by " + llvm::join(line.leaveOut, ", ");
  return line.unseen == "all" ? "all rows" : line.unseen;
}

namespace {

/// What a level comes to over its tables.
struct LevelFigures {
  std::set<std::string> tables;
  size_t figures = 0, equal = 0;    ///< of tools
  std::vector<double> seen, unseen; ///< errors of measured tables and metrics
  size_t intervals = 0, covered = 0;
};

} // namespace

static Cell meanOf(llvm::ArrayRef<double> values) {
  double sum = 0;
  for (double value : values)
    sum += value;
  return values.empty() ? Cell() : Cell(sum / static_cast<double>(values.size()));
}

static CardPart levelPart(const CardTables &tables) {
  llvm::MapVector<llvm::StringRef, LevelFigures> levels;
  for (const CardLine &line : tables.lines()) {
    LevelFigures &level = levels[line.level];
    level.tables.insert(line.table);
    for (const auto &metrics : metricSets(line)) {
      GroupStatistics all = agreementOf(tables.rowsOf(line), metrics);
      level.intervals += all.intervals;
      level.covered += all.covered;
      if (!isMeasured(line)) {
        level.figures += all.rows;
        level.equal += all.exact;
        continue;
      }
      if (auto seen = seenOf(tables, line, metrics).mape)
        level.seen.push_back(*seen);
      if (auto unseen = unseenOf(tables, line, metrics).mape)
        level.unseen.push_back(*unseen);
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
  for (const CardLine &line : tables.lines())
    for (const auto &metrics : metricSets(line)) {
      GroupStatistics all = agreementOf(tables.rowsOf(line), metrics);
      part.rows.push_back({line.level, line.table, nameOf(metrics), line.against, countOf(all.rows),
                           isMeasured(line) ? Cell() : shareOf(all.exact, all.rows),
                           cellOf(all.mape), cellOf(all.medianApe), cellOf(all.p90Ape),
                           cellOf(all.spearman), shareOf(all.covered, all.intervals),
                           countOf(all.skipped)});
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
      if (auto error = agreementOf(tables.rowsOf(*tables.lineOf(table)), metric.str()).mape)
        errors.push_back(*error);
    }
    Cell ofParts = meanOf(errors);
    for (const auto &metrics : metricSets(line)) {
      llvm::Optional<double> mape = agreementOf(tables.rowsOf(line), metrics).mape;
      const double *below = std::get_if<double>(&ofParts);
      part.rows.push_back({line.level, line.table, nameOf(metrics), cellOf(mape),
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
  for (const CardLine &line : tables.lines())
    for (const auto &metrics : metricSets(line)) {
      GroupStatistics unseen = unseenOf(tables, line, metrics);
      if (unseen.rows == 0)
        continue;
      std::vector<double> seen;
      for (const CardLine &other : tables.lines())
        if (other.kind == line.kind)
          if (auto error = seenOf(tables, other, metrics).mape)
            seen.push_back(*error);
      part.rows.push_back({line.table, nameOf(metrics), line.isNew, unseenName(line),
                           countOf(unseen.rows), cellOf(unseen.mape), cellOf(unseen.medianApe),
                           cellOf(unseen.spearman), shareOf(unseen.covered, unseen.intervals),
                           meanOf(seen)});
    }
  return part;
}
