// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table that `report` asks for: rows of results, of parts of one, or of a figure.
#ifndef PERFC_API_REPORTTABLE_H
#define PERFC_API_REPORTTABLE_H

#include "backends/emit/MetricExpression.h"

namespace perfc::api {

/// A column: an expression over metrics, or the name of one.
struct ReportColumn {
  ir::Attribute expr;
  std::string title;
};

struct ReportTable {
  struct Row {
    std::string label;
    std::vector<emit::ExpressionValue> cells; ///< one for each column
  };
  /// What it is about, as written: "a", "a.latency / b.latency"; of parts the name of the result.
  std::string name;
  /// The result whose parts the rows are, as long as it is kept; null where they are results, or a
  /// figure of some.
  const emit::Result *whole = nullptr;
  std::string by; ///< "kernel", "memory", … of parts
  std::vector<ReportColumn> columns;
  std::vector<Row> rows;
  size_t others = 0; ///< parts that have no row
  /// Whether each row is a result, and not a figure.
  bool isOfResults = false;
};

} // namespace perfc::api

#endif // PERFC_API_REPORTTABLE_H
