// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of requests in a file: comma-separated lines below a line of titles. Times are under
// `arrived_at` or `arrival_s` (s), tokens under `num_prefill_tokens` or `prefill_tokens` and
// `num_decode_tokens` or `decode_tokens`; other columns are left alone.
#ifndef PERFC_FRONTEND_BUILD_REQUESTTRACE_H
#define PERFC_FRONTEND_BUILD_REQUESTTRACE_H

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/Optional.h"

namespace perfc {

struct RequestTrace {
  std::vector<double> arrivals;          ///< s; empty when the file has none
  std::vector<int64_t> prompts, answers; ///< tokens; empty when not asked for
};

/// Reads `file`; nothing after a report. With `hasArrivals`, each line has a time, none before
/// that of the line above; with `hasLengths`, tokens of a prompt and of its answer.
llvm::Optional<RequestTrace> readRequestTrace(const SourceManager &sources, FileId file,
                                              bool hasArrivals, bool hasLengths,
                                              DiagnosticEngine &diagnostics);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_REQUESTTRACE_H
