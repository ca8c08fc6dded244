// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of requests in a file. Comma-separated lines below a line of titles: times are under
// `arrived_at`, `arrival_s`, `arrival_time`, `Timestamp`, `TIMESTAMP` or `timestamp` (s, or a date
// and time, of which the first counts as 0), tokens under `num_prefill_tokens`, `prefill_tokens`,
// `ContextTokens`, `Request tokens`, `prompt_tokens`, `input_tokens` or `input_length` and
// `num_decode_tokens`, `decode_tokens`, `GeneratedTokens`, `Response tokens`, `output_tokens`,
// `completion_tokens` or `output_length`; other columns are left alone. Lines of JSON: `timestamp`
// (ms), `input_length`, `output_length` and perhaps `hash_ids`, the numbers of the pieces of 512
// tokens that the prompt is made of, equal for equal beginnings.
#ifndef PERFC_FRONTEND_BUILD_REQUESTTRACE_H
#define PERFC_FRONTEND_BUILD_REQUESTTRACE_H

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/Optional.h"

namespace perfc {

struct RequestTrace {
  std::vector<double> arrivals;          ///< s; empty when the file has none
  std::vector<int64_t> prompts, answers; ///< tokens; empty when not asked for
  std::vector<int64_t> pieces;           ///< numbers of the pieces of all prompts
  std::vector<int64_t> pieceCounts;      ///< of each prompt; empty where the file has none
};

/// Reads `file`; nothing after a report. With `hasArrivals`, each line has a time, none before
/// that of the line above; with `hasLengths`, tokens of a prompt and of its answer.
llvm::Optional<RequestTrace> readRequestTrace(const SourceManager &sources, FileId file,
                                              bool hasArrivals, bool hasLengths,
                                              DiagnosticEngine &diagnostics);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_REQUESTTRACE_H
