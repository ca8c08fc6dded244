// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A collective as messages: who sends how much to whom, and which messages must have arrived
// before. They come from a schedule (Schedule.h) or from the patterns here, which are the closed
// forms' (ClosedForms.h) level by level: rings where a switch or ring joins, all pairs at once
// where all are connected, each level with its share of the buffer.
#ifndef PERFC_BACKENDS_NETWORK_MESSAGES_H
#define PERFC_BACKENDS_NETWORK_MESSAGES_H

#include "backends/network/CollectiveKind.h"
#include "backends/network/NetworkLevels.h"

namespace perfc {
namespace network {

struct Message {
  uint32_t from, to;
  double bytes;
  /// Messages that must have arrived: a stretch of `Messages::needs`.
  uint32_t firstNeed = 0, needCount = 0;
  /// One that must have left before, `none` without.
  uint32_t after = none;
  static constexpr uint32_t none = ~0u;
};

struct Messages {
  std::vector<Message> list;
  std::vector<uint32_t> needs;

  /// Adds a message that needs those of `before`.
  uint32_t add(uint32_t from, uint32_t to, double bytes, llvm::ArrayRef<uint32_t> before);
};

/// How the ranks of one level pass on their parts.
struct PatternLevel {
  int64_t members;
  Topology topology;
};

/// The default messages of `kind` on `bytes` over `levels`, innermost first. Nothing when there
/// would be more than `most`.
llvm::Optional<Messages> patternMessages(CollectiveKind kind, llvm::ArrayRef<PatternLevel> levels,
                                         double bytes, size_t most);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_MESSAGES_H
