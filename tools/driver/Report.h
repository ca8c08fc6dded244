// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results as text: for each evaluation where time and energy go, for a comparison one row per
// result against the first, for a sweep one row per point as it comes, and what `report` asks for.
#ifndef PERFC_TOOLS_DRIVER_REPORT_H
#define PERFC_TOOLS_DRIVER_REPORT_H

#include "backends/emit/ResultText.h"
#include "backends/emit/StatementForm.h"
#include "tools/driver/ReportColumns.h"
#include "tools/driver/Session.h"
#include "tools/driver/Table.h"
#include "tools/driver/sweep/PointTable.h"

namespace perfc::driver {

using emit::latencyText;
using emit::percent;

/// Kernels shown without -v.
inline constexpr size_t kernelLimit = 14;

class Report {
public:
  Report(Session &session, const api::Evaluation &evaluation)
      : Report(session, evaluation, session.out) {}
  /// Prints to `out` instead.
  Report(Session &session, const api::Evaluation &evaluation, llvm::raw_ostream &out)
      : session(session), out(session.isQuiet() ? llvm::nulls() : out), evaluation(evaluation) {}

  /// Prints what a statement has found.
  void print(const api::Evaluated &evaluated);

  /// Takes the point for one of a sweep whose titles are printed, or not; what comes after it is
  /// then printed accordingly.
  void goOnWith(const api::Evaluated &point);
  void beginAnew() {
    sweep = SourceRange();
    lines.reset();
  }

private:
  bool startSweep(const api::Evaluated &evaluated, const PointTable &table);
  void printEvaluation(const emit::Result &result);
  void printComparison(const api::Evaluated &evaluated);
  void printPoint(const api::Evaluated &evaluated);
  void printReport(const api::Evaluated &evaluated, study::ReportOp report);
  void printResultRows(const api::Evaluated &evaluated, llvm::ArrayRef<ReportColumn> columns);
  void printParts(const api::Evaluated &evaluated, const emit::Result &result,
                  llvm::ArrayRef<ReportColumn> columns, llvm::StringRef by);
  void printFileReport(const api::Evaluated &evaluated);
  /// Reasons and figures of a result are never cut, whatever the width.
  void printTotals(const emit::Result &result);
  void printFindings(const emit::Result &result); ///< notes and expectations
  void printExpectations(const emit::Result &result, llvm::StringRef row);
  void title(llvm::StringRef text, llvm::StringRef details);
  std::vector<std::string> cells(const emit::MetricNames &names,
                                 llvm::ArrayRef<ReportColumn> columns,
                                 std::vector<std::string> before);
  /// Adds the rows of a table that `report` asks for.
  void addRows(Table &table, const api::ReportTable &rows);
  void printMissing();

  Session &session;
  llvm::raw_ostream
      &out; ///< nowhere when the session is quiet: what is wrong is found all the same
  const api::Evaluation &evaluation;
  /// The sweep whose rows are being printed, and the columns of its table.
  SourceRange sweep;
  std::vector<TableColumn> sweepColumns;
  std::unique_ptr<PointLines> lines; ///< of a sweep whose points share their statement
  /// Why cells of the table at hand are empty, by column.
  MissingCells missing;
};

/// The table of the kernels of a result: all of them, or the `limit` longest and one line for the
/// others.
Table kernelTable(const emit::Result &result, size_t limit);
/// Totals of a result: name and value.
Table totalsTable(const emit::Result &result);
/// Accesses by memory and tensor.
Table accessTable(const Cost &cost);
/// What else a result of its kind says.
Table detailTable(const emit::DetailTable &details);
/// Who has computed it, and with which mapping: "loopnest; mapping row_stationary".
std::string madeBy(const Provenance &provenance);
/// The same with the libraries of several kernels: "tile; kernels of cublas_sm90, torch_streams".
std::string details(const Cost &cost);
/// "-" where it is not known.
std::string utilizationText(const Outcome &of);
/// The energy with its unit, or "not given".
std::string energyText(const Figure &energy);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_REPORT_H
