// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/astra/Links.h"

#include <cassert>

using namespace perfc;
using namespace perfc::astra;

Links::Links(EventQueue &events, const Network &network, bool aware)
    : events(events), network(network), aware(aware), npus(network.front().npus),
      measured(network.size()) {
  if (aware) {
    bool full = network.front().topology == Topology::FullyConnected;
    links.resize(full ? static_cast<size_t>(npus) * npus : 2 * static_cast<size_t>(npus));
    return;
  }
  uint64_t ranks = rankCount(network);
  coordinates.reserve(ranks * network.size());
  for (uint64_t rank = 0; rank < ranks; ++rank) {
    uint64_t rest = rank;
    for (const Dimension &dim : network) {
      coordinates.push_back(static_cast<uint32_t>(rest % dim.npus));
      rest /= dim.npus;
    }
  }
}

int64_t Links::unawareTime(uint32_t source, uint32_t destination, int64_t size) {
  size_t dims = network.size(), dim = 0;
  const uint32_t *here = &coordinates[source * dims], *there = &coordinates[destination * dims];
  while (here[dim] == there[dim])
    if (++dim == dims)
      return 0; // source and destination differ, checked where nodes are read
  uint32_t hops = network[dim].hops(here[dim], there[dim]);
  Measured &last = measured[dim];
  if (last.size != size || last.hops != hops)
    last = {size, hops, network[dim].messageTime(hops, size)};
  return last.time;
}

void Links::measure(int64_t size) {
  if (size == measuredSize)
    return;
  measuredSize = size;
  arriveAfter = network.front().messageTime(1, size);
  freeAfter = network.front().serialisation(size);
}

bool Links::sendAware(uint32_t source, uint32_t destination, int64_t size, Event arrival) {
  measure(size);
  if (events.now() == 0 && freeAfter == 0)
    return false;
  uint32_t clockwise = (destination + npus - source) % npus;
  Message message{size, arrival, source, destination, none, npus - clockwise < clockwise};
  uint32_t index = static_cast<uint32_t>(messages.size());
  if (unused.empty()) {
    messages.push_back(message);
  } else {
    index = unused.back();
    unused.pop_back();
    messages[index] = message;
  }
  forward(index);
  return true;
}

uint32_t Links::linkOf(const Message &message) const {
  switch (network.front().topology) {
  case Topology::Ring:
    return 2 * message.at + message.backwards;
  case Topology::Switch:
    return message.at == npus ? npus + message.destination : message.at;
  case Topology::FullyConnected:
    return message.at * npus + message.destination;
  }
  return 0;
}

uint32_t Links::deviceAfter(const Message &message) const {
  switch (network.front().topology) {
  case Topology::Ring:
    if (message.backwards)
      return message.at == 0 ? npus - 1 : message.at - 1;
    return message.at + 1 == npus ? 0 : message.at + 1;
  case Topology::Switch:
    return message.at == npus ? message.destination : npus;
  case Topology::FullyConnected:
    return message.destination;
  }
  return 0;
}

void Links::forward(uint32_t message) {
  uint32_t index = linkOf(messages[message]);
  Link &link = links[index];
  if (!link.busy)
    return serve(index, message);
  messages[message].next = none;
  (link.last == none ? link.first : messages[link.last].next) = message;
  link.last = message;
}

void Links::serve(uint32_t link, uint32_t message) {
  links[link].busy = true;
  messages[message].at = deviceAfter(messages[message]);
  measure(messages[message].size);
  events.after(arriveAfter, {EventKind::Hop, message});
  events.after(freeAfter, {EventKind::LinkFree, link});
}

bool Links::hop(uint32_t message, Event &arrival) {
  if (messages[message].at != messages[message].destination) {
    forward(message);
    return false;
  }
  arrival = messages[message].arrival;
  unused.push_back(message);
  return true;
}

void Links::freed(uint32_t index) {
  Link &link = links[index];
  link.busy = false;
  if (link.first == none)
    return;
  uint32_t message = link.first;
  link.first = messages[message].next;
  if (link.first == none)
    link.last = none;
  serve(index, message);
}
