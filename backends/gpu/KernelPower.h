// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The energy of a kernel that takes the time t on a chip whose power limit is P:
//     idle       = idle P t
//     issue      = activity P t
//     operations = multiply-accumulates of a format, each with its energy
//     memory     = bytes of the outermost memory, each with its energy
//     energy     = min(reached P t, sum of these)
// `idle` is drawn whatever runs, `activity` by instructions and traffic on the chip for a kind of
// kernel; the energy of a byte has that of its way to the units. Exponentials and the like are not
// told apart: they would be a hundredth.
// At the limit clocks and voltages fall, and with them what operations and memory take: these two
// are then less in one proportion. Constants: docs/cost-model.md.
#ifndef PERFC_BACKENDS_GPU_KERNELPOWER_H
#define PERFC_BACKENDS_GPU_KERNELPOWER_H

namespace perfc {
namespace gpu {

/// A chip and its generation, in W and J; shares are of `limit`.
struct PowerDesign {
  double limit = 0; ///< 0: not known, and then no energy is
  double reached = 1;
  double idle = 0;
  double byteEnergy = 0;
};

/// What a kernel does.
struct KernelActivity {
  double operations = 0; ///< energy of its operations, in J
  double bytes = 0;      ///< of the outermost memory
  double share = 0;      ///< of the limit, that its kind takes for issue
};

/// In J.
struct KernelEnergy {
  double idle = 0, issue = 0, operations = 0, memory = 0;
  double total() const { return idle + issue + operations + memory; }
};

KernelEnergy kernelEnergy(const PowerDesign &design, const KernelActivity &activity,
                          double seconds);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_KERNELPOWER_H
