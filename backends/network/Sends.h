// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that many ranks send at the same time, each to the one as far behind it: the stages of a
// pipeline. Where chips are wired one to another (rings, tori, meshes, full connections) each takes
// the route of Fabric.h, dimension by dimension, and takes
//     latencies of its links + messages over the busiest link * bytes / its bandwidth
// (virtual cut-through with channel load: Dally, Towles, "Principles and Practices of
// Interconnection Networks", 2004, 3.3 and 13.2.2).
#ifndef PERFC_BACKENDS_NETWORK_SENDS_H
#define PERFC_BACKENDS_NETWORK_SENDS_H

#include "backends/network/ClosedForms.h"

namespace perfc {
namespace network {

/// Ranks `first` to `first + count - 1`, and those whole steps behind them, each send to the one
/// `distance` further (behind them where it is negative).
struct SendPattern {
  int64_t first = 0, count = 1, step = 1, distance = 1;
};

/// What `op` says of who sends; nothing where it does not.
llvm::Optional<SendPattern> sendPattern(const ir::Operation &op);

struct SendSteps {
  /// The way of the message that is longest under way, level by level; the bytes are those of a
  /// mean message.
  std::vector<CollectiveStep> steps;
  std::string note; ///< says where not all messages are followed; the time is then a lower bound
};

/// Follows the messages, the first 2^20 of them. A message adds a run of links per level, so n of
/// them take O(n log n), however far they go. Nothing where messages meet switches with shared
/// links, which this does not follow.
llvm::Optional<SendSteps> sendSteps(llvm::ArrayRef<NetworkLevel> levels, const SendPattern &pattern,
                                    double bytes);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_SENDS_H
