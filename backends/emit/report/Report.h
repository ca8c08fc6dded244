// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report: results as one JSON document, which charts.js draws: in a browser for `emit html`,
// in an interpreter of JavaScript (Duktape) for `emit svg`, so that both have the same charts.
#ifndef PERFC_BACKENDS_EMIT_REPORT_REPORT_H
#define PERFC_BACKENDS_EMIT_REPORT_REPORT_H

#include "backends/emit/Emit.h"

namespace perfc::emit {

/// `columns` has the table of all results (ResultTable.h), each column with its numbers to five
/// digits, or its words once each and the number of the one in each row. `results` has what is
/// drawn of single ones: their breakdown as a tree, memories, accesses, timeline, bounds and notes.
/// `lines` are the lines of source that these name by number, and `findings` is that of `input`.
///
/// A page stays small: of many results, statements have the details of their first and of those
/// that are least in what they are compared by, until those take more than a megabyte.
Json reportData(const Input &input);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_REPORT_REPORT_H
