// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/ResultStore.h"

#include "ir/common/diagnostics/Search.h"
#include "llvm/Support/FileSystem.h"
#include <sqlite3.h>

using namespace perfc;
using namespace perfc::mapper;

static constexpr const char *schema =
    "CREATE TABLE IF NOT EXISTS program (hash TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS points (statement INTEGER, point INTEGER,"
    " PRIMARY KEY (statement, point));"
    "CREATE TABLE IF NOT EXISTS results (statement INTEGER, point INTEGER, row INTEGER,"
    " bindings TEXT, label TEXT, metrics TEXT, PRIMARY KEY (statement, point, row));";

namespace {

/// A prepared statement, finished when it goes.
class Query {
public:
  Query(sqlite3 *database, const char *sql) {
    sqlite3_prepare_v2(database, sql, -1, &statement, nullptr);
  }
  ~Query() { sqlite3_finalize(statement); }
  Query &bind(int at, int64_t number) {
    sqlite3_bind_int64(statement, at, number);
    return *this;
  }
  Query &bind(int at, llvm::StringRef text) {
    sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  /// True when there is a row.
  bool step() { return statement && (status = sqlite3_step(statement)) == SQLITE_ROW; }
  bool done() { return statement && (step(), status == SQLITE_DONE); }
  int64_t number(int at) const { return sqlite3_column_int64(statement, at); }
  std::string text(int at) const {
    const unsigned char *value = sqlite3_column_text(statement, at);
    return value ? reinterpret_cast<const char *>(value) : "";
  }

private:
  sqlite3_stmt *statement = nullptr;
  int status = SQLITE_OK;
};

} // namespace

ResultStore::~ResultStore() { sqlite3_close(database); }

bool ResultStore::run(const char *sql, DiagnosticEngine &diagnostics) const {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK)
    return true;
  diagnostics.report({}, diag::BadResultsFile, path, sqlite3_errmsg(database));
  return false;
}

std::unique_ptr<ResultStore> ResultStore::open(llvm::StringRef path, llvm::StringRef program,
                                               DiagnosticEngine &diagnostics) {
  sqlite3 *database = nullptr;
  int status = sqlite3_open(path.str().c_str(), &database);
  std::unique_ptr<ResultStore> store(new ResultStore(database, path));
  if (status != SQLITE_OK) {
    diagnostics.report({}, diag::BadResultsFile, path, sqlite3_errmsg(database));
    return nullptr;
  }
  sqlite3_busy_timeout(database, 10000);
  if (!store->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;", diagnostics) ||
      !store->run(schema, diagnostics))
    return nullptr;
  Query known(database, "SELECT hash FROM program");
  if (known.step())
    store->programHash = known.text(0);
  if (program.empty())
    return store;
  if (store->programHash.empty()) {
    Query(database, "INSERT INTO program VALUES (?)").bind(1, program).done();
    store->programHash = program.str();
  } else if (store->programHash != program) {
    diagnostics.report(
        {}, diag::BadResultsFile, path,
        "they are of another program, of other files that it reads, or of other parameters");
    return nullptr;
  }
  return store;
}

std::unique_ptr<ResultStore> ResultStore::openExisting(llvm::StringRef path,
                                                       DiagnosticEngine &diagnostics) {
  if (llvm::sys::fs::exists(path))
    return open(path, "", diagnostics);
  diagnostics.report({}, diag::CannotRead, path, "there is no such file");
  return nullptr;
}

bool ResultStore::has(int64_t statement, int64_t point) const {
  return Query(database, "SELECT 1 FROM points WHERE statement = ? AND point = ?")
      .bind(1, statement)
      .bind(2, point)
      .step();
}

bool ResultStore::add(int64_t statement, int64_t point, llvm::ArrayRef<StoredRow> rows, bool isDone,
                      DiagnosticEngine &diagnostics) {
  if (!run("BEGIN IMMEDIATE", diagnostics))
    return false;
  bool good = !isDone || Query(database, "INSERT OR REPLACE INTO points VALUES (?, ?)")
                             .bind(1, statement)
                             .bind(2, point)
                             .done();
  for (const StoredRow &row : rows)
    good &= Query(database, "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?)")
                .bind(1, statement)
                .bind(2, point)
                .bind(3, row.row)
                .bind(4, llvm::StringRef(row.bindings))
                .bind(5, llvm::StringRef(row.label))
                .bind(6, llvm::StringRef(row.metrics))
                .done();
  if (good && run("COMMIT", diagnostics))
    return true;
  if (!good) {
    diagnostics.report({}, diag::BadResultsFile, path, sqlite3_errmsg(database));
    sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  return false;
}

std::vector<std::pair<int64_t, int64_t>> ResultStore::points() const {
  std::vector<std::pair<int64_t, int64_t>> result;
  Query query(database, "SELECT statement, point FROM points ORDER BY statement, point");
  while (query.step())
    result.emplace_back(query.number(0), query.number(1));
  return result;
}

std::vector<StoredRow> ResultStore::rows() const {
  std::vector<StoredRow> result;
  Query query(database, "SELECT statement, point, row, bindings, label, metrics FROM results "
                        "ORDER BY statement, point, row");
  while (query.step())
    result.push_back({query.number(0), query.number(1), query.number(2), query.text(3),
                      query.text(4), query.text(5)});
  return result;
}

bool ResultStore::merge(const ResultStore &other, DiagnosticEngine &diagnostics) {
  std::map<std::pair<int64_t, int64_t>, std::vector<StoredRow>> points;
  for (const auto &point : other.points())
    points[point];
  for (StoredRow &row : other.rows())
    points[{row.statement, row.point}].push_back(std::move(row));
  for (const auto &[point, list] : points)
    if (!has(point.first, point.second) &&
        !add(point.first, point.second, list, other.has(point.first, point.second), diagnostics))
      return false;
  return true;
}
