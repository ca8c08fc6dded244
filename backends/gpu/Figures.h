// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chips, generations and libraries of the IR as the plain numbers that prices are made of.
#ifndef PERFC_BACKENDS_GPU_FIGURES_H
#define PERFC_BACKENDS_GPU_FIGURES_H

#include "backends/core/Chip.h"
#include "backends/gpu/KernelPower.h"
#include "backends/gpu/ProductPrice.h"
#include "backends/gpu/StreamPrice.h"
#include "ir/target/GenerationOp.h"
#include "ir/tile/LibraryOps.h"

namespace perfc {
namespace gpu {

/// Multiply-accumulates of one format on a chip.
struct FormatRate {
  double macs = 0;   ///< of all units in a second at the highest clock; 0 where none multiplies it
  double energy = 0; ///< of one at the power limit, in J; 0 where it does not limit
  DType runsIn;      ///< the format in which the units run it
};

/// The parts of a chip that kernels of libraries run on.
struct KernelChip {
  target::ChipOp op;
  Chip chip;
  target::GenerationOp generation;
  double units = 1; ///< elements of the arrays that blocks are dispatched to
  const ChipMemory *outermost = nullptr;
  const ChipMemory *cache = nullptr;   ///< the last memory that all units share; null for none
  const ChipMemory *staging = nullptr; ///< the first memory of a unit; null for none
  double clock = 1;                    ///< the highest one, in cycles per second
  double boost = 1;                    ///< that over the quoted one

  /// `chip` is a target.chip with a generation.
  explicit KernelChip(const ir::Operation &chip);
  KernelChip(const KernelChip &) = delete;

  /// 16-bit operations in a cycle that the paths of a unit are made for: the generation's, else its
  /// own; 0 where it has none.
  double core() const;
  Design design() const;
  /// The same with the share of the last cache that one tensor, which is used again, can stay in.
  Design residentDesign() const;
  FormatRate rateFor(DType format) const;
  /// Its limit is 0 where kernels have their energy from the chip's own figures.
  PowerDesign powerDesign() const;
  /// What was measured of times of kernels over their prices: the wider of the generation's and of
  /// `family`'s.
  Uncertain measured(tile::FamilyOp family) const;
  /// The units that multiply `format`; empty when none can.
  std::vector<UnitRate> unitsFor(DType format) const { return chip.macUnits(format); }
};

/// `family` on `chip` for products in `format`.
FamilyFigures familyFigures(tile::FamilyOp family, const KernelChip &chip, DType format,
                            bool isEager);
TileList tileList(tile::FamilyOp family);

/// `product` on `chip`, which has units for its format.
ProductWork productWork(tile::ProductOp product, const KernelChip &chip);

/// `family` of streams on `chip`; with the host's time for so many operands where that starts each
/// kernel.
StreamDesign streamDesign(tile::FamilyOp family, const KernelChip &chip, bool isEager,
                          int64_t inputs);
/// What is known of `stream` without its bytes and operations.
StreamWork streamWork(tile::StreamOp stream);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_FIGURES_H
