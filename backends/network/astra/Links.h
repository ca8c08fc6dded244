// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The network under the messages. Congestion unaware: a message costs floor(hops latency + size /
// bandwidth) of the first dimension in which its ends differ, and shares nothing. Congestion aware
// (one dimension): store and forward over links, each a FIFO server that hands a message on after
// floor(latency + size / bandwidth) and is free again after floor(size / bandwidth).
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_LINKS_H
#define PERFC_BACKENDS_NETWORK_ASTRA_LINKS_H

#include "backends/network/astra/Cluster.h"
#include "backends/network/astra/EventQueue.h"
#include <memory>

namespace perfc::astra {

class Links {
public:
  Links(EventQueue &events, const Network &network, bool aware);

  /// Sends `size` bytes; `arrival` is the event at the destination. False when ASTRA-sim aborts
  /// here: congestion aware, a message that occupies its link for 0 ns sent at time 0.
  bool send(uint32_t source, uint32_t destination, int64_t size, Event arrival) {
    if (aware)
      return sendAware(source, destination, size, arrival);
    events.after(unawareTime(source, destination, size), arrival);
    return true;
  }

  /// Handles EventKind::Hop; true when the message is there, with its event in `arrival`.
  bool hop(uint32_t message, Event &arrival);
  /// Handles EventKind::LinkFree.
  void freed(uint32_t link);

private:
  static constexpr uint32_t none = ~0u;
  struct Message {
    int64_t size;
    Event arrival;
    uint32_t at, destination; ///< devices
    uint32_t next;            ///< that waits for the same link
    bool backwards;           ///< anticlockwise on a ring
  };
  struct Link {
    uint32_t first = none, last = none; ///< messages that wait
    bool busy = false;
  };

  int64_t unawareTime(uint32_t source, uint32_t destination, int64_t size);
  bool sendAware(uint32_t source, uint32_t destination, int64_t size, Event arrival);
  void forward(uint32_t message);
  void serve(uint32_t link, uint32_t message);
  uint32_t linkOf(const Message &message) const;
  uint32_t deviceAfter(const Message &message) const;
  void measure(int64_t size);

  EventQueue &events;
  const Network &network;
  bool aware;
  uint32_t npus; ///< of the one dimension of an aware network; also the number of the switch
  std::vector<uint32_t> coordinates; ///< rank * dimensions + dimension
  std::vector<Link> links;
  std::vector<Message> messages;
  std::vector<uint32_t> unused;
  int64_t measuredSize = -1, arriveAfter = 0, freeAfter = 0;
  /// The last unaware message per dimension.
  struct Measured {
    int64_t size = -1;
    uint32_t hops = 0;
    int64_t time = 0;
  };
  llvm::SmallVector<Measured, 3> measured;
};

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_LINKS_H
