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

/// A kernel of a library whose cost is asked for, and what it computes.
struct LibraryQuery {
  tile::KernelOp kernel;
  KernelChip chip;
  KernelWork work;     ///< of the op.kernel that it runs
  ComputeTime compute; ///< of that on the chip
};

/// The extent of `index` in a grid or tile; 1 where it has none.
double extentOf(const ir::AttrDict &extents, llvm::StringRef index);

class KernelLines {
public:
  /// `priced` is what the price came to in all, above 0; `latency` has what was measured, too.
  KernelLines(const LibraryQuery &of, double priced, Uncertain latency);
  /// With what was measured of the kernels of `family`.
  KernelLines(const LibraryQuery &of, double priced, tile::FamilyOp family)
      : KernelLines(of, priced, Uncertain(priced) * of.chip.measured(family)) {}

  void part(PartKind kind, llvm::StringRef label, double time, Figure energy = {});
  /// Bytes of `memory`, their energy and their time.
  void traffic(const ChipMemory &memory, double read, double written, double time);
  void bound(const std::string &resource, double time);
  /// Units compute or wait for what they compute on for `body`; `launch` is before and after.
  void work(double body, double launch);
  /// What `macs` in `format`, the bytes and the time of the kernel take
  /// (backends/gpu/KernelPower.h), in the place of the energies so far, where the chip's generation
  /// says so.
  void power(tile::FamilyOp family, DType format, double macs);
  /// The cost, with what is said of every kernel: area, cycles, notes, where the interval comes
  /// from, its place. `mapping` and `formula` are for its provenance.
  Cost finish(double utilization, std::string mapping, std::string formula);

private:
  void ownPower(const KernelEnergy &energy, const Figure &operations);

  const LibraryQuery &of;
  const KernelChip &chip;
  Cost cost;
  double priced, scale;
  bool hasOwnPower = false; ///< the generation's
};

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_KERNELLINES_H
