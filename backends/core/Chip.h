// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a cost takes from a chip (passes/analysis/Chip.h) as it is.
#ifndef PERFC_BACKENDS_CORE_CHIP_H
#define PERFC_BACKENDS_CORE_CHIP_H

#include "backends/core/Cost.h"
#include "passes/analysis/Chip.h"

namespace perfc {

using passes::anyRateNote;
using passes::Chip;
using passes::ChipMemory;
using passes::ChipUnit;
using passes::UnitRate;

/// The chip's own area, else the sum of the areas that its parts give, without those off chip.
Figure areaOf(const Chip &chip);

/// Makes `cost` say which energies that memories give are not in it, since bytes are counted in its
/// traffic alone.
void noteLeftOut(const Chip &chip, Cost &cost);

/// What results say of times where the memory farthest out gives no bandwidth, so that they are
/// lower bounds; "" where it gives one.
std::string unlimitedNote(const Chip &chip);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_CHIP_H
