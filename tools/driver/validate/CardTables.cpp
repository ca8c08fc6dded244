// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of a scorecard and the predictions of its tables.
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/validate/Card.h"
#include "tools/driver/validate/Csv.h"
#include "tools/driver/validate/KindRows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static std::vector<std::string> words(llvm::StringRef text) {
  std::vector<std::string> result;
  for (llvm::StringRef word : llvm::split(text, " "))
    if (!word.empty())
      result.push_back(word.str());
  return result;
}

static bool reportLine(Session &session, const CardLine &line, const std::string &reason) {
  session.diagnostics.report(line.place, diag::BadTable, session.sources.path(line.place.file),
                             "card", reason);
  return false;
}

bool CardTables::readLines(Session &session, llvm::StringRef path) {
  auto csv = CsvTable::load(session, path, "card",
                            {"table", "kind", "level", "against", "metrics", "unseen", "leave_out",
                             "shots", "new", "parts"});
  if (!csv)
    return false;
  for (const CsvTable::Row &row : csv->rows()) {
    auto text = [&](llvm::StringRef column) { return csv->cell(row, column).str(); };
    CardLine line;
    llvm::SmallString<128> table(text("table"));
    llvm::sys::path::remove_dots(table); // one way to write each
    line.table = table.str().str();
    line.kind = text("kind");
    line.level = text("level");
    line.against = text("against");
    line.metrics = words(text("metrics"));
    line.unseen = text("unseen");
    line.leaveOut = words(text("leave_out"));
    line.isNew = text("new");
    line.parts = words(text("parts"));
    line.place = row.place;
    if (!text("shots").empty()) {
      auto shots = csv->count(session, row, "shots", 0);
      if (!shots)
        return false;
      line.shots = static_cast<size_t>(*shots);
    }
    if (line.table.empty() || line.level.empty() || line.against.empty())
      return reportLine(session, line, "`table`, `level` and `against` are needed in each row");
    if (!line.unseen.empty() && line.unseen != "all" && line.unseen.find('=') == std::string::npos)
      return reportLine(session, line, "`unseen` is `all`, LABEL=VALUE or nothing");
    all.push_back(std::move(line));
  }
  if (all.empty())
    session.diagnostics.report({}, diag::BadTable, path, "card", "it names no table");
  return !all.empty();
}

const std::vector<ValidationRow> &CardTables::rowsOf(const CardLine &line) const {
  return tables[numbers.at(line.key())].rows;
}

const CardLine *CardTables::lineOf(llvm::StringRef table, llvm::StringRef metric) const {
  auto found = llvm::find_if(all, [&](const CardLine &line) {
    return line.table == table && agreementOf(rowsOf(line), metric).rows > 0;
  });
  return found == all.end() ? nullptr : &*found;
}

const std::vector<ValidationRow> *CardTables::leftOutRows(const CardLine &line) const {
  auto found = leftOut.find(line.place.begin);
  return found == leftOut.end() ? nullptr : &found->second;
}

bool CardTables::predict(Session &session, const CardLine &line, llvm::StringRef folder,
                         unsigned threads) {
  auto inFolder = [&](llvm::StringRef name) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  };
  std::string kind = llvm::StringRef(line.kind).endswith(".perf") ? inFolder(line.kind) : line.kind;
  std::string path = inFolder(line.table);
  session.progress.at(line.table);
  if (numbers.try_emplace(line.key(), tables.size()).second) {
    api::PredictedTable &table = tables.emplace_back();
    table.path = line.table;
    if (!predictRows(session, kind, path, line.shots, threads, table.rows))
      return false;
  }
  return line.leaveOut.empty() || leaveOut(session, line, kind, path, threads);
}

/// Keeps the rows that fits predict without their groups.
bool CardTables::leaveOut(Session &session, const CardLine &line, llvm::StringRef kind,
                          llvm::StringRef path, unsigned threads) {
  Arguments arguments;
  arguments.addFile(kind);
  arguments.addFile(path);
  if (!isTableProgram(arguments))
    return reportLine(session, line, "nothing is fitted in kind " + line.kind);
  auto program = loadTableFile(session, arguments);
  if (!program)
    return false;
  llvm::Optional<std::vector<ValidationRow>> unseen;
  if (auto predicted = predictFamilies(session, *program, line.leaveOut, line.shots, threads))
    unseen = std::move(predicted->rows);
  else if (!session.diagnostics.hasErrors())
    unseen = leaveOutRows(session, *program, line.leaveOut.front(), threads);
  if (unseen)
    leftOut[line.place.begin] = std::move(*unseen);
  return !session.diagnostics.hasErrors();
}

/// That something is predicted of each metric of the line, which are all where it names none.
bool CardTables::checkMetrics(Session &session, CardLine &line) const {
  if (line.metrics.empty())
    for (const GroupStatistics &group : groupStatistics(rowsOf(line)))
      if (group.by.empty())
        line.metrics.push_back(group.metric);
  for (const std::string &metric : line.metrics)
    if (agreementOf(rowsOf(line), metric).rows == 0)
      return reportLine(session, line, fmt::format("nothing is predicted of `{}`", metric));
  return true;
}

bool CardTables::checkParts(Session &session) const {
  for (const CardLine &line : all)
    for (llvm::StringRef part : line.parts) {
      auto [table, metric] = part.rsplit(':');
      if (!lineOf(table, metric))
        return reportLine(session, line,
                          fmt::format("no row has a table that `{}` is predicted of", part.str()));
    }
  return true;
}

bool CardTables::read(Session &session, llvm::StringRef path, unsigned threads) {
  if (!readLines(session, path))
    return false;
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  for (CardLine &line : all)
    if (!predict(session, line, folder, threads) || !checkMetrics(session, line))
      return false;
  return checkParts(session);
}

GroupStatistics driver::agreementOf(llvm::ArrayRef<ValidationRow> rows, llvm::StringRef metric,
                                    llvm::StringRef label, bool others) {
  auto [key, value] = label.split('=');
  std::vector<ValidationRow> some;
  for (const ValidationRow &row : rows) {
    bool has = llvm::any_of(row.labels, [&, key = key, value = value](const auto &one) {
      return one.first == key && one.second == value;
    });
    if (!label.empty() && has == others)
      continue;
    ValidationRow &copy = some.emplace_back();
    llvm::copy_if(row.predictions, std::back_inserter(copy.predictions),
                  [&](const Prediction &one) { return one.apart.empty() && one.metric == metric; });
  }
  std::vector<GroupStatistics> groups = groupStatistics(some);
  return groups.empty() ? GroupStatistics() : std::move(groups.front());
}
