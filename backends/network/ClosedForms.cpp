// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/ClosedForms.h"

#include "backends/network/RootForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::network;

/// The same, but not before the busiest link that chips share has carried `load` times as much.
static CollectiveStep loadedStep(llvm::StringRef what, const NetworkLevel &level, double messages,
                                 double sent, double load) {
  CollectiveStep result = step(what, level, messages, sent);
  if (load > 1)
    result.latency = max(result.latency, step(what, level, 0, load * sent).latency);
  return result;
}

/// Both halves, but for the outermost level where that adds and copies in one go.
static CollectiveSteps allReduce(llvm::ArrayRef<NetworkLevel> levels, double bytes) {
  while (!levels.empty() && levels.back().members == 1)
    levels = levels.drop_back();
  bool isHub = !levels.empty() && levels.back().topology == Topology::InNetwork;
  llvm::ArrayRef<NetworkLevel> inner = isHub ? levels.drop_back() : levels;
  CollectiveSteps steps = halves("reduce_scatter", inner, bytes);
  double part = bytes;
  for (const NetworkLevel &level : inner)
    part /= static_cast<double>(level.members);
  if (isHub)
    steps.push_back(hubStep("all_reduce", levels.back(), part));
  llvm::append_range(steps, halves("all_gather", inner, bytes));
  return steps;
}

/// s that the busiest link works which chips share in `level`. The links of a line that are busiest
/// in the two halves of an all_reduce are at opposite ends: one of n ranks passes i parts in one
/// half and n - i in the other.
static Uncertain sharedIn(const NetworkLevel &level, const CollectiveSteps &steps) {
  Uncertain sum = 0;
  int halves = 0;
  for (const CollectiveStep &step : steps)
    if (step.level == &level) {
      sum += step.shared;
      ++halves;
    }
  auto n = static_cast<double>(level.members);
  if (level.topology == Topology::Line && halves > 1)
    sum = sum * Uncertain(n / (2 * (n - 1)));
  return sum;
}

/// The whole takes no less than the busiest link that chips share on some level. Groups need not
/// keep step, so that other levels may work meanwhile.
static void waitForSharedLinks(CollectiveSteps &steps) {
  Uncertain total = 0, most = 0;
  const NetworkLevel *slowest = nullptr;
  for (const CollectiveStep &one : steps) {
    total += one.latency;
    Uncertain sum = sharedIn(*one.level, steps);
    if (sum.central() > most.central()) {
      most = sum;
      slowest = one.level;
    }
  }
  if (slowest && most.central() > total.central())
    steps.push_back({"wait for links that chips share in " + slowest->name, slowest, most - total});
}

//===-- All to all --===//

namespace {
/// Ranks that each rank reaches over a level: `met` where the two meet there, `all` with those to
/// whom a message goes on. A switch takes it all the way; where members are wired chip to chip, it
/// goes on over the levels below.
struct Peers {
  double met = 0, all = 0;
};
} // namespace

static std::vector<Peers> peersOf(llvm::ArrayRef<NetworkLevel> levels) {
  std::vector<Peers> peers(levels.size());
  double below = 1;
  for (size_t i = 0; i < levels.size(); ++i) {
    auto m = static_cast<double>(levels[i].members);
    peers[i].met = below * (m - 1);
    below *= m;
  }
  double above = 1; // ways to come here from the levels above
  for (size_t i = levels.size(); i-- > 0;) {
    peers[i].all = peers[i].met * above;
    if (levels[i].topology != Topology::Switch)
      above *= static_cast<double>(levels[i].members);
  }
  return peers;
}

/// True when a message between two ranks uses `level` and no other.
static bool staysOn(llvm::ArrayRef<NetworkLevel> levels, size_t level, uint32_t from, uint32_t to) {
  bool isSwitch = levels[level].topology == Topology::Switch;
  for (size_t i = 0; i < levels.size(); ++i) {
    auto m = static_cast<uint32_t>(levels[i].members);
    bool differs = from % m != to % m;
    if (differs ? i > level || (i < level && !isSwitch) : i == level)
      return false;
    from /= m;
    to /= m;
  }
  return true;
}

/// The largest share of the bytes that one rank sends or gets over a level alone.
static double busiestShare(llvm::ArrayRef<NetworkLevel> levels, size_t level,
                           const PairSizes &pairs) {
  double n = pairs.ranks, most = 0;
  if (pairs.matrix.empty()) {
    bool isSwitch = levels[level].topology == Topology::Switch;
    double peers = static_cast<double>(levels[level].members - 1);
    for (size_t i = 0; isSwitch && i < level; ++i)
      peers *= static_cast<double>(levels[i].members);
    double other = n > 1 ? (n - pairs.imbalance) / (n - 1) / n : 0;
    return peers == 0
               ? 0
               : std::max(peers * pairs.imbalance / n, (peers - 1) * other + pairs.imbalance / n);
  }
  for (uint32_t a = 0; a < pairs.ranks; ++a) {
    double sent = 0, got = 0;
    for (uint32_t b = 0; b < pairs.ranks; ++b)
      if (a != b && staysOn(levels, level, a, b)) {
        sent += pairs.share(a, b);
        got += pairs.share(b, a);
      }
    most = std::max({most, sent, got});
  }
  return most;
}

/// Each rank sends S/n to every other. Those that meet on a switch follow each other, one for each
/// lane at a time; what passes through fills the gaps.
static CollectiveStep evenExchange(const NetworkLevel &level, const Peers &peers, double part) {
  auto m = static_cast<double>(level.members), lanes = static_cast<double>(level.lanes);
  double rounds = std::ceil(peers.met / lanes), sent = peers.all * part;
  CollectiveStep met = step("all_to_all", level, rounds, rounds * lanes * part);
  if (level.topology == Topology::FullyConnected)
    met = step("all_to_all", level, 1, sent);
  if (level.topology == Topology::Ring) {
    // Each rank's messages take floor(m^2/4)/m links on average, two ways around.
    sent *= std::floor(m * m / 4) / (m - 1);
    met = step("all_to_all", level, 1, sent);
  }
  double busiest = sent;
  if (level.topology == Topology::Line) {
    // The link in the middle carries what one half sends to the other, one way.
    busiest *= 2 * std::floor(m * m / 4) / (m - 1) * std::min(1.0, level.pairsLoad);
    sent *= (m + 1) / 3; // links on average
    met = step("all_to_all", level, 1, busiest);
  }
  CollectiveStep all = loadedStep("all_to_all", level, 1, busiest, level.pairsLoad);
  CollectiveStep slower = met.latency.central() >= all.latency.central() ? met : all;
  slower.sentBytes = sent;
  return slower;
}

/// Each rank sends S/n to every other, or what `pairs` says. No level is faster than its busiest
/// rank; the latency of unequal sizes is that of one message, as pairs may be without any.
static void allToAll(llvm::ArrayRef<NetworkLevel> levels, double bytes, const PairSizes *pairs,
                     CollectiveSteps &steps) {
  double ranks = ranksOf(levels);
  std::vector<Peers> peers = peersOf(levels);
  for (size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].members <= 1)
      continue;
    if (!pairs) {
      steps.push_back(evenExchange(levels[i], peers[i], bytes / ranks));
      continue;
    }
    double share = busiestShare(levels, i, *pairs);
    if (share > 0) // else nobody sends anything there
      steps.push_back(step("all_to_allv", levels[i], 1, share * bytes));
  }
}

//===-- Barrier and send --===//

/// Rounds in which every rank hears from one twice as far: on a ring that way is longer. On a line
/// each end hears of the other from link to link.
static CollectiveStep barrier(const NetworkLevel &level) {
  if (level.topology == Topology::Line)
    return step("barrier", level, static_cast<double>(level.members - 1), 0);
  if (level.topology == Topology::InNetwork)
    return step("barrier", level, 1, 0);
  double latencies = 0;
  for (int64_t away = 1; away < level.members; away *= 2)
    latencies += level.topology == Topology::Ring
                     ? static_cast<double>(std::min(away, level.members - away))
                     : 1;
  return step("barrier", level, latencies, 0);
}

/// To a neighbour, over one link; only one of `ranks` sends.
static CollectiveStep send(const NetworkLevel &level, double bytes, double ranks) {
  double share = static_cast<double>(level.lanes);
  if (level.topology == Topology::FullyConnected)
    share = static_cast<double>(level.members - 1);
  if (level.topology == Topology::Line || (level.topology == Topology::Ring && level.members > 2))
    share = 2;
  CollectiveStep result = step("send", level, 1, share * bytes);
  result.sentBytes = bytes / ranks;
  return result;
}

//===-- All --===//

CollectiveSteps network::closedForm(CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels,
                                    double bytes, const PairSizes *pairs, bool isChunk) {
  CollectiveSteps steps;
  switch (kind) {
  case CollectiveKind::AllReduce:
    steps = allReduce(levels, bytes);
    break;
  case CollectiveKind::ReduceScatter:
    steps = halves("reduce_scatter", levels, bytes);
    break;
  case CollectiveKind::AllGather:
    steps = halves("all_gather", levels, bytes);
    break;
  case CollectiveKind::AllToAll:
  case CollectiveKind::AllToAllV:
    allToAll(levels, bytes, pairs && !pairs->isUniform() ? pairs : nullptr, steps);
    break;
  case CollectiveKind::Broadcast:
  case CollectiveKind::Reduce:
    steps = rootForm(nameOf(kind), levels, bytes, isChunk);
    break;
  case CollectiveKind::Barrier:
    for (const NetworkLevel &level : levels)
      steps.push_back(barrier(level));
    break;
  case CollectiveKind::Send:
    for (const NetworkLevel &level : levels)
      if (level.members > 1) { // rank 1 is the neighbour of rank 0
        steps.push_back(send(level, bytes, ranksOf(levels)));
        break;
      }
    break;
  }
  llvm::erase_if(steps, [](const CollectiveStep &entry) { return entry.level->members <= 1; });
  if (kind != CollectiveKind::AllToAll && kind != CollectiveKind::AllToAllV)
    waitForSharedLinks(steps);
  for (CollectiveStep &step : steps) // the dimensions of a grid are one place for chunks
    step.level = &levels[startOfGrid(levels, static_cast<size_t>(step.level - levels.begin()))];
  return steps;
}

bool network::isClosedFormExact(CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels,
                                const PairSizes *pairs) {
  if (llvm::any_of(levels, [](const NetworkLevel &level) { return !level.approximation.empty(); }))
    return false;
  bool sharesLinks = llvm::any_of(levels, [](const NetworkLevel &level) {
    return level.shared.kind != SharedLinks::Kind::None;
  });
  // Messages of a tree meet on links that those between neighbours do not share.
  if (kind == CollectiveKind::Broadcast || kind == CollectiveKind::Reduce)
    return !sharesLinks;
  if (kind != CollectiveKind::AllToAll && kind != CollectiveKind::AllToAllV)
    return true;
  if (sharesLinks || (pairs && !pairs->isUniform()))
    return false;
  bool isFirst = true; // innermost: nothing goes on below it
  for (const NetworkLevel &level : levels) {
    bool isLong = (level.topology == Topology::Ring && level.members > 3) ||
                  (level.topology == Topology::Line && level.members > 2);
    if (level.members > 1 && level.topology != Topology::Switch && (!isFirst || isLong))
      return false;
    isFirst &= level.members == 1;
  }
  return true;
}
