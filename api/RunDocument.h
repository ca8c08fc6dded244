// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `run`, `search` and `sweep` print with --json: all results, searches and fronts of a file as
// one document (docs/output.md). The parts of a document that other processes evaluate come
// printed, so that it has the bytes of a run alone.
#ifndef PERFC_API_RUNDOCUMENT_H
#define PERFC_API_RUNDOCUMENT_H

#include "api/Evaluation.h"
#include "backends/emit/Json.h"

namespace perfc::api {

class RunDocument {
public:
  /// Of `evaluation`; with the CPU time of searches, which differs from run to run, if `withStats`.
  RunDocument(const Evaluation &evaluation, bool withStats)
      : evaluation(evaluation), withStats(withStats) {}

  /// Appends the results and searches since the last call, printed as they stand in the document.
  void takeParts(std::vector<std::string> &results, std::vector<std::string> &searches);
  /// Adds those of another process.
  void addParts(llvm::ArrayRef<std::string> results, llvm::ArrayRef<std::string> searches);

  /// Prints all of it; `path` names the file.
  void print(llvm::raw_ostream &out, llvm::StringRef path);

private:
  const Evaluation &evaluation;
  bool withStats;
  std::vector<std::string> allResults, allSearches;
  size_t takenResults = 0, takenSearches = 0; ///< of the evaluation
};

/// What a report shows besides results: fronts, what sweeps leave out, and tables of measurements
/// with the predictions of each row.
emit::Json findingsJson(const Evaluation &evaluation);
/// The tables with their predictions, so many figures of each.
emit::Json chartedTables(const std::deque<PredictedTable> &tables, size_t figures);
/// Writes the page of `emit html` of tables alone; `findings` has what stands there besides.
void writeTablesReport(const std::deque<PredictedTable> &tables, llvm::StringRef path,
                       Context context, llvm::StringRef title = "validation",
                       emit::Json findings = emit::Json::object());
/// The fronts: `of` how many results, and `points` with `point`, `label` and each value.
emit::Json frontsJson(llvm::ArrayRef<mapper::Front> fronts);
/// How many results of each sweep `require` has left out, and which conditions.
emit::Json leftOutJson(llvm::ArrayRef<mapper::LeftOut> sweeps);
/// The agreement of each table of measurements.
emit::Json tablesJson(const std::deque<PredictedTable> &tables);

} // namespace perfc::api

#endif // PERFC_API_RUNDOCUMENT_H
