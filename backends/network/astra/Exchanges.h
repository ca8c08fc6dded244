// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of send and receive nodes: equal (tag, source, destination, size) meet, first in first
// out. A send completes when its message arrives, also without a receive; a receive at the arrival,
// or at once if the message was there before. Neither has an endpoint delay.
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_EXCHANGES_H
#define PERFC_BACKENDS_NETWORK_ASTRA_EXCHANGES_H

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>

namespace perfc::astra {

struct MessageKey {
  int64_t tag;
  uint32_t source, destination;
  int64_t size;
  bool operator<(const MessageKey &other) const {
    return std::tie(source, destination, tag, size) <
           std::tie(other.source, other.destination, other.tag, other.size);
  }
};

/// Messages of one key; sends and receives are tokens of operations.
struct Exchange {
  MessageKey key;
  std::deque<uint32_t> sends;    ///< on their way
  std::deque<uint32_t> receives; ///< that wait
  int64_t arrived = 0;           ///< and not received
};

class Exchanges {
public:
  uint32_t find(const MessageKey &key) {
    auto [entry, isNew] = byKey.try_emplace(key, static_cast<uint32_t>(exchanges.size()));
    if (isNew)
      exchanges.push_back({key, {}, {}, 0});
    return entry->second;
  }
  Exchange &operator[](uint32_t index) { return exchanges[index]; }
  const std::deque<Exchange> &all() const { return exchanges; }

private:
  std::map<MessageKey, uint32_t> byKey;
  std::deque<Exchange> exchanges;
};

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_EXCHANGES_H
