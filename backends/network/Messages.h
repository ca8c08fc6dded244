// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A collective as messages: who sends how much to whom, and which messages must have arrived
// before. They come from a schedule (Schedule.h) or from the patterns here, which are the closed
// forms' (ClosedForms.h) level by level: rings where a switch or ring joins, all pairs at once
// where all are connected, each level with its share of the buffer. A rank with several adapters
// cuts what it sends into so many lanes, but a message of an all_to_all or a send takes one.
#ifndef PERFC_BACKENDS_NETWORK_MESSAGES_H
#define PERFC_BACKENDS_NETWORK_MESSAGES_H

#include "backends/network/ClosedForms.h"

namespace perfc {
namespace network {

struct Message {
  uint32_t from, to;
  double bytes;
  /// Messages that must have arrived: a stretch of `Messages::needs`.
  uint32_t firstNeed = 0, needCount = 0;
  /// One that must have left before, `none` without.
  uint32_t after = none;
  /// Which of several links between the same two nodes it takes, modulo their number.
  uint32_t lane = 0;
  static constexpr uint32_t none = ~0u;
  /// The part of the way between two ranks that it takes: all of it, or where a switch adds and
  /// copies, the link into the network or the one out of it.
  enum class Way : uint8_t { All, In, Out };
  Way way = Way::All;
};

struct Messages {
  std::vector<Message> list;
  std::vector<uint32_t> needs;

  /// Adds a message that needs those of `before`.
  uint32_t add(uint32_t from, uint32_t to, double bytes, llvm::ArrayRef<uint32_t> before,
               uint32_t lane = 0, Message::Way way = Message::Way::All);
};

/// How the ranks of one level pass on their parts.
struct PatternLevel {
  int64_t members;
  Topology topology;
  uint32_t lanes = 1;
  RootPattern root = {}; ///< of a broadcast or reduce
};

/// The pattern of each level for `bytes`.
std::vector<PatternLevel> patternLevels(llvm::ArrayRef<NetworkLevel> levels, double bytes);

/// The default messages of `kind` on `bytes` over `levels`, innermost first; `pairs` are the sizes
/// of an all_to_allv. Nothing when there would be more than `most`.
llvm::Optional<Messages> patternMessages(CollectiveKind kind, llvm::ArrayRef<PatternLevel> levels,
                                         double bytes, size_t most,
                                         const PairSizes *pairs = nullptr);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_MESSAGES_H
