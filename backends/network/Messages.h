// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A collective as messages: who sends how much to whom, and which messages must have arrived
// before. They come from a schedule (Schedule.h) or from the patterns here, which are the closed
// forms' (ClosedForms.h) level by level: rings where a switch or ring joins, all pairs at once
// where all are connected, each level with its share of the buffer, dimensions of a grid side by
// side. A rank with several adapters cuts what it sends into so many lanes, but a message of an
// all_to_all or a send takes one.
#ifndef PERFC_BACKENDS_NETWORK_MESSAGES_H
#define PERFC_BACKENDS_NETWORK_MESSAGES_H

#include "backends/network/ClosedForms.h"
#include "backends/network/RootForms.h"

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
  /// copies, the link into the network or the one out of it. Enter and Leave move nothing: they
  /// take and give back a place of `station`. Nor does Join, which has arrived when all that it
  /// needs has: others need it instead of all of these.
  enum class Way : uint8_t { All, In, Out, Enter, Leave, Join };
  Way way = Way::All;
  uint32_t station = none;
};

struct Messages {
  std::vector<Message> list;
  std::vector<uint32_t> needs;
  /// Places of each station: a message that enters waits until one is free. Stations are levels of
  /// the network, of one group each, that chunks of a collective go through.
  std::vector<uint32_t> places;
  /// Of those that wait for a place, the one that came last gets it, not the one that came first.
  bool takesLatest = false;

  /// Adds a message that needs those of `before`.
  uint32_t add(uint32_t from, uint32_t to, double bytes, llvm::ArrayRef<uint32_t> before,
               uint32_t lane = 0, Message::Way way = Message::Way::All);
  /// How many there are without those that move nothing.
  size_t sent() const;
};

/// How the ranks of one level pass on their parts.
struct PatternLevel {
  int64_t members;
  Topology topology;
  uint32_t lanes = 1;
  RootPattern root = {}; ///< of a broadcast or reduce
  int64_t activeChunks = 1;
  int64_t grid = 0;       ///< as of the level
  double partsOfGrid = 1; ///< as of the level
};

/// The pattern of each level for `bytes`, a whole buffer or a chunk.
std::vector<PatternLevel> patternLevels(llvm::ArrayRef<NetworkLevel> levels, double bytes,
                                        bool isChunk = false);

/// The default messages of `kind` on `bytes` over `levels`, innermost first; `pairs` are the sizes
/// of an all_to_allv. Each chunk of a group has a place in a level while the level works on it
/// (all levels together in an all_to_all). Nothing when there would be more than `most`.
llvm::Optional<Messages> patternMessages(CollectiveKind kind, llvm::ArrayRef<PatternLevel> levels,
                                         double bytes, size_t most,
                                         const PairSizes *pairs = nullptr,
                                         const Chunking &chunking = {});

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_MESSAGES_H
