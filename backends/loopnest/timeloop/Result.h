// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Timeloop's model answers: cycles, energy, and per memory and tensor the counts of one
// instance (an average, multiplied by the instances in use gives the total). Energies are pJ,
// bandwidths words per cycle and instance.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_RESULT_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_RESULT_H

#include "backends/loopnest/timeloop/Tiles.h"

namespace perfc::timeloop {

/// What became of one kind of access.
struct Outcome {
  Count random = 0; ///< done
  Count gated = 0;  ///< takes its time, not its energy
  Count skipped = 0;
};

/// One tensor at one memory.
struct SpaceCounts {
  bool keep = true;
  bool wrapped = false;
  int64_t tileSize = 0, partitionSize = 0;
  double instances = 0; ///< in use; of a sparse tensor those with something in their tile
  int64_t clusters = 0; ///< in use
  Count reads = 0, fills = 0, updates = 0, reductions = 0;
  Count addresses = 0; ///< address generations
  Outcome readOutcome, fillOutcome, updateOutcome;
  double readBandwidth = 0, writeBandwidth = 0;
  double energyPerInstance = 0, energy = 0, addressEnergy = 0;
};

struct LevelResult {
  std::string name;
  int64_t instances = 1;
  double cycles = 0;
  double slowdown = 1;
  std::vector<SpaceCounts> spaces;
  bool hasEnergy = true; ///< else the energies below are not known
  double leakage = 0;
  double energy = 0; ///< with leakage
};

struct HistogramRow {
  int64_t multicast = 1;
  int64_t scatter = 1;
  double words = 0;
};

/// One tensor on the network between a memory and what lies below it.
struct Transfers {
  int64_t fanout = 0;
  int64_t multicast = 0; ///< the largest of the histogram
  Count links = 0;
  double spatialReductions = 0;
  double hops = 0; ///< mean per word
  double ingresses = 0;
  std::vector<HistogramRow> histogram;
  double energy = 0; ///< per instance of the memory
  double linkEnergy = 0;
  double totalEnergy = 0;
};

struct NetworkResult {
  std::string name;
  std::vector<Transfers> spaces;
  double energy = 0;
};

struct ComputeResult {
  std::string name;
  int64_t instances = 1;
  int64_t usedInstances = 1;    ///< product of the spatial factors
  int64_t averageInstances = 1; ///< with ragged factors, cut off
  double cycles = 0;
  double algorithmic = 0; ///< of the dense problem
  double actual = 0, gated = 0, skipped = 0;
  double energy = 0;
};

struct Result {
  double cycles = 0;
  double energy = 0; ///< pJ; not known where `withoutEnergy` names a level
  double utilization = 0;
  /// The levels that do something and whose energies are not given.
  std::vector<std::string> withoutEnergy;
  bool isSparse = false;
  ComputeResult compute;
  std::vector<LevelResult> levels;     ///< innermost first
  std::vector<NetworkResult> networks; ///< below each memory
};

/// Evaluates `input`; it need not have been checked. Nothing when it is wrong (reported).
llvm::Optional<Result> evaluate(const Input &input, DiagnosticEngine &diagnostics);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_RESULT_H
