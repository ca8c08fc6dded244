// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/AgreementTable.h"

#include "tools/driver/Table.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static void printGroups(Session &session, llvm::ArrayRef<GroupStatistics> groups) {
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

std::string driver::rowsCsv(llvm::ArrayRef<ValidationRow> rows) {
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

void driver::printAgreement(Session &session, llvm::StringRef title,
                            llvm::ArrayRef<ValidationRow> rows) {
  session.out << title << ": " << rows.size() << " rows\n";
  printGroups(session, groupStatistics(rows));
  printSkipped(session, rows);
}
