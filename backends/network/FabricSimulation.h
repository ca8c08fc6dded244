// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages on a fabric, event by event. A message starts when those that it needs have arrived. Its
// head takes a link's latency per link and queues where a link is busy, first come, first served, a
// trunk where all of its ways are; its bytes follow at the pace of each link, on a trunk of one way
// (virtual cut-through), so that a message alone takes
//     sum of latencies + bytes / the slowest bandwidth
// A message waits only for earlier ones of the list, and for a place in a station only until those
// that are inside have run, so that no deadlock can arise. Time is counted
// in whole picoseconds. Memory: 48 bytes a message, and the routes in use.
#ifndef PERFC_BACKENDS_NETWORK_FABRICSIMULATION_H
#define PERFC_BACKENDS_NETWORK_FABRICSIMULATION_H

#include "backends/network/Fabric.h"
#include "backends/network/Messages.h"

namespace perfc {
namespace network {

struct FabricResult {
  double seconds = 0;
  std::vector<double> sentBytes; ///< by level, over the links that count
  uint64_t events = 0;
  /// The link that works longest, and for how long; `none` where nothing is sent.
  uint32_t busiestLink = Message::none;
  double busiestSeconds = 0;
};

/// Runs `messages`; nothing, reported at `where`, when a message has no way or its chip has failed.
llvm::Optional<FabricResult> simulateMessages(Fabric &fabric, const Messages &messages,
                                              SourceRange where, DiagnosticEngine &diagnostics);

/// Runs `messages` on `links`, over the ones that `route` gives for each; nothing when there is no
/// route, or no end within 13 days.
llvm::Optional<FabricResult> simulateOnLinks(
    llvm::ArrayRef<FabricLink> links, const Messages &messages,
    llvm::function_ref<llvm::Optional<llvm::ArrayRef<uint32_t>>(const Message &)> route);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_FABRICSIMULATION_H
