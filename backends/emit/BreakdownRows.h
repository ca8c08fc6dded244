// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of `report … by kernel`, `by memory`, …: parts of a result, each with its metrics.
#ifndef PERFC_BACKENDS_EMIT_BREAKDOWNROWS_H
#define PERFC_BACKENDS_EMIT_BREAKDOWNROWS_H

#include "backends/emit/Result.h"
#include <functional>

namespace perfc::emit {

/// Adds up lines that say the same of the same op: label, bound, provider and mapping.
std::vector<KernelLine> merged(std::vector<KernelLine> lines);
/// How many are kernels and collectives.
size_t workCount(llvm::ArrayRef<KernelLine> lines);
/// True for the lines to show: the `limit` longest, and beside these what is neither kernel nor
/// collective.
std::vector<bool> chooseLongest(llvm::ArrayRef<KernelLine> lines, size_t limit);

/// Whether rows by this word are parts of a result.
bool isBreakdown(llvm::StringRef rows);
/// A row of `report columns by rows`: a kernel, a memory. Its metrics are those that its parts
/// have.
struct BreakdownRow {
  std::string label;
  std::function<llvm::Optional<MetricValue>(llvm::StringRef)> metric;
};
/// Nothing when there is no such kind of row; the `limit` longest, and how many more there are.
llvm::Optional<std::vector<BreakdownRow>> breakdownRows(const Result &result, llvm::StringRef rows,
                                                        size_t limit, size_t &others);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_BREAKDOWNROWS_H
