// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/OutputFile.h"
#include "backends/emit/Json.h"
#include "ir/common/diagnostics/Training.h"
#include "tools/driver/Command.h"
#include "tools/driver/Table.h"
#include "tools/driver/validate/Statistics.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static const TableKind *findKind(Session &session, llvm::StringRef name) {
  std::vector<llvm::StringRef> names;
  for (const TableKind &kind : tableKinds()) {
    if (kind.name == name)
      return &kind;
    names.push_back(kind.name);
  }
  session.diagnostics.report({}, diag::UnknownTableKind, name.str())
      .help("it is one of " + llvm::join(names, ", "));
  return nullptr;
}

static emit::Json optional(const llvm::Optional<double> &value) {
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
      .set("mape", optional(group.mape))
      .set("median_ape", optional(group.medianApe))
      .set("p90_ape", optional(group.p90Ape))
      .set("spearman", optional(group.spearman))
      .set("intervals", group.intervals)
      .set("covered", group.covered)
      .set("skipped", group.skipped);
}

static void printJson(Session &session, llvm::StringRef kind, size_t rows,
                      llvm::ArrayRef<GroupStatistics> groups) {
  emit::Json list = emit::Json::array();
  for (const GroupStatistics &group : groups)
    list.push(groupJson(group));
  emit::Json::object()
      .set("schema", 1)
      .set("kind", kind)
      .set("rows", rows)
      .set("groups", std::move(list))
      .print(session.out);
  session.out << '\n';
}

static void printTable(Session &session, llvm::StringRef kind, size_t rows,
                       llvm::ArrayRef<GroupStatistics> groups) {
  session.out << kind << ": " << rows << " rows\n";
  // What has intervals was measured; no prediction of it is exact.
  bool hasIntervals =
      llvm::any_of(groups, [](const GroupStatistics &group) { return group.intervals > 0; });
  Table table({{"group", Align::Left},
               {"metric", Align::Left},
               {"rows"},
               {hasIntervals ? "cover" : "exact"},
               {"mape %"},
               {"p50 %"},
               {"p90 %"},
               {"rank r"},
               {"skip"}});
  auto real = [](const llvm::Optional<double> &value) {
    return value ? fmt::format("{:.3g}", *value) : std::string("-");
  };
  for (const GroupStatistics &group : groups) {
    llvm::Optional<double> covered;
    if (group.intervals > 0)
      covered = 100 * static_cast<double>(group.covered) / static_cast<double>(group.intervals);
    std::string by = "all";
    for (const auto &[key, value] : group.by)
      by = value;
    table.addRow({by, group.metric, std::to_string(group.rows),
                  hasIntervals ? real(covered) : std::to_string(group.exact), real(group.mape),
                  real(group.medianApe), real(group.p90Ape), real(group.spearman),
                  std::to_string(group.skipped)});
  }
  table.print(session.out, session.tableWidth(), session.colorOut);
}

static std::string nameOf(const ValidationRow &row, const Prediction &prediction) {
  return row.name + (prediction.part.empty() ? "" : " " + prediction.part);
}

static void printSkipped(Session &session, llvm::ArrayRef<ValidationRow> rows) {
  for (const ValidationRow &row : rows)
    for (const Prediction &prediction : row.predictions)
      if (!prediction.skipped.empty() && prediction.apart.empty())
        session.out << "  skipped " << nameOf(row, prediction) << ", " << prediction.metric << ": "
                    << prediction.skipped << '\n';
}

static std::string csvCell(llvm::StringRef text) {
  if (text.find_first_of(",\"\n") == llvm::StringRef::npos)
    return text.str();
  std::string escaped = text.str();
  for (size_t at = 0; (at = escaped.find('"', at)) != std::string::npos; at += 2)
    escaped.insert(at, 1, '"');
  return '"' + escaped + '"';
}

/// One line per row and metric.
static std::string rowsCsv(llvm::ArrayRef<ValidationRow> rows) {
  std::string text = "row,labels,metric,prediction,reference,skipped,half_width\n";
  for (const ValidationRow &row : rows)
    for (const Prediction &prediction : row.predictions) {
      std::string labels;
      for (const Labels *list : {&row.labels, &prediction.apart})
        for (const auto &[key, value] : *list)
          labels += (labels.empty() ? "" : "; ") + key + "=" + value;
      text += csvCell(nameOf(row, prediction)) + "," + csvCell(labels) + "," +
              csvCell(prediction.metric) + "," +
              (prediction.predicted ? prediction.predicted->text() : "") + "," +
              (prediction.reference ? prediction.reference->text() : "") + "," +
              csvCell(prediction.skipped) + "," +
              (prediction.halfWidth > 0 ? fmt::format("{}", prediction.halfWidth) : "") + "\n";
    }
  return text;
}

/// What the options say about tables of training runs; nothing after a report.
static llvm::Optional<TrainOptions> trainOptions(Session &session, const Arguments &arguments,
                                                 const TableKind &kind) {
  TrainOptions options;
  auto bad = [&](const std::string &text) {
    session.diagnostics.report({}, diag::BadTrainTableOption, text);
    return llvm::None;
  };
  for (const char *name : {"runtimes", "half"})
    if (arguments.has(name) && !kind.predictTraining)
      return bad(fmt::format("`--{}` is for tables of training runs, not for `{}`", name,
                             kind.name.str()));
  options.half = arguments.value("half").str();
  if (!options.half.empty() && options.half != "fit" && options.half != "test")
    return bad(fmt::format("`--half` is fit or test, not `{}`", options.half));
  if (arguments.has("runtimes")) {
    FileId file = session.load(arguments.value("runtimes"));
    if (!file)
      return llvm::None;
    options.runtimes = session.sources.text(file).str();
  }
  return options;
}

bool driver::validateTable(Session &session, const Arguments &arguments) {
  const TableKind *kind = findKind(session, arguments.files()[0]);
  auto options = kind ? trainOptions(session, arguments, *kind) : llvm::None;
  std::vector<ValidationRow> rows;
  if (!options)
    return true;
  llvm::StringRef path = arguments.files()[1];
  bool isRead = kind->predictTraining ? kind->predictTraining(session, path, *options, rows)
                                      : kind->predict(session, path, rows);
  if (!isRead)
    return true;
  std::vector<GroupStatistics> groups = groupStatistics(rows);
  if (arguments.has("rows"))
    writeOutput(arguments.value("rows"), rowsCsv(rows), {}, session.diagnostics);
  if (arguments.has("json")) {
    printJson(session, kind->name, rows.size(), groups);
  } else if (!session.isQuiet()) {
    printTable(session, kind->name, rows.size(), groups);
    printSkipped(session, rows);
  }
  return true;
}
