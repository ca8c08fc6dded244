// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metrics of the parts of a result, which `report … by kernel` and `by memory` ask for.
#ifndef PERFC_BACKENDS_EMIT_PARTMETRICS_H
#define PERFC_BACKENDS_EMIT_PARTMETRICS_H

#include "backends/emit/Result.h"

namespace perfc::emit {

/// One metric of a kernel line of `of`; nothing when kernels have no such metric. Energy is that
/// of all chips of a `train`, each of which runs it as long as the line says: power is that of one.
llvm::Optional<MetricValue> metric(const KernelLine &line, llvm::StringRef name, const Outcome &of);

/// One metric of what a memory moves: latency, energy, traffic; nothing for others.
llvm::Optional<MetricValue> metric(const MemoryTraffic &memory, llvm::StringRef name);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_PARTMETRICS_H
