// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Sends.h"

#include "llvm/ADT/DenseMap.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::network;

/// Messages that are followed one by one.
static constexpr int64_t mostSends = 1 << 16;

llvm::Optional<SendPattern> network::sendPattern(const ir::Operation &op) {
  if (!op.hasAttr("senders"))
    return llvm::None;
  const ir::AttrList &numbers = op.listAttr("senders");
  return SendPattern{numbers[0].asInt(), numbers[1].asInt(), numbers[2].asInt(),
                     numbers[3].asInt()};
}

/// How many times wider than the link of a message what a rank has on `level` is.
static double widthOf(const NetworkLevel &level) {
  switch (level.topology) {
  case Topology::Line:
    return 2;
  case Topology::Ring:
    return level.members > 2 ? 2 : 1;
  case Topology::FullyConnected:
    return static_cast<double>(level.members - 1);
  default:
    return static_cast<double>(level.lanes);
  }
}

namespace {
class Follower {
public:
  Follower(llvm::ArrayRef<NetworkLevel> levels, double bytes)
      : levels(levels), bytes(bytes), longest(levels.size(), 0), all(levels.size(), 0) {}

  /// Counts the links of a message; false where it meets what is not followed.
  bool send(int64_t from, int64_t to);
  std::vector<CollectiveStep> steps(double messages) const;

private:
  void cross(size_t level, int64_t below, int64_t target, int64_t &at, int64_t &hops);

  llvm::ArrayRef<NetworkLevel> levels;
  double bytes;
  /// Messages by link: the chip that it leaves, and where to on a level.
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> loads;
  std::vector<int64_t> longest, all; ///< links by level, of the longest way and of all messages
  double longestLatency = -1, busiestTime = 0;
  size_t busiest = 0;
};
} // namespace

/// Moves `at` to the digit of `target` on `level`, link by link.
void Follower::cross(size_t number, int64_t below, int64_t target, int64_t &at, int64_t &hops) {
  const NetworkLevel &level = levels[number];
  auto digit = [&](int64_t rank) { return rank / below % level.members; };
  bool isLine = level.topology == Topology::Line, isRing = level.topology == Topology::Ring;
  int64_t n = level.members, ahead = (digit(target) - digit(at) + n) % n;
  // Of two ways as long a ring takes the link that was laid first, which goes down but from 0.
  bool isUp =
      isLine ? digit(target) > digit(at) : 2 * ahead < n || (2 * ahead == n && digit(at) == 0);
  while (digit(at) != digit(target)) {
    int64_t next = isLine || isRing ? (digit(at) + (isUp ? 1 : n - 1)) % n : digit(target);
    int64_t way = isLine || isRing ? isUp : level.topology == Topology::FullyConnected ? next : 0;
    int64_t load =
        ++loads[{at, way * static_cast<int64_t>(levels.size() + 1) + static_cast<int64_t>(number)}];
    double seconds = level.bandwidth ? static_cast<double>(load) * bytes * widthOf(level) /
                                           level.bandwidth->central()
                                     : 0;
    if (seconds > busiestTime) {
      busiestTime = seconds;
      busiest = number;
    }
    at += (next - digit(at)) * below;
    ++hops;
  }
}

bool Follower::send(int64_t from, int64_t to) {
  // Inside the smallest group that both are in; a switch leads to any chip of its members.
  std::vector<int64_t> below(levels.size(), 1);
  for (size_t i = 1; i < levels.size(); ++i)
    below[i] = below[i - 1] * levels[i - 1].members;
  size_t first = 0;
  for (size_t i = 0; i < levels.size(); ++i) {
    if (from / below[i] % levels[i].members == to / below[i] % levels[i].members)
      continue;
    if (levels[i].shared.kind != SharedLinks::Kind::None)
      return false;
    if (levels[i].topology == Topology::Switch)
      first = i;
  }
  std::vector<int64_t> hops(levels.size(), 0);
  double latency = 0;
  int64_t at = from;
  for (size_t i = first; i < levels.size(); ++i) {
    cross(i, below[i], to, at, hops[i]);
    all[i] += hops[i];
    latency += static_cast<double>(hops[i]) * levels[i].latency.central();
    if (i == first && levels[i].topology == Topology::Switch) // to any chip behind it
      at += to % below[i] - at % below[i];
  }
  if (latency > longestLatency) {
    longestLatency = latency;
    longest = std::move(hops);
  }
  return true;
}

std::vector<CollectiveStep> Follower::steps(double messages) const {
  std::vector<CollectiveStep> result;
  for (size_t i = 0; i < levels.size(); ++i) {
    bool isBusiest = busiestTime > 0 && i == busiest;
    if (longest[i] == 0 && !isBusiest && all[i] == 0)
      continue;
    CollectiveStep step{"send over " + levels[i].name, &levels[i],
                        levels[i].latency * static_cast<double>(longest[i]),
                        static_cast<double>(all[i]) * bytes / messages};
    if (isBusiest) // the load and width are exact, the bandwidth may be uncertain
      step.latency +=
          Uncertain(busiestTime * levels[i].bandwidth->central()) / *levels[i].bandwidth;
    result.push_back(std::move(step));
  }
  return result;
}

llvm::Optional<std::vector<CollectiveStep>>
network::sendSteps(llvm::ArrayRef<NetworkLevel> levels, const SendPattern &pattern, double bytes) {
  int64_t ranks = 1, messages = 0;
  for (const NetworkLevel &level : levels)
    ranks *= level.members;
  Follower follower(levels, bytes);
  for (int64_t start = pattern.first; start < ranks; start += pattern.step)
    for (int64_t from = start; from < std::min(start + pattern.count, ranks); ++from) {
      int64_t to = from + pattern.distance;
      if (to < 0 || to >= ranks || ++messages > mostSends || !follower.send(from, to))
        return llvm::None;
    }
  if (messages == 0)
    return llvm::None;
  return follower.steps(static_cast<double>(messages));
}
