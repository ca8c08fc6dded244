// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The points of sweeps as rows: made from results, kept in a ResultStore, and looked through for
// the points that no other beats.
#ifndef PERFC_BACKENDS_MAPPER_SWEEPROWS_H
#define PERFC_BACKENDS_MAPPER_SWEEPROWS_H

#include "backends/emit/MetricExpression.h"
#include "backends/mapper/ResultStore.h"
#include "llvm/Support/JSON.h"

namespace perfc::mapper {

using emit::MetricNames;

struct SweepSettings {
  std::string database; ///< SQLite file; "" to keep nothing
  unsigned shard = 1;   ///< of `shards`, from 1: every shards-th point
  unsigned shards = 1;
};

/// Splits "2/8"; false when it is no shard.
bool readShard(llvm::StringRef text, SweepSettings &settings);

/// What a name stands for at a point, as it is printed: "64.00 KiB"; and all names of a point:
/// "pes = 168, glb = 64.00 KiB".
std::string bindingText(const ir::Attribute &value);
std::string bindingsText(const ir::AttrDict &bindings);

/// The values of the `pareto` of a point, by name as written.
struct GoalValues {
  std::vector<std::string> metrics;
  std::vector<Quantity> values;
  size_t keep = 1; ///< of the points that fewer than so many beat
};
GoalValues goalValues(const ir::Operation &point, const MetricNames &names);

/// The row of `result` at `point`, with the values of its `pareto`.
StoredRow sweepRow(const emit::Result &result, const ir::Operation &point, const GoalValues &goal);
/// Without its metrics.
StoredRow bareRow(const emit::Result &result, const ir::Operation &point);

/// Keeps something else in `row` by a name, and reads it again; nothing where there is none.
void keep(StoredRow &row, llvm::StringRef name, llvm::json::Object value);
llvm::Optional<llvm::json::Object> keptIn(const StoredRow &row, llvm::StringRef name);

/// What the point of a row has set: names and values as they are printed.
std::vector<std::pair<std::string, std::string>> settings(const StoredRow &row);

/// The first `require` of `point` that a result does not meet, as written; "" when it meets all.
std::string unmetRequirement(const ir::Operation &point, const MetricNames &names);
/// The row of a `result` that `unmet` leaves out: it keeps the reason and no figures.
StoredRow leftOutRow(const emit::Result &result, const ir::Operation &point, llvm::StringRef unmet);

/// How many results of a sweep `require` has left out, by the condition that they do not meet.
struct LeftOut {
  int64_t statement;
  std::vector<std::string> settings; ///< what the sweep sets
  size_t count = 0, of = 0;          ///< results left out, of all
  std::map<std::string, size_t> reasons;
};

/// The rows of a sweep with a `pareto` that fewer than `keep` others of it beat: at most as large
/// in all of its values and smaller in one. In the order of the points.
struct Front {
  int64_t statement;
  std::vector<std::string> metrics; ///< as written
  std::vector<StoredRow> rows;
  std::vector<std::vector<double>> values;     ///< by row and metric
  std::vector<std::vector<std::string>> texts; ///< the same as printed
  std::vector<size_t> beaten;                  ///< by how many, of each row
  size_t of = 0;                               ///< rows of the sweep
};

/// What sweeps come to, told point by point; of the results only those on a front stay.
class SweepFindings {
public:
  /// A result; `row` is asked for where it is needed.
  void add(int64_t statement, const GoalValues &goal, llvm::function_ref<StoredRow()> row);
  /// One that `require` leaves out.
  void leaveOut(int64_t statement, llvm::StringRef unmet, llvm::function_ref<StoredRow()> row);
  /// Either, from a file of results or another process.
  void add(const StoredRow &row);

  /// By statement, in file order.
  llvm::ArrayRef<Front> fronts() const { return allFronts; }
  /// Of each sweep that leaves out any, by statement.
  std::vector<LeftOut> leftOut() const;

private:
  void addValues(int64_t statement, std::vector<std::string> metrics, std::vector<double> values,
                 size_t keep, llvm::function_ref<StoredRow()> row,
                 llvm::function_ref<std::vector<std::string>()> texts);
  LeftOut &sweepOf(int64_t statement, llvm::function_ref<std::vector<std::string>()> settings);

  std::vector<Front> allFronts;
  std::vector<LeftOut> sweeps;
};
/// Those of `rows`, by statement, in the order of the points.
SweepFindings findingsOf(llvm::ArrayRef<StoredRow> rows);

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_SWEEPROWS_H
