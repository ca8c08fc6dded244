// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the results of one kind of statement say in a way of their own. A result has its form, so
// that emitters and reports know no statement.
#ifndef PERFC_BACKENDS_EMIT_STATEMENTFORM_H
#define PERFC_BACKENDS_EMIT_STATEMENTFORM_H

#include "backends/emit/Emit.h"

namespace perfc::emit {

/// A line of the block of a result: what it is about, and figures.
using TotalLine = std::pair<std::string, std::string>;

/// A further table of a result.
struct DetailTable {
  struct Column {
    llvm::StringLiteral title;
    bool isText = false;
    bool stays = false; ///< however narrow the page is
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows; ///< a cell per column; none where there is no table
};

struct StatementForm {
  std::vector<TotalLine> (*totals)(const Result &);
  /// What results of such statements are compared by.
  llvm::ArrayRef<llvm::StringLiteral> compared;
  /// The name of the metric that the latency of the cost is.
  llvm::StringLiteral timeName;
  /// Adds events of process `process` to a timeline.
  void (*timeline)(const Result &, int64_t process, Json &events);
  /// Writes a Chakra trace PREFIX.RANK.et per rank, and the communicator groups to `groups`.
  void (*traces)(const Input &, const Result &, const std::string &prefix,
                 const std::string &groups, FileSink);
  /// Adds a field to the JSON of the result; null for none.
  void (*json)(const Result &, Json &) = nullptr;
  /// At most `limit` rows where they can be fewer; null for none.
  DetailTable (*details)(const Result &, size_t limit) = nullptr;
};

// Those that there are; `api/statements` says which statement has which.
const StatementForm &evaluationForm();
const StatementForm &trainingForm();
const StatementForm &servingForm();
const StatementForm &replayForm();

/// A complete event of a timeline; times are in s.
Json timelineEvent(llvm::StringRef name, llvm::StringRef category, int64_t process, int64_t thread,
                   double start, double duration);
/// What a process or thread is called.
Json timelineName(llvm::StringRef what, int64_t process, int64_t thread, const std::string &name);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_STATEMENTFORM_H
