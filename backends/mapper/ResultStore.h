// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of a sweep in a SQLite file. A point is one row, committed when it is done: a run that is
// killed loses the points in flight and nothing else, and the next one goes on where it stopped.
// Points are known by a number and by what they set; a file is for one program, by its hash.
#ifndef PERFC_BACKENDS_MAPPER_RESULTSTORE_H
#define PERFC_BACKENDS_MAPPER_RESULTSTORE_H

#include "ir/common/Diagnostics.h"
#include <map>
#include <memory>

struct sqlite3;

namespace perfc::mapper {

/// One result of one point: what it is of, and its metrics.
struct StoredRow {
  int64_t statement = 0; ///< which sweep of the file
  int64_t point = 0;     ///< which of its points, from 0
  int64_t row = 0;       ///< which result of the point
  std::string bindings;  ///< "pes = 84, glb = 64KiB"
  std::string label;
  std::string metrics; ///< JSON object: name to number
};

class ResultStore {
public:
  /// Opens or makes `path`; nothing after a report. `program` identifies what the results are of; a
  /// file of another program, or one that lacks a table, is refused. Rows that are damaged are
  /// reported and left out.
  static std::unique_ptr<ResultStore> open(llvm::StringRef path, llvm::StringRef program,
                                           DiagnosticEngine &diagnostics);
  /// Opens an existing file to read it, whatever program it is of. Of a file that lacks a table
  /// there is what can be read, after a report; nothing where there are no results.
  static std::unique_ptr<ResultStore> openExisting(llvm::StringRef path,
                                                   DiagnosticEngine &diagnostics);
  ~ResultStore();

  bool has(int64_t statement, int64_t point) const;
  /// Adds all results of one point at once; an empty list says that the point has none. One that is
  /// not `isDone` keeps its results, and is evaluated again next time.
  bool add(int64_t statement, int64_t point, llvm::ArrayRef<StoredRow> rows, bool isDone,
           DiagnosticEngine &diagnostics);
  /// The points that are done, by statement and number.
  std::vector<std::pair<int64_t, int64_t>> points() const;
  /// All rows that can be read, by statement, point and row.
  std::vector<StoredRow> rows() const;
  /// Those of points that are done.
  std::vector<StoredRow> finishedRows() const;
  llvm::StringRef program() const { return programHash; }
  /// Adds what `other` has and this has not.
  bool merge(const ResultStore &other, DiagnosticEngine &diagnostics);

private:
  explicit ResultStore(sqlite3 *database, llvm::StringRef path)
      : database(database), path(path.str()) {}
  bool run(const char *sql, DiagnosticEngine &diagnostics) const;
  bool connect(DiagnosticEngine &diagnostics) const;
  std::vector<StoredRow> readRows(std::string &damage) const;
  void checkRows(DiagnosticEngine &diagnostics) const;
  void wrong(const std::string &reason, DiagnosticEngine &diagnostics) const;

  sqlite3 *database;
  std::string path;
  std::string programHash;
};

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_RESULTSTORE_H
