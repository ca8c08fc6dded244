// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/FabricSimulation.h"

#include "backends/network/Trunk.h"
#include "backends/network/astra/EventQueue.h"
#include "ir/common/diagnostics/Network.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <set>

using namespace perfc;
using namespace perfc::network;

namespace {

using RouteFunction = llvm::function_ref<llvm::Optional<llvm::ArrayRef<uint32_t>>(const Message &)>;

enum class Kind : uint32_t {
  Head,    ///< the head of a message is at its next link
  Arrived, ///< all of a message is at its destination
  Serve,   ///< a station may have a place for one that waits; `message` is the station
};
struct FabricEvent {
  Kind kind;
  uint32_t message;
};

/// A route, as a stretch of `Simulation::hops`.
struct Path {
  uint32_t first = 0, count = 0;
};

class Simulation {
public:
  Simulation(llvm::ArrayRef<FabricLink> links, const Messages &messages)
      : links(links), messages(messages), states(messages.list.size() + 1) {}

  /// False where `route` has none for a message. Lanes count modulo `lanes`.
  bool findPaths(uint32_t lanes, RouteFunction route);
  /// Nothing when the end lies behind `longest`.
  llvm::Optional<FabricResult> run();

private:
  struct State {
    Path path;
    uint32_t hop = 0;
    uint32_t waits = 0;
    uint32_t firstFollower = 0; ///< stretch of `followers` ends where the next one begins
    uint32_t behind = Message::none;
    int64_t tail = 0; ///< when its last byte is at the current node
  };

  void findFollowers();
  void release(uint32_t message);
  void releaseFollowers(uint32_t message);
  void head(uint32_t message);
  Service occupy(uint32_t link, int64_t now, double bytes);
  void arrived(uint32_t message);
  void serve(uint32_t station);
  /// At most `longest`.
  static int64_t picoseconds(double seconds) {
    return seconds * 1e12 < static_cast<double>(longest) ? std::llround(seconds * 1e12) : longest;
  }
  static constexpr int64_t longest = int64_t(1) << 60; ///< ps, 13 days

  llvm::ArrayRef<FabricLink> links;
  const Messages &messages;

  astra::BasicEventQueue<FabricEvent> queue;
  std::vector<State> states;
  std::vector<uint32_t> followers, hops;
  std::vector<uint32_t> freed, joins;     ///< of `releaseFollowers`
  std::vector<int64_t> freeAt;            ///< when a link is free that is no trunk
  llvm::DenseMap<uint32_t, Trunk> trunks; ///< by link
  std::vector<int64_t> busy, latencies;
  std::vector<uint32_t> places;                                ///< that are free, by station
  std::vector<std::set<std::pair<int64_t, uint32_t>>> waiting; ///< since when, which message
  FabricResult result;
  uint64_t done = 0;
  bool isTooLong = false;
};

} // namespace

/// Two numbers as one whose low bits, which a DenseMap takes, depend on both.
static uint64_t mixed(uint32_t a, uint32_t b) {
  uint64_t both = (static_cast<uint64_t>(a) << 32 | b) * 0x9E3779B97F4A7C15u;
  return both ^ both >> 32;
}

bool Simulation::findPaths(uint32_t lanes, RouteFunction route) {
  // Lanes count in their own right: one of several is one more pair of ends.
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, Path> known;
  for (size_t i = 0; i < messages.list.size(); ++i) {
    const Message &message = messages.list[i];
    if (message.from == message.to)
      continue;
    uint32_t lane = message.lane % lanes * 4 + static_cast<uint32_t>(message.way);
    auto [entry, isNew] = known.try_emplace(std::make_pair(mixed(message.from, message.to), lane));
    if (isNew) {
      llvm::Optional<llvm::ArrayRef<uint32_t>> found = route(message);
      if (!found)
        return false;
      entry->second = {static_cast<uint32_t>(hops.size()), static_cast<uint32_t>(found->size())};
      hops.insert(hops.end(), found->begin(), found->end());
    }
    states[i].path = entry->second;
  }
  return true;
}

/// Turns needs around: which messages wait for this one.
void Simulation::findFollowers() {
  std::vector<uint32_t> counts(messages.list.size() + 1, 0);
  for (uint32_t need : messages.needs)
    ++counts[need];
  uint32_t total = 0;
  for (size_t i = 0; i < messages.list.size(); ++i) {
    states[i].firstFollower = total;
    total += counts[i];
    counts[i] = states[i].firstFollower;
  }
  states[messages.list.size()].firstFollower = total;
  followers.resize(total);
  for (size_t i = 0; i < messages.list.size(); ++i) {
    const Message &message = messages.list[i];
    states[i].waits = message.needCount + (message.after != Message::none);
    if (message.after != Message::none)
      states[message.after].behind = static_cast<uint32_t>(i);
    for (uint32_t k = 0; k < message.needCount; ++k)
      followers[counts[messages.needs[message.firstNeed + k]]++] = static_cast<uint32_t>(i);
  }
}

void Simulation::release(uint32_t message) {
  if (--states[message].waits == 0)
    queue.after(0, {Kind::Head, message});
}

/// When a message of `bytes` is on `link`.
Service Simulation::occupy(uint32_t link, int64_t now, double bytes) {
  double seconds = bytes / (links[link].bandwidth / links[link].ways);
  if (links[link].ways != 1)
    return trunks.find(link)->second.serve(now, seconds * 1e12, longest);
  Service service{std::max(now, freeAt[link]), picoseconds(seconds)};
  freeAt[link] = service.start + service.duration;
  return service;
}

void Simulation::head(uint32_t message) {
  State &state = states[message];
  int64_t now = queue.now();
  if (messages.list[message].way == Message::Way::Enter) {
    uint32_t station = messages.list[message].station;
    waiting[station].insert({now, message});
    queue.after(0, {Kind::Serve, station});
  } else if (state.path.count == 0) { // to itself
    queue.after(0, {Kind::Arrived, message});
  } else {
    uint32_t link = hops[state.path.first + state.hop];
    double bytes = messages.list[message].bytes;
    auto [start, duration] = occupy(link, now, bytes);
    if (start + duration + latencies[link] >= longest) {
      isTooLong = true;
      return queue.stop();
    }
    busy[link] += picoseconds(bytes / links[link].bandwidth);
    if (links[link].counts)
      result.sentBytes[links[link].level] += bytes;
    if (state.hop == 0)
      state.tail = start;
    state.tail = std::max(state.tail, start + duration) + latencies[link];
    ++state.hop;
    if (state.hop == state.path.count)
      queue.after(state.tail - now, {Kind::Arrived, message});
    else
      queue.after(start + latencies[link] - now, {Kind::Head, message});
  }
  // What follows between the same two ranks queues behind.
  if (state.hop <= 1 && state.behind != Message::none)
    release(std::exchange(state.behind, Message::none));
}

void Simulation::arrived(uint32_t message) {
  ++done;
  if (const Message &one = messages.list[message]; one.way == Message::Way::Leave) {
    ++places[one.station];
    queue.after(0, {Kind::Serve, one.station});
  }
  releaseFollowers(message);
}

/// Those that wait for `message`, and for what has arrived with it, in their order.
void Simulation::releaseFollowers(uint32_t message) {
  freed.clear();
  joins.assign(1, message);
  while (!joins.empty()) {
    uint32_t of = joins.back();
    joins.pop_back();
    for (uint32_t i = states[of].firstFollower; i < states[of + 1].firstFollower; ++i) {
      uint32_t follower = followers[i];
      if (--states[follower].waits > 0)
        continue;
      bool isJoin = messages.list[follower].way == Message::Way::Join;
      done += isJoin;
      (isJoin ? joins : freed).push_back(follower);
    }
  }
  if (!std::is_sorted(freed.begin(), freed.end()))
    std::sort(freed.begin(), freed.end());
  for (uint32_t follower : freed)
    queue.after(0, {Kind::Head, follower});
}

void Simulation::serve(uint32_t station) {
  auto &line = waiting[station];
  for (; places[station] > 0 && !line.empty(); --places[station]) {
    auto next = messages.takesLatest ? std::prev(line.end()) : line.begin();
    queue.after(0, {Kind::Arrived, next->second});
    line.erase(next);
  }
}

llvm::Optional<FabricResult> Simulation::run() {
  findFollowers();
  places = messages.places;
  waiting.resize(places.size());
  for (const FabricLink &link : links) {
    if (link.level >= result.sentBytes.size())
      result.sentBytes.resize(link.level + 1, 0);
    if (link.ways != 1)
      trunks.try_emplace(static_cast<uint32_t>(freeAt.size()), link.ways);
    freeAt.push_back(0);
  }
  busy.assign(links.size(), 0);
  for (const FabricLink &link : links)
    latencies.push_back(picoseconds(link.latency));
  for (uint32_t i = 0; i < messages.list.size(); ++i)
    if (states[i].waits == 0)
      queue.after(0, {Kind::Head, i});
  queue.run([&](FabricEvent event) {
    switch (event.kind) {
    case Kind::Head:
      return head(event.message);
    case Kind::Arrived:
      return arrived(event.message);
    case Kind::Serve:
      return serve(event.message);
    }
  });
  if (isTooLong || queue.overflowed())
    return llvm::None;
  // Messages wait only for earlier ones of the list, so that all arrive.
  assert(done == messages.list.size());
  result.events = queue.executed();
  result.seconds = static_cast<double>(queue.now()) * 1e-12;
  int64_t most = 0;
  for (uint32_t link = 0; link < busy.size(); ++link)
    if (busy[link] > most) {
      most = busy[link];
      result.busiestLink = link;
    }
  result.busiestSeconds = static_cast<double>(most) * 1e-12;
  return result;
}

llvm::Optional<FabricResult> network::simulateOnLinks(llvm::ArrayRef<FabricLink> links,
                                                      const Messages &messages,
                                                      RouteFunction route) {
  Simulation simulation(links, messages);
  return simulation.findPaths(mostLanes, route) ? simulation.run() : llvm::None;
}

/// The links that `message` takes; nothing, reported at the fault, when there is no way.
static llvm::Optional<llvm::ArrayRef<uint32_t>>
routeOf(const Message &message, Fabric &fabric, SourceRange where, DiagnosticEngine &diagnostics) {
  auto fail = [&](uint32_t rank, std::string reason) {
    SourceRange fault = fabric.faultBetween(message.from, message.to);
    diagnostics.report(fault.isValid() ? fault : where, diag::Unreachable, fabric.nodeName(rank),
                       std::move(reason));
    return llvm::None;
  };
  for (uint32_t rank : {message.from, message.to})
    if (fabric.isBroken(rank))
      return fail(rank, "it is broken, but takes part");
  llvm::ArrayRef<uint32_t> route = fabric.route(message.from, message.to, message.lane);
  if (route.empty())
    return fail(message.to, "there is no way from " + fabric.nodeName(message.from));
  if (message.way == Message::Way::In)
    return route.take_front();
  if (message.way == Message::Way::Out)
    return route.take_back();
  return route;
}

llvm::Optional<FabricResult> network::simulateMessages(Fabric &fabric, const Messages &messages,
                                                       SourceRange where,
                                                       DiagnosticEngine &diagnostics) {
  Simulation simulation(fabric.links(), messages);
  if (!simulation.findPaths(fabric.lanes(), [&](const Message &message) {
        return routeOf(message, fabric, where, diagnostics);
      }))
    return llvm::None;
  auto result = simulation.run();
  if (!result)
    diagnostics.report(where, diag::TooLargeToSimulate, "a message", "13 days of time");
  return result;
}
