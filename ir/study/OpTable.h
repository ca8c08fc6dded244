// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured times of a model's kernels on one chip, by size: what a layer takes for a number of
// tokens, its attention for requests that make a token and for pieces of prompts, and the message
// to the next stage of a pipeline. In the IR they are a study.op_table, times as whole
// femtoseconds.
#ifndef PERFC_IR_STUDY_OPTABLE_H
#define PERFC_IR_STUDY_OPTABLE_H

#include "ir/core/OpDecl.h"
#include "ir/core/Operation.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace perfc::study {

/// Times at some sizes, rows by columns, both in rising order.
struct TimeGrid {
  std::vector<int64_t> rows, columns;
  std::vector<double> cells; ///< s, row by row; below 0 where nothing was measured

  bool empty() const { return cells.empty(); }
  double at(size_t row, size_t column) const { return cells[row * columns.size() + column]; }
};

struct OpTable {
  std::vector<std::string> kernels; ///< of a layer; `all_reduce` is one of its exchanges
  TimeGrid layer;                   ///< by tokens of a batch; a column for each of the kernels
  TimeGrid decode;                  ///< by requests that make a token, and tokens that each sees
  TimeGrid prefill;                 ///< by tokens of a piece of a prompt, and tokens before it
  TimeGrid send;                    ///< by tokens of a batch, one column; empty for one stage

  static constexpr llvm::StringLiteral opName = "study.op_table";
  /// What `op` says, a study.op_table.
  static OpTable of(const ir::Operation &op);
  /// Makes `op`, a study.op_table, say this.
  void writeTo(ir::Operation &op) const;
};

/// The declaration of study.op_table.
ir::OpDecl opTableDecl();

} // namespace perfc::study

#endif // PERFC_IR_STUDY_OPTABLE_H
