// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/ResultStore.h"

#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Search.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <sqlite3.h>

using namespace perfc;
using namespace perfc::mapper;

/// All at once: others may open the same new file at the same time.
static constexpr const char *schema =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS program (hash TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS points (statement INTEGER, point INTEGER,"
    " PRIMARY KEY (statement, point));"
    "CREATE TABLE IF NOT EXISTS results (statement INTEGER, point INTEGER, row INTEGER,"
    " bindings TEXT, label TEXT, metrics TEXT, PRIMARY KEY (statement, point, row));"
    "COMMIT;";

namespace {

/// A prepared statement, finished when it goes.
class Query {
public:
  Query(sqlite3 *database, const char *sql) {
    status = sqlite3_prepare_v2(database, sql, -1, &statement, nullptr);
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
  bool isPrepared() const { return statement; }
  /// After the last row: false when what follows it cannot be read.
  bool isComplete() const { return status == SQLITE_DONE; }
  bool is(int at, int type) const { return sqlite3_column_type(statement, at) == type; }
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

void ResultStore::wrong(const std::string &reason, DiagnosticEngine &diagnostics) const {
  diagnostics.report({}, diag::BadResultsFile, path, reason);
}

bool ResultStore::run(const char *sql, DiagnosticEngine &diagnostics) const {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK)
    return true;
  wrong(sqlite3_errmsg(database), diagnostics);
  return false;
}

bool ResultStore::connect(DiagnosticEngine &diagnostics) const {
  sqlite3_busy_timeout(database, 10000);
  return run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;", diagnostics);
}

/// Tables and their columns, as the queries use them.
static constexpr std::pair<const char *, const char *> tables[] = {
    {"program", "SELECT hash FROM program"},
    {"points", "SELECT statement, point FROM points ORDER BY statement, point"},
    {"results", "SELECT statement, point, row, bindings, label, metrics FROM results "
                "ORDER BY statement, point, row"}};

/// The first table that is not there or is another one; "" when there are all.
static std::string lackingTable(sqlite3 *database) {
  for (const auto &[name, query] : tables)
    if (!Query(database, query).isPrepared())
      return fmt::format("it has no table `{}` such as perfc makes", name);
  return "";
}

std::unique_ptr<ResultStore> ResultStore::open(llvm::StringRef path, llvm::StringRef program,
                                               DiagnosticEngine &diagnostics) {
  sqlite3 *database = nullptr;
  int status = sqlite3_open(path.str().c_str(), &database);
  std::unique_ptr<ResultStore> store(new ResultStore(database, path));
  if (status != SQLITE_OK) {
    store->wrong(sqlite3_errmsg(database), diagnostics);
    return nullptr;
  }
  if (!store->connect(diagnostics))
    return nullptr;
  bool isNew = !Query(database, "SELECT 1 FROM sqlite_master").step();
  if (isNew && !store->run(schema, diagnostics))
    return nullptr;
  if (std::string lacks = lackingTable(database); !lacks.empty()) {
    store->wrong(lacks, diagnostics);
    return nullptr;
  }
  if (Query known(database, tables[0].second); known.step())
    store->programHash = known.text(0);
  if (store->programHash.empty()) {
    Query(database, "INSERT INTO program VALUES (?)").bind(1, program).done();
    store->programHash = program.str();
  } else if (store->programHash != program) {
    store->wrong(
        "they are of another program, of other files that it reads, or of other parameters",
        diagnostics);
    return nullptr;
  }
  store->checkRows(diagnostics);
  return store;
}

std::unique_ptr<ResultStore> ResultStore::openExisting(llvm::StringRef path,
                                                       DiagnosticEngine &diagnostics) {
  if (!llvm::sys::fs::exists(path)) {
    diagnostics.report({}, diag::CannotRead, path, "there is no such file");
    return nullptr;
  }
  sqlite3 *database = nullptr;
  int status = sqlite3_open_v2(path.str().c_str(), &database, SQLITE_OPEN_READWRITE, nullptr);
  std::unique_ptr<ResultStore> store(new ResultStore(database, path));
  if (status != SQLITE_OK)
    store->wrong(sqlite3_errmsg(database), diagnostics);
  if (status != SQLITE_OK || !store->connect(diagnostics))
    return nullptr;
  if (std::string lacks = lackingTable(database); !lacks.empty())
    store->wrong(lacks, diagnostics);
  if (Query known(database, tables[0].second); known.step())
    store->programHash = known.text(0);
  if (!Query(database, tables[2].second).isPrepared())
    return nullptr;
  if (store->programHash.empty()) {
    store->wrong("it does not say of which program they are", diagnostics);
    return nullptr;
  }
  store->checkRows(diagnostics);
  return store;
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
    wrong(sqlite3_errmsg(database), diagnostics);
    sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  return false;
}

std::vector<std::pair<int64_t, int64_t>> ResultStore::points() const {
  std::vector<std::pair<int64_t, int64_t>> result;
  Query query(database, tables[1].second);
  while (query.step())
    result.emplace_back(query.number(0), query.number(1));
  return result;
}

/// True when the row that `query` is at is one that perfc has written.
static bool isWhole(const Query &query) {
  for (int column = 0; column < 6; ++column)
    if (!query.is(column, column < 3 ? SQLITE_INTEGER : SQLITE_TEXT))
      return false;
  llvm::Expected<llvm::json::Value> metrics = llvm::json::parse(query.text(5));
  if (metrics)
    return metrics->getAsObject();
  llvm::consumeError(metrics.takeError());
  return false;
}

/// The rows that can be read; `damage` says what cannot.
std::vector<StoredRow> ResultStore::readRows(std::string &damage) const {
  std::vector<StoredRow> result;
  size_t damaged = 0;
  Query query(database, tables[2].second);
  while (query.step()) {
    if (isWhole(query)) {
      result.push_back({query.number(0), query.number(1), query.number(2), query.text(3),
                        query.text(4), query.text(5)});
      continue;
    }
    if (++damaged == 1)
      damage = fmt::format("the row of point {} is damaged", query.number(1));
  }
  if (damaged > 1)
    damage += fmt::format(", and {} more", damaged - 1);
  if (query.isPrepared() && !query.isComplete())
    damage += fmt::format("{}{}", damage.empty() ? "" : ", and ", sqlite3_errmsg(database));
  return result;
}

void ResultStore::checkRows(DiagnosticEngine &diagnostics) const {
  std::string damage;
  size_t read = readRows(damage).size();
  if (!damage.empty())
    wrong(fmt::format("{}; {} can be read", damage, counted(read, "result")), diagnostics);
}

std::vector<StoredRow> ResultStore::rows() const {
  std::string damage;
  return readRows(damage);
}

std::vector<StoredRow> ResultStore::finishedRows() const {
  std::vector<std::pair<int64_t, int64_t>> done = points(); // sorted
  std::vector<StoredRow> result = rows();
  llvm::erase_if(result, [&](const StoredRow &row) {
    return !std::binary_search(done.begin(), done.end(), std::make_pair(row.statement, row.point));
  });
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
