// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events by time; equal times run in the order in which they were scheduled. Simulated collectives
// have few distinct times and many events at each, so events lie in one list per time, times in a
// heap, and a hash table leads from a time to its list: constant cost per event, 8 bytes each.
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_EVENTQUEUE_H
#define PERFC_BACKENDS_NETWORK_ASTRA_EVENTQUEUE_H

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace perfc::astra {

enum class EventKind : uint32_t {
  Arrival,       ///< a message is at its destination; subject: its channel
  Hop,           ///< a message is at the next device; subject: the message
  LinkFree,      ///< subject: the link
  Due,           ///< actions of an NPU fall due; subject: the NPU
  Received,      ///< a message that was there before is received; subject: the stream
  PeerArrival,   ///< a send has arrived; subject: its exchange
  OperationDone, ///< a node is done; subject: the operation
};

struct Event {
  EventKind kind;
  uint32_t subject;
};

/// A queue of events of type `E`, small and copied.
template <typename E> class BasicEventQueue {
public:
  BasicEventQueue() : heads(1024, none) {}

  int64_t now() const { return time; }
  uint64_t executed() const { return count; }
  /// True when a time did not fit 64 bits; the queue is then at its end.
  bool overflowed() const { return tooLate; }
  void stop() { stopped = true; }

  /// Schedules an event `delay` >= 0 ns from now.
  void after(int64_t delay, E event) {
    if (delay > std::numeric_limits<int64_t>::max() - time) {
      tooLate = stopped = true;
      return;
    }
    listAt(time + delay).events.push_back(event);
  }

  /// Hands every event to `handle`, in order, until none is left or stop() is called.
  template <typename Handler> void run(Handler &&handle) {
    while (!heap.empty() && !stopped) {
      std::pop_heap(heap.begin(), heap.end(), later);
      auto [due, index] = heap.back();
      heap.pop_back();
      time = due;
      running = index;
      List &list = lists[index];
      for (size_t at = 0; at < list.events.size() && !stopped; ++at) {
        E event = list.events[at]; // handling it may grow the list
        handle(event);
      }
      count += list.events.size();
      running = none;
      release(index);
    }
  }

private:
  static constexpr uint32_t none = ~0u;
  struct List {
    int64_t time;
    uint32_t next; ///< in the same hash bucket
    std::vector<E> events;
  };
  using Entry = std::pair<int64_t, uint32_t>;
  static bool later(const Entry &a, const Entry &b) { return a.first > b.first; }

  size_t bucketOf(int64_t at) const {
    return (static_cast<uint64_t>(at) * 0x9E3779B97F4A7C15u >> 32) & (heads.size() - 1);
  }

  List &listAt(int64_t at) {
    if (recent != none && lists[recent].time == at)
      return lists[recent];
    for (uint32_t index = heads[bucketOf(at)]; index != none; index = lists[index].next)
      if (lists[index].time == at) {
        recent = index;
        return lists[index];
      }
    return newList(at);
  }

  List &newList(int64_t at) {
    if (heap.size() > heads.size())
      grow();
    uint32_t index;
    if (unused.empty()) {
      index = static_cast<uint32_t>(lists.size());
      lists.emplace_back();
    } else {
      index = unused.back();
      unused.pop_back();
    }
    uint32_t &head = heads[bucketOf(at)];
    List &list = lists[index];
    list.time = at;
    list.next = head;
    head = index;
    recent = index;
    heap.emplace_back(at, index);
    std::push_heap(heap.begin(), heap.end(), later);
    return list;
  }

  void release(uint32_t index) {
    uint32_t *link = &heads[bucketOf(lists[index].time)];
    while (*link != index)
      link = &lists[*link].next;
    *link = lists[index].next;
    lists[index].events.clear();
    lists[index].time = -1;
    unused.push_back(index);
    if (recent == index)
      recent = none;
  }

  void grow() {
    heads.assign(heads.size() * 4, none);
    for (const Entry &entry : heap)
      relink(entry.second);
    if (running != none)
      relink(running);
  }
  void relink(uint32_t index) {
    uint32_t &head = heads[bucketOf(lists[index].time)];
    lists[index].next = head;
    head = index;
  }

  int64_t time = 0;
  uint64_t count = 0;
  bool stopped = false, tooLate = false;
  uint32_t recent = none;      ///< the list that was used last
  uint32_t running = none;     ///< the list whose events are being handled
  std::vector<uint32_t> heads; ///< per hash bucket; a power of two
  std::deque<List> lists;
  std::vector<uint32_t> unused;
  std::vector<Entry> heap;
};

/// Events of ASTRA-sim's model; time in ns.
using EventQueue = BasicEventQueue<Event>;

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_EVENTQUEUE_H
