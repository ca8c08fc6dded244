// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace made shorter, and what it holds in numbers. Traces of PyTorch (execution trace and
// Kineto, linked) hold thousands of CPU operations and METADATA nodes between the kernels: they
// vanish, and what waits for them waits for what they waited for.
#ifndef PERFC_BACKENDS_NETWORK_CHAKRA_SIMPLIFY_H
#define PERFC_BACKENDS_NETWORK_CHAKRA_SIMPLIFY_H

#include "backends/network/chakra/Trace.h"
#include <map>

namespace perfc::chakra {

/// The trace without METADATA and INVALID nodes and without CPU operations. What it loses, times
/// of CPU operations, is what a simulator that counts kernels does not see.
Trace simplify(const Trace &trace);

/// Collectives or messages that are alike.
struct TrafficKey {
  NodeType type = NodeType::Collective;
  int64_t commType = 0; ///< of collectives
  int64_t bytes = 0;
  std::string group; ///< "" for the world
  bool operator<(const TrafficKey &other) const;
};

struct TraceSummary {
  uint64_t nodes = 0, kernels = 0, cpuOperations = 0, memoryAccesses = 0, others = 0;
  uint64_t kernelMicros = 0, cpuMicros = 0;
  std::map<TrafficKey, uint64_t> traffic;     ///< how many of each
  std::map<uint64_t, uint64_t> kernelsByTime; ///< how many of each duration, in us
};
TraceSummary summarize(const Trace &trace);

} // namespace perfc::chakra

#endif // PERFC_BACKENDS_NETWORK_CHAKRA_SIMPLIFY_H
