// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The points of a sweep as a table: what a point prints when it is evaluated, and what a file of
// results keeps of that, so that later runs print it again.
#ifndef PERFC_TOOLS_DRIVER_SWEEP_POINTTABLE_H
#define PERFC_TOOLS_DRIVER_SWEEP_POINTTABLE_H

#include "api/Evaluation.h"
#include "tools/driver/ReportColumns.h"
#include "tools/driver/Table.h"

namespace perfc::driver {

struct PointTable {
  using Lines = std::vector<std::vector<std::string>>;
  /// What all points share as written, without its block: the statement, or the sweep where it has
  /// several.
  std::string title;
  std::vector<TableColumn> columns;
  std::vector<Lines> results; ///< a line for each, or one for each part of it
  MissingCells missing;       ///< why cells are empty, by column
};

/// That of the results of `evaluated`, as its `report` says or with the usual columns, among those
/// of the other statements of its point.
PointTable pointTable(const api::Evaluated &evaluated, const api::Evaluation &evaluation,
                      const SourceManager &sources);

/// The lines of the table of points that share the operations of their statement, as those of a
/// `separable` sweep do: what all of them have is looked up once.
class PointLines {
public:
  PointLines(const api::Evaluated &evaluated, const api::Evaluation &evaluation);
  ~PointLines();
  /// By result.
  std::vector<PointTable::Lines> of(const api::Evaluated &evaluated, MissingCells &missing) const;
  PointTable table(const api::Evaluated &evaluated, const SourceManager &sources) const;

private:
  struct Columns;
  const api::Evaluation &evaluation;
  std::unique_ptr<Columns> columns;
};

/// Keeps in each row, of the results of `table` in order, the lines of it.
void keepLines(llvm::ArrayRef<mapper::StoredRow *> rows, const PointTable &table);
/// Prints what rows keep, a table for each sweep.
void printKept(llvm::raw_ostream &out, llvm::ArrayRef<mapper::StoredRow> rows, unsigned width,
               bool color);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_SWEEP_POINTTABLE_H
