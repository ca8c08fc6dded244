// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts to cycles and energy. A memory slows the arithmetic down by the words per cycle that its
// bandwidths lack (whole words, whatever its block); the slowest level decides, and latencies of
// the networks are added. An access costs the energy of a block. No fill, drain or stall.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_REPORT_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_REPORT_H

#include "backends/loopnest/timeloop/Result.h"

namespace perfc::timeloop {

/// Accesses of one tensor at one memory after sparse optimizations; of a dense input all are
/// random.
struct SpaceActions {
  Outcome read, fill, update;
  Count reductions = 0;
  double instances = 1;                         ///< in use, on average
  llvm::Optional<int64_t> most;                 ///< at once, where not all of the mapping
  double blockRatio = 1;                        ///< blocks touched over those that the words fill
  double metadataEnergy = 0;                    ///< pJ per instance, with changes of the form
  double metadataReads = 0, metadataWrites = 0; ///< in words of the memory
};

struct ComputeActions {
  double random = 0, gated = 0, skipped = 0; ///< over all lanes
};

struct Actions {
  std::vector<std::vector<SpaceActions>> spaces; ///< [space][memory]
  ComputeActions compute;
};

/// The arithmetic: lanes in use and cycles, of a dense input.
ComputeResult reportCompute(const Input &input, const LoopList &list,
                            const AnalysisResult &analysis);

/// Everything else. Nothing when an energy is missing (reported).
llvm::Optional<Result> report(const Input &input, const LoopList &list, const Tiles &tiles,
                              const Actions &actions, ComputeResult compute,
                              DiagnosticEngine &diagnostics);

/// The network below `memory`.
NetworkResult reportNetwork(const Input &input, const Tiles &tiles, unsigned memory);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_REPORT_H
