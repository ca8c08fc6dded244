// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Sends.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>

using namespace perfc;
using namespace perfc::network;

/// Messages of one pattern that are followed.
static constexpr int64_t mostAtOnce = 1 << 20;

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
/// Runs of neighbouring links, numbered along each line of chips and on to the next line, that
/// messages cross: the busiest link lies in most of them.
class Runs {
public:
  void add(uint64_t begin, uint64_t end) {
    if (begin == end)
      return;
    begins.push_back(begin);
    ends.push_back(end);
  }
  /// Messages over the busiest link.
  int64_t most();

private:
  std::vector<uint64_t> begins, ends;
};

class Follower {
public:
  Follower(llvm::ArrayRef<NetworkLevel> levels, double bytes)
      : levels(levels), bytes(bytes), runs(levels.size()), hops(levels.size()),
        longest(levels.size(), 0), all(levels.size(), 0) {
    int64_t product = 1;
    for (const NetworkLevel &level : levels) {
      below.push_back(product);
      product *= level.members;
    }
  }

  /// Adds the links of a message; false where it meets what is not followed.
  bool send(int64_t from, int64_t to);
  std::vector<CollectiveStep> steps(double messages);

private:
  int64_t cross(size_t number, int64_t at, int64_t target);

  llvm::ArrayRef<NetworkLevel> levels;
  double bytes;
  std::vector<int64_t> below;            ///< ranks in a member, by level
  std::vector<std::array<Runs, 2>> runs; ///< by level and way: down or else, up
  std::vector<int64_t> hops;             ///< of the message in hand, by level
  std::vector<int64_t> longest, all;     ///< links by level, of the longest way and of all messages
  double longestLatency = -1;
};
} // namespace

int64_t Runs::most() {
  llvm::sort(begins);
  llvm::sort(ends);
  size_t over = 0, most = 0;
  for (size_t i = 0; i < begins.size(); ++i) {
    while (ends[over] <= begins[i])
      ++over;
    most = std::max(most, i + 1 - over);
  }
  return static_cast<int64_t>(most);
}

/// Adds the links from `at` to the digit of `target` on level `number`; returns how many.
int64_t Follower::cross(size_t number, int64_t at, int64_t target) {
  const NetworkLevel &level = levels[number];
  int64_t n = level.members, inside = below[number];
  int64_t start = at / inside % n, end = target / inside % n;
  if (start == end)
    return 0;
  if (level.topology != Topology::Line && level.topology != Topology::Ring) {
    // A full connection has a link to each other member, all else one into the network.
    uint64_t link = static_cast<uint64_t>(at);
    if (level.topology == Topology::FullyConnected)
      link = link * static_cast<uint64_t>(n) + static_cast<uint64_t>(end);
    runs[number][0].add(link, link + 1);
    return 1;
  }
  // Of two ways as long a ring takes the link that FabricBuilder::ring and ::grid lay first, which
  // goes down but from 0.
  int64_t ahead = (end - start + n) % n;
  bool isUp = level.topology == Topology::Line ? end > start
                                               : 2 * ahead < n || (2 * ahead == n && start == 0);
  // Links have the numbers of the chips that they leave, those of a line one behind the other.
  int64_t line = (at / inside / n * inside + at % inside) * n;
  int64_t low = isUp ? start : end + 1, high = isUp ? end : start + 1;
  auto add = [&](int64_t first, int64_t last) {
    runs[number][isUp].add(static_cast<uint64_t>(line + first), static_cast<uint64_t>(line + last));
  };
  if (isUp == (end > start)) {
    add(low, high);
  } else { // around
    add(low, n);
    add(0, high);
  }
  return isUp ? ahead : n - ahead;
}

bool Follower::send(int64_t from, int64_t to) {
  // Inside the smallest group that both are in; a switch leads to any chip of its members.
  size_t first = 0;
  for (size_t i = 0; i < levels.size(); ++i) {
    if (from / below[i] % levels[i].members == to / below[i] % levels[i].members)
      continue;
    if (levels[i].shared.kind != SharedLinks::Kind::None)
      return false;
    if (levels[i].topology == Topology::Switch)
      first = i;
  }
  std::fill(hops.begin(), hops.end(), 0);
  double latency = 0;
  for (size_t i = first; i < levels.size(); ++i) {
    // Where it has come to: crossing a switch, too, it has reached its place on all levels inside.
    int64_t at = i == first ? from : from - from % below[i] + to % below[i];
    hops[i] = cross(i, at, to);
    all[i] += hops[i];
    latency += static_cast<double>(hops[i]) * levels[i].latency.central();
  }
  if (latency > longestLatency) {
    longestLatency = latency;
    longest = hops;
  }
  return true;
}

std::vector<CollectiveStep> Follower::steps(double messages) {
  double busiestTime = 0;
  size_t busiest = 0;
  for (size_t i = 0; i < levels.size(); ++i) {
    int64_t load = std::max(runs[i][0].most(), runs[i][1].most());
    double seconds = levels[i].bandwidth ? static_cast<double>(load) * bytes * widthOf(levels[i]) /
                                               levels[i].bandwidth->central()
                                         : 0;
    if (seconds > busiestTime) {
      busiestTime = seconds;
      busiest = i;
    }
  }
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

llvm::Optional<SendSteps> network::sendSteps(llvm::ArrayRef<NetworkLevel> levels,
                                             const SendPattern &pattern, double bytes) {
  int64_t ranks = 1, messages = 0;
  for (const NetworkLevel &level : levels)
    ranks *= level.members;
  Follower follower(levels, bytes);
  SendSteps result;
  for (int64_t start = pattern.first; start < ranks && result.note.empty(); start += pattern.step)
    for (int64_t from = start; from < std::min(start + pattern.count, ranks); ++from) {
      if (messages == mostAtOnce) {
        result.note = fmt::format("a stage sends more than {} at the same time: the first of them "
                                  "are followed, all may take longer",
                                  counted(mostAtOnce, "message"));
        break;
      }
      int64_t to = from + pattern.distance;
      if (to < 0 || to >= ranks || !follower.send(from, to))
        return llvm::None;
      ++messages;
    }
  if (messages == 0)
    return llvm::None;
  result.steps = follower.steps(static_cast<double>(messages));
  return result;
}
