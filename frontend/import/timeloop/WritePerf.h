// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Timeloop input as a `.perf` program: the problem as an op, the architecture as a chip, the
// mapping, and an evaluation. Figures are per word, as native mode counts: what only Timeloop knows
// (blocks, clusters, leakage, links, metadata) has no place there and is left out.
#ifndef PERFC_FRONTEND_IMPORT_TIMELOOP_WRITEPERF_H
#define PERFC_FRONTEND_IMPORT_TIMELOOP_WRITEPERF_H

#include "ir/common/Diagnostics.h"
#include "ir/timeloop/Constraints.h"

namespace perfc::timeloop {

/// Nothing when the language cannot say it (reported): tensors of one role that a memory keeps only
/// in part, or ragged factors whose last passes are not what the size leaves.
llvm::Optional<std::string> writePerf(const Input &input, DiagnosticEngine &diagnostics);

/// The same for an input without a mapping: a mapspace that the constraints leave, and a search for
/// the least energy-delay product in it.
llvm::Optional<std::string> writeSearch(const Input &input, const Constraints &constraints,
                                        DiagnosticEngine &diagnostics);

} // namespace perfc::timeloop

#endif // PERFC_FRONTEND_IMPORT_TIMELOOP_WRITEPERF_H
