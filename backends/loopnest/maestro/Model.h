// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MAESTRO's cost model (Kwon et al., MICRO 2019), as the tool computes it: a level is the sum over
// all combinations of loop phases, a step lasts as long as the slowest of compute, ingress and
// egress, and compute of an outer level is the run time of its slowest sub-cluster. Its known
// errors are part of it: no reuse of outputs in time, no partial sums read back, strides forgotten
// in output tiles (docs/maestro.md).
#ifndef PERFC_BACKENDS_LOOPNEST_MAESTRO_MODEL_H
#define PERFC_BACKENDS_LOOPNEST_MAESTRO_MODEL_H

#include "backends/loopnest/maestro/Levels.h"

namespace perfc::maestro {

/// Accesses of one tensor in elements.
struct TensorAccesses {
  int64_t l1Read = 0;
  int64_t l1Write = 0;
  int64_t l2Read = 0;
  int64_t l2Write = 0;
};

/// Delays of the steps of the outermost level in cycles; `average` is rounded down.
struct Delay {
  int64_t smallest = 0;
  int64_t largest = 0;
  int64_t average = 0;
};

/// What the tool prints for one layer.
struct Figures {
  int64_t macs = 0;             ///< as the tool counts them, which may differ from the layer's
  int64_t runtime = 0;          ///< cycles
  double activePes = 0;         ///< mean over the steps
  int64_t peakNocBandwidth = 0; ///< elements/cycle that the network would need
  double averageNocBandwidth = 0;
  int64_t offchipBandwidth = 0; ///< elements/cycle that the link to memory would need
  int64_t l2Elements = 0;       ///< buffer need of the L2, double buffered
  int64_t l1Elements = 0;       ///< of one L1, double buffered
  TensorAccesses input, filter, output;
  Delay ingress, egress, compute;
  /// MACs per element that the network brings in, in the last combination of phases; nothing where
  /// that brings none.
  llvm::Optional<double> intensity;

  /// 18.61 per L2 access, 1.68 per L1 access, 1 per MAC, in MACs.
  double energy() const;
  /// Words written to L1 for each read from L2; nothing without reads. The tool counts a word that
  /// goes to several PEs as one write, so this is 1 whatever is multicast.
  static llvm::Optional<double> multicast(const TensorAccesses &tensor);
};

/// What the tool's 28 nm model gives for a chip with the buffers that a layer needs.
struct Floorplan {
  double area;  ///< um2
  double power; ///< mW
};

/// MACs, one byte of SRAM per element of the buffers, a bus and a matrix arbiter over n PEs:
///     area  = 283 lanes + 0.104 bytes + 101.7938 bus + 395.473 arbiter                       um2
///     power = 1.2223 lanes + 0.00345 bytes + 0.0008 bus + 0.00034 arbiter                    mW
///     bus = (14.662 n + 28.895) bandwidth, arbiter = 1.2886 n^2 + 5.5814 n - 23.711
/// (constants of the tool, maestro-project/maestro). An arbiter has at least one unit.
Floorplan floorplan(const Figures &figures, const dataflow::Hardware &hardware);

/// Multiply-accumulates of the layer; nothing beyond 64 bits.
llvm::Optional<int64_t> exactMacs(const dataflow::Layer &layer);

/// Nothing when the dataflow does not fit the layer or a count does not fit 64 bits (reported).
llvm::Optional<Figures> evaluate(const dataflow::Layer &layer, const dataflow::Hardware &hardware,
                                 DiagnosticEngine &diagnostics);

} // namespace perfc::maestro

#endif // PERFC_BACKENDS_LOOPNEST_MAESTRO_MODEL_H
