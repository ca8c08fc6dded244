// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All results as one table: a line for each, a column for each name that a sweep sets, each metric
// and each metric of the file. CSV for plots, Markdown, LaTeX and the report are ways to write it.
#ifndef PERFC_BACKENDS_EMIT_RESULTTABLE_H
#define PERFC_BACKENDS_EMIT_RESULTTABLE_H

#include "backends/emit/Result.h"

namespace perfc::emit {

struct ResultCell {
  std::string text;              ///< a word; "" where there is none, or a number
  llvm::Optional<double> number; ///< in base units
  double halfWidth = 0;          ///< of the 90 % interval of the number
};

struct ResultColumn {
  enum class Kind { Word, Setting, Metric, Own };
  std::string name;
  Kind kind = Kind::Word;
  Dimension dimension; ///< of its numbers
  std::string unit;    ///< as metrics have it: "s", "B/s", "" for a number
  bool isShare = false;
  std::vector<ResultCell> cells; ///< one for each result

  bool hasNumbers() const;
};

/// "result", "subject" and "on", what sweeps set, metrics that have a number, metrics of the file,
/// then "bound", "provider" and "mapping"; each kind in order of first appearance. With `members`,
/// metrics that are distributions also have columns of those: "p50", "p99".
std::vector<ResultColumn> resultColumns(llvm::ArrayRef<const Result *> results,
                                        llvm::ArrayRef<llvm::StringRef> members = {});

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_RESULTTABLE_H
