// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of collectives meet the receives that wait for them: equal (chunk number, source,
// destination, size), first in first out. All messages of one channel are alike, so a channel is a
// balance: messages that arrived and were not received, or receives that wait.
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_CHANNELS_H
#define PERFC_BACKENDS_NETWORK_ASTRA_CHANNELS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perfc::astra {

struct Channel {
  int64_t number; ///< of the chunk
  int64_t size;   ///< bytes
  uint32_t source, destination;
  uint32_t inFlight; ///< messages on their way
  int32_t balance;   ///< > 0: arrived and not received; < 0: receives that wait
  uint32_t receiver; ///< stream that receives
  uint32_t next;     ///< in the same hash bucket
};

class Channels {
public:
  Channels() : heads(1024, none) {}

  Channel &operator[](uint32_t index) { return channels[index]; }
  const Channel &operator[](uint32_t index) const { return channels[index]; }

  /// The channel of these four, made when there is none.
  uint32_t find(int64_t number, uint32_t source, uint32_t destination, int64_t size) {
    for (uint32_t index = heads[bucketOf(number, source, destination, size)]; index != none;
         index = channels[index].next) {
      const Channel &channel = channels[index];
      if (channel.number == number && channel.source == source &&
          channel.destination == destination && channel.size == size)
        return index;
    }
    return create({number, size, source, destination, 0, 0, none, none});
  }

  /// Forgets a channel without messages and receives.
  void releaseIfIdle(uint32_t index) {
    const Channel &channel = channels[index];
    if (channel.inFlight != 0 || channel.balance != 0)
      return;
    uint32_t *link = &heads[bucketOf(channel)];
    while (*link != index)
      link = &channels[*link].next;
    *link = channel.next;
    channels[index].source = channels[index].destination = none;
    unused.push_back(index);
  }

  /// Every channel there ever was; forgotten ones have balance 0.
  const std::vector<Channel> &all() const { return channels; }

  static constexpr uint32_t none = ~0u;

private:
  /// Channels of one chunk between neighbouring ranks lie side by side: those of all pairs, which
  /// are too many for the caches, are looked up in rows and columns of the table.
  size_t bucketOf(int64_t number, uint32_t source, uint32_t destination, int64_t size) const {
    constexpr uint64_t row = 4481; // odd, so that pairs as far apart as those of a ring do not meet
    uint64_t mixed = static_cast<uint64_t>(number) * 0x9E3779B97F4A7C15u;
    mixed += static_cast<uint64_t>(size) * 0x165667B19E3779F9u;
    mixed = ((mixed ^ mixed >> 29) >> 3) + destination * row + source;
    return mixed & (heads.size() - 1);
  }
  size_t bucketOf(const Channel &channel) const {
    return bucketOf(channel.number, channel.source, channel.destination, channel.size);
  }

  uint32_t create(Channel channel) {
    if (channels.size() - unused.size() >= heads.size())
      grow();
    uint32_t index = static_cast<uint32_t>(channels.size());
    if (unused.empty()) {
      channels.push_back(channel);
    } else {
      index = unused.back();
      unused.pop_back();
      channels[index] = channel;
    }
    link(index);
    return index;
  }
  void link(uint32_t index) {
    uint32_t &head = heads[bucketOf(channels[index])];
    channels[index].next = head;
    head = index;
  }
  void grow() {
    heads.assign(heads.size() * 4, none);
    for (uint32_t index = 0; index < channels.size(); ++index)
      if (channels[index].source != none)
        link(index);
  }

  std::vector<uint32_t> heads; ///< per hash bucket; a power of two
  std::vector<Channel> channels;
  std::vector<uint32_t> unused;
};

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_CHANNELS_H
