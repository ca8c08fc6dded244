// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of the cost of a kernel of a library: parts, traffic and what limits, from times as
// they are priced; the latency may be longer or shorter by what was measured.
#ifndef PERFC_BACKENDS_GPU_KERNELLINES_H
#define PERFC_BACKENDS_GPU_KERNELLINES_H

#include "backends/core/ComputeTime.h"
#include "backends/gpu/Figures.h"
#include "ir/tile/TileOps.h"

namespace perfc {
namespace gpu {

/// What an op.kernel needs of a chip.
struct KernelNeeds {
  KernelWork work;
  ComputeTime compute;
};

/// Nothing after a report.
llvm::Optional<KernelNeeds> kernelNeeds(const ir::Operation &run, const ir::Operation &target,
                                        DiagnosticEngine &diagnostics);

/// The extent of `index` in a grid or tile; 1 where it has none.
double extentOf(const ir::AttrDict &extents, llvm::StringRef index);

class KernelLines {
public:
  /// `cost` has its latency; `priced` is what the price came to in all, above 0.
  KernelLines(Cost &cost, double priced)
      : cost(cost), priced(priced), scale(cost.latency.central() / priced) {}

  void part(PartKind kind, llvm::StringRef label, double time, Figure energy = {});
  /// Bytes of `memory`, their energy and their time.
  void traffic(const ChipMemory &memory, double read, double written, double time);
  void bound(const std::string &resource, double time);
  /// Units compute or wait for what they compute on for `body`; `launch` is before and after.
  void work(double body, double launch, const Figure &energy);
  /// What `macs` in `format`, the bytes and the time of the kernel take
  /// (backends/gpu/KernelPower.h), in the place of the energies so far, where the chip's generation
  /// says so.
  void power(const KernelChip &chip, tile::FamilyOp family, DType format, double macs);
  /// What is said of every kernel: area, cycles, notes, where the interval comes from, its place.
  void finish(tile::KernelOp kernel, const KernelChip &chip, KernelNeeds needs);

private:
  void ownPower(const KernelChip &chip, const KernelEnergy &energy, Figure operations);

  Cost &cost;
  double priced, scale;
  bool hasOwnPower = false; ///< the generation's
};

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_KERNELLINES_H
