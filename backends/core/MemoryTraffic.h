// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What bytes take that a memory of a chip moves as a whole, its copies together.
#ifndef PERFC_BACKENDS_CORE_MEMORYTRAFFIC_H
#define PERFC_BACKENDS_CORE_MEMORYTRAFFIC_H

#include "backends/core/Chip.h"

namespace perfc {

/// Energy = read * energy of a read byte + written * that of a written one; latency = the most of
///     (read + written) / bandwidth, read / read bandwidth, written / write bandwidth
/// of all copies, as far as these are given.
MemoryTraffic trafficOf(const ChipMemory &memory, double read, double written);

/// The line of a breakdown that says what a memory moves.
CostPart partOf(const MemoryTraffic &traffic);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_MEMORYTRAFFIC_H
