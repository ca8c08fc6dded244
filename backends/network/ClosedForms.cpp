// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/ClosedForms.h"

#include "backends/network/InNetwork.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::network;

static double ranksOf(llvm::ArrayRef<NetworkLevel> levels) {
  double ranks = 1;
  for (const NetworkLevel &level : levels)
    ranks *= static_cast<double>(level.members);
  return ranks;
}

/// messages * latency + sent / bandwidth.
static CollectiveStep step(llvm::StringRef what, const NetworkLevel &level, double messages,
                           double sent) {
  CollectiveStep result{(what + " over " + level.name).str(), &level, level.latency * messages,
                        sent};
  if (level.bandwidth)
    result.latency += Uncertain(sent) / *level.bandwidth;
  return result;
}

/// The same, but not before the busiest link that chips share has carried `load` times as much.
static CollectiveStep loadedStep(llvm::StringRef what, const NetworkLevel &level, double messages,
                                 double sent, double load) {
  CollectiveStep result = step(what, level, messages, sent);
  if (load > 1)
    result.latency = max(result.latency, step(what, level, 0, load * sent).latency);
  return result;
}

/// reduce_scatter or all_gather of one level: the same messages, the one with additions. On a line
/// the parts of each end pass all links, each half as wide as a rank's share.
static CollectiveStep half(llvm::StringRef what, const NetworkLevel &level, double bytes) {
  double n = static_cast<double>(level.members), sent = (n - 1) / n * bytes;
  if (level.topology == Topology::InNetwork) {
    CollectiveStep result = step(what, level, 1, bytes); // the busier of its two ways, and a part
    result.sentBytes = what == "all_gather" ? bytes / n : sent;
    return result;
  }
  double messages = level.topology == Topology::FullyConnected ? 1 : n - 1;
  double width = level.topology == Topology::Line ? 2 : 1;
  CollectiveStep result = step(what, level, messages, width * sent);
  if (level.ringLoad > 1)
    result.shared = step(what, level, 0, level.ringLoad * width * sent).latency;
  result.sentBytes = sent;
  return result;
}

using Steps = std::vector<CollectiveStep>;

/// A grid of d dimensions: the buffer in d shares, each of which visits them in turn from another
/// one on, so that all work at the same time; the slowest share ends a phase.
static void gridHalf(llvm::StringRef what, llvm::ArrayRef<NetworkLevel> grid, double bytes,
                     Steps &steps) {
  llvm::SmallVector<const NetworkLevel *, 3> dimensions;
  for (const NetworkLevel &level : grid)
    if (level.members > 1)
      dimensions.push_back(&level);
  size_t count = dimensions.size();
  std::vector<double> shares(count, bytes / static_cast<double>(count));
  Steps phases;
  for (size_t phase = 0; phase < count; ++phase) {
    CollectiveStep slowest;
    double sent = 0;
    for (size_t share = 0; share < count; ++share) {
      const NetworkLevel &level = *dimensions[(share + phase) % count];
      CollectiveStep own = half(what, level, shares[share]);
      shares[share] /= static_cast<double>(level.members);
      sent += own.sentBytes;
      if (share == 0 || own.latency.central() > slowest.latency.central())
        slowest = own;
    }
    slowest.sentBytes = sent;
    phases.push_back(std::move(slowest));
  }
  if (what == "all_gather") // the other way around
    std::reverse(phases.begin(), phases.end());
  llvm::append_range(steps, phases);
}

/// All levels, the outer ones with the share of each rank.
static void reduceScatter(llvm::ArrayRef<NetworkLevel> levels, double bytes, Steps &steps) {
  for (size_t first = 0, end; first < levels.size(); first = end) {
    end = endOfGrid(levels, first);
    llvm::ArrayRef<NetworkLevel> grid = levels.slice(first, end - first);
    gridHalf("reduce_scatter", grid, bytes, steps);
    bytes /= ranksOf(grid);
  }
}

static void allGather(llvm::ArrayRef<NetworkLevel> levels, double bytes, Steps &steps) {
  if (levels.empty())
    return;
  size_t end = endOfGrid(levels, 0);
  allGather(levels.drop_front(end), bytes / ranksOf(levels.take_front(end)), steps);
  gridHalf("all_gather", levels.take_front(end), bytes, steps);
}

/// Sums in and out of a switch at the same time.
static CollectiveStep hubStep(llvm::StringRef what, const NetworkLevel &level, double bytes) {
  CollectiveStep result = step(what, level, 1, (hubPieces + 1.0) / hubPieces * bytes);
  result.sentBytes = bytes;
  return result;
}

/// Both halves, but for the outermost level where that adds and copies in one go.
static void allReduce(llvm::ArrayRef<NetworkLevel> levels, double bytes, Steps &steps) {
  while (!levels.empty() && levels.back().members == 1)
    levels = levels.drop_back();
  bool isHub = !levels.empty() && levels.back().topology == Topology::InNetwork;
  llvm::ArrayRef<NetworkLevel> halves = isHub ? levels.drop_back() : levels;
  reduceScatter(halves, bytes, steps);
  double part = bytes;
  for (const NetworkLevel &level : halves)
    part /= static_cast<double>(level.members);
  if (isHub)
    steps.push_back(hubStep("all_reduce", levels.back(), part));
  allGather(halves, bytes, steps);
}

/// The whole takes no less than the busiest link that chips share on some level. Groups need not
/// keep step, so that other levels may work meanwhile.
static void waitForSharedLinks(Steps &steps) {
  Uncertain total = 0, most = 0;
  const NetworkLevel *slowest = nullptr;
  for (const CollectiveStep &one : steps) {
    total += one.latency;
    Uncertain sum = 0;
    for (const CollectiveStep &other : steps)
      sum += other.level == one.level ? other.shared : Uncertain(0);
    if (sum.central() > most.central()) {
      most = sum;
      slowest = one.level;
    }
  }
  if (slowest && most.central() > total.central())
    steps.push_back({"wait for links that chips share in " + slowest->name, slowest, most - total});
}

//===-- All to all
//------------------------------------------------------------------------------===//

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
                     Steps &steps) {
  double ranks = ranksOf(levels);
  std::vector<Peers> peers = peersOf(levels);
  for (size_t i = 0; i < levels.size(); ++i)
    if (levels[i].members <= 1)
      continue;
    else if (pairs)
      steps.push_back(step("all_to_allv", levels[i], 1, busiestShare(levels, i, *pairs) * bytes));
    else
      steps.push_back(evenExchange(levels[i], peers[i], bytes / ranks));
}

//===-- One root
//--------------------------------------------------------------------------------===//

/// Down both ways of a ring in pieces, or down a line: h hops, and the pieces behind the first one.
/// More pieces are never slower, as latencies of pieces that follow each other overlap; more than
/// these hardly save anything.
static RootPattern chainPattern(const NetworkLevel &level, double bytes) {
  constexpr uint32_t pieces = 64;
  auto members = static_cast<double>(level.members);
  bool isLine = level.topology == Topology::Line;
  double hops = isLine ? members - 1 : std::floor(members / 2);
  RootPattern result;
  result.way = RootPattern::Way::Chain;
  result.pieces = pieces;
  result.sentBytes = (members - 1) * bytes;
  result.latency = level.latency * hops;
  if (level.bandwidth) // over one of two links
    result.latency += Uncertain((hops + pieces - 1) / pieces * 2 * bytes) / *level.bandwidth;
  return result;
}

/// The fastest way over one level.
static RootPattern rootPattern(const NetworkLevel &level, double bytes) {
  auto n = static_cast<double>(level.members);
  if (level.topology == Topology::Line || (level.topology == Topology::Ring && level.members > 2))
    return chainPattern(level, bytes);
  if (level.topology == Topology::InNetwork) {
    CollectiveStep hub = hubStep("", level, bytes);
    return {RootPattern::Way::Hub, hubPieces, hub.latency, bytes};
  }
  bool isAll = level.topology == Topology::FullyConnected;
  double rounds = isAll ? 1 : llvm::Log2_64_Ceil(static_cast<uint64_t>(level.members));
  double treeBytes = isAll ? (n - 1) * bytes : rounds * bytes;
  CollectiveStep tree = step("", level, rounds, treeBytes);
  CollectiveStep scatter = step("", level, isAll ? 2 : n, 2 * (n - 1) / n * bytes);
  // Each other member gets the buffer; where it goes in parts, these are sent out first.
  double sent = (n - 1) * bytes;
  if (tree.latency.central() <= scatter.latency.central())
    return {RootPattern::Way::Tree, 1, tree.latency, sent};
  return {RootPattern::Way::Scatter, 1, scatter.latency, sent * (1 + 1 / n)};
}

/// From the root to the other members of its group, or back; `share` of all ranks are roots.
static CollectiveStep scatter(llvm::StringRef what, const NetworkLevel &level, double bytes,
                              double share) {
  auto n = static_cast<double>(level.members);
  CollectiveStep result = step(what, level, 1, (n - 1) / n * bytes);
  result.sentBytes *= share;
  return result;
}

/// Outer levels first, then within the groups; a reduce the other way. A level is for the first
/// ranks of its members, or where the innermost `spread` levels are, for all of these.
static Steps rootSteps(llvm::StringRef what, llvm::ArrayRef<NetworkLevel> levels, double bytes,
                       size_t spread, llvm::ArrayRef<RootPattern> patterns) {
  bool isSum = what == "reduce";
  Steps steps;
  double share = 1 / ranksOf(levels);
  for (const NetworkLevel &level : levels.take_front(spread)) {
    steps.push_back(scatter(isSum ? "gather" : "scatter", level, bytes, share));
    bytes /= static_cast<double>(level.members);
    share *= static_cast<double>(level.members);
  }
  double chips = 1 / share;
  for (size_t i = levels.size(); i-- > spread;) {
    const NetworkLevel &level = levels[i];
    auto members = static_cast<double>(level.members);
    bool adds = isSum && patterns[i].way == RootPattern::Way::Hub; // all send into a switch
    double sent = patterns[i].sentBytes * (adds ? members - 1 : 1);
    steps.push_back(
        {(what + " over " + level.name).str(), &level, patterns[i].latency, sent / chips});
    chips /= members;
  }
  for (const NetworkLevel &level : llvm::reverse(levels.take_front(spread))) {
    bytes *= static_cast<double>(level.members);
    steps.push_back(half(isSum ? "reduce_scatter" : "all_gather", level, bytes));
  }
  if (isSum)
    std::reverse(steps.begin(), steps.end());
  llvm::erase_if(steps, [](const CollectiveStep &entry) { return entry.level->members <= 1; });
  return steps;
}

/// The ways over the levels behind the innermost `spread` ones, which carry parts.
static std::vector<RootPattern> patternsBehind(llvm::ArrayRef<NetworkLevel> levels, double bytes,
                                               size_t spread) {
  std::vector<RootPattern> patterns(levels.size());
  double part = bytes / ranksOf(levels.take_front(spread));
  for (size_t i = 0; i < levels.size(); ++i)
    if (i < spread)
      patterns[i].way = RootPattern::Way::Spread;
    else if (levels[i].members > 1)
      patterns[i] = rootPattern(levels[i], part);
  return patterns;
}

std::vector<RootPattern> network::rootPatterns(llvm::ArrayRef<NetworkLevel> levels, double bytes,
                                               bool isChunk) {
  auto inOnePart = [](const NetworkLevel &level) {
    bool hasAllPairs = level.topology == Topology::Switch ||
                       level.topology == Topology::FullyConnected || level.members == 1;
    return hasAllPairs && level.shared.kind == SharedLinks::Kind::None;
  };
  std::vector<RootPattern> best;
  double least = 0;
  for (size_t spread = 0; spread < levels.size(); ++spread) {
    if (spread > 0 && (isChunk || !inOnePart(levels[spread - 1])))
      break;
    std::vector<RootPattern> patterns = patternsBehind(levels, bytes, spread);
    double seconds = 0;
    for (const CollectiveStep &each : rootSteps("broadcast", levels, bytes, spread, patterns))
      seconds += each.latency.central();
    if (spread == 0 || seconds < least) {
      best = std::move(patterns);
      least = seconds;
    }
  }
  return best;
}

static void broadcast(llvm::StringRef what, llvm::ArrayRef<NetworkLevel> levels, double bytes,
                      bool isChunk, Steps &steps) {
  std::vector<RootPattern> patterns = rootPatterns(levels, bytes, isChunk);
  auto isSpread = [](const RootPattern &each) { return each.way == RootPattern::Way::Spread; };
  auto spread = static_cast<size_t>(llvm::count_if(patterns, isSpread));
  llvm::append_range(steps, rootSteps(what, levels, bytes, spread, patterns));
}

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

//===-- All
//-------------------------------------------------------------------------------------===//

Steps network::closedForm(CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels, double bytes,
                          const PairSizes *pairs, bool isChunk) {
  Steps steps;
  switch (kind) {
  case CollectiveKind::AllReduce:
    allReduce(levels, bytes, steps);
    break;
  case CollectiveKind::ReduceScatter:
    reduceScatter(levels, bytes, steps);
    break;
  case CollectiveKind::AllGather:
    allGather(levels, bytes, steps);
    break;
  case CollectiveKind::AllToAll:
  case CollectiveKind::AllToAllV:
    allToAll(levels, bytes, pairs && !pairs->isUniform() ? pairs : nullptr, steps);
    break;
  case CollectiveKind::Broadcast:
  case CollectiveKind::Reduce:
    broadcast(nameOf(kind), levels, bytes, isChunk, steps);
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
