// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/NamedForms.h"

#include "backends/network/FoldedForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::network;

NamedAlgorithm NamedAlgorithm::parse(llvm::StringRef text) {
  auto [name, rest] = text.split('(');
  NamedAlgorithm result{name.str()};
  rest.consumeInteger(10, result.number);
  return result;
}

namespace {
/// The levels in numbers: those with several members, all switches (or one of another kind).
struct LevelNumbers {
  std::vector<double> members, latency, perByte;
  std::vector<size_t> number; ///< of the level among all
  std::vector<const NetworkLevel *> levels;
  double ranks = 1;
  bool areSwitches = true;
  Topology only = Topology::Switch; ///< of a single level

  explicit LevelNumbers(llvm::ArrayRef<NetworkLevel> all) {
    for (size_t i = 0; i < all.size(); ++i) {
      const NetworkLevel &level = all[i];
      if (level.members <= 1)
        continue;
      number.push_back(i);
      levels.push_back(&level);
      members.push_back(static_cast<double>(level.members));
      latency.push_back(level.latency.central());
      perByte.push_back(level.bandwidth ? 1 / level.bandwidth->central() : 0);
      ranks *= members.back();
      areSwitches &=
          level.topology == Topology::Switch && level.lanes == 1 && level.approximation.empty();
      only = level.topology;
    }
  }
  bool isOne() const { return members.size() == 1; }
};
} // namespace

//===-- Rings
//-----------------------------------------------------------------------------------===//

/// The longest path of `steps` steps around a ring of ranks whose links differ by the level on
/// which neighbours meet: each step goes on to the next link or waits on the same one. What is
/// inside of the outermost level is alike everywhere, so one such stretch stands for all.
static double unlikeRing(const LevelNumbers &shape, double steps, double part) {
  auto linkOf = [&](int64_t rank) { // the level on which `rank` meets the next one
    size_t level = 0;
    int64_t below = 1;
    while (level + 1 < shape.members.size() &&
           (rank / below + 1) % static_cast<int64_t>(shape.members[level]) == 0)
      below *= static_cast<int64_t>(shape.members[level++]);
    return level;
  };
  auto ranks = static_cast<int64_t>(shape.ranks / shape.members.back()),
       count = static_cast<int64_t>(steps);
  std::vector<double> last(static_cast<size_t>(ranks), 0), next(last); // when a link is free
  std::vector<double> arrived(last), arriving(last);
  for (int64_t step = 0; step < count; ++step) {
    for (int64_t rank = 0; rank < ranks; ++rank) {
      size_t level = linkOf(rank), before = static_cast<size_t>((rank + ranks - 1) % ranks);
      auto at = static_cast<size_t>(rank);
      double start = std::max(last[at], arrived[before]);
      next[at] = start + part * shape.perByte[level];
      arriving[at] = next[at] + shape.latency[level];
    }
    last.swap(next);
    arrived.swap(arriving);
  }
  return *std::max_element(arrived.begin(), arrived.end());
}

/// `rounds` times n - 1 steps of a part. Members of a ring or full connection have a link to each
/// neighbour.
static llvm::Optional<double> ringTime(const LevelNumbers &shape, double rounds, double bytes,
                                       bool isBothWays) {
  double steps = rounds * (shape.ranks - 1), part = bytes / shape.ranks;
  constexpr double mostSteps = 4e8; // of all ranks that differ
  if (shape.isOne()) {
    double width = shape.only == Topology::Ring             ? (shape.ranks > 2 ? 2 : 1)
                   : shape.only == Topology::FullyConnected ? shape.ranks - 1
                                                            : 1;
    bool fits = shape.only == Topology::Ring || (!isBothWays && shape.areSwitches) ||
                (!isBothWays && shape.only == Topology::FullyConnected);
    if (!fits)
      return llvm::None;
    // Both ways, each direction has half of the part.
    double sent = isBothWays ? part / 2 : part;
    return steps * (shape.latency[0] + width * sent * shape.perByte[0]);
  }
  if (isBothWays || !shape.areSwitches || steps * shape.ranks / shape.members.back() > mostSteps)
    return llvm::None;
  return unlikeRing(shape, steps, part);
}

//===-- Trees and chains
//------------------------------------------------------------------------===//

/// Each rank passes the whole buffer on to its children, the farthest first: to one that has what
/// is left of `ranks` behind it, then to trees of halves, quarters, … of the power of two below.
static double binomialTime(uint64_t ranks, double latency, double whole) {
  if (ranks <= 1)
    return 0;
  unsigned levels = llvm::Log2_64_Ceil(ranks);
  double others = levels > 1 ? whole + (levels - 1) * (latency + whole) : 0;
  uint64_t farthest = ranks - (uint64_t(1) << (levels - 1));
  return std::max(latency + whole + binomialTime(farthest, latency, whole), others);
}

/// The other way: a rank has all when its children's buffers have come in, one after the other
/// where they meet on its link. The child with 2^j ranks sends after j (a + S/B).
static double binomialReduceTime(uint64_t ranks, double latency, double whole) {
  if (ranks <= 1)
    return 0;
  unsigned levels = llvm::Log2_64_Ceil(ranks);
  std::vector<double> starts = {
      binomialReduceTime(ranks - (uint64_t(1) << (levels - 1)), latency, whole)};
  for (unsigned j = 0; j + 1 < levels; ++j)
    starts.push_back(j * (latency + whole));
  std::sort(starts.begin(), starts.end());
  double free = 0;
  for (double start : starts)
    free = std::max(free, start) + whole;
  return free + latency;
}

static double chainTime(double ranks, double pieces, double latency, double whole) {
  return (ranks - 1) * latency + (ranks + pieces - 2) / pieces * whole;
}

/// The way of the first piece down from the last leaf up to the root and back, and the others
/// behind it; and what an inner rank sends in both trees.
static double doubleTreeTime(double ranks, double pieces, double latency, double whole) {
  double levels = llvm::Log2_64_Ceil(static_cast<uint64_t>(ranks));
  double piece = whole / (2 * pieces);
  double path = 2 * levels * latency + (2 * levels + pieces - 1) * piece;
  return std::max(path, ranks > 2 ? latency + 2 * whole : 0);
}

//===-- Levels one after the other
//--------------------------------------------------------------===//

/// Rings in nodes of m chips and between them; `rounds` is 2 for an all_reduce. No less than the
/// way of the first chunk through all steps, behind the other chunks of a node's rings, and than
/// what the links carry.
static llvm::Optional<double> hierarchicalTime(const LevelNumbers &shape, double m, double rounds,
                                               double bytes) {
  bool isOne = shape.isOne();
  bool fits = shape.areSwitches && std::fmod(shape.ranks, m) == 0 &&
              (isOne || (shape.members.size() == 2 && shape.members[0] == m));
  if (!fits)
    return llvm::None;
  size_t outer = isOne ? 0 : 1;
  double nodes = shape.ranks / m, part = bytes / shape.ranks;
  double near = part * shape.perByte[0], far = part * shape.perByte[outer];
  double hop = shape.latency[0] + near, farHop = shape.latency[outer] + far;
  double path = rounds * ((m - 1) * hop + (nodes - 1) * farHop);
  if (rounds == 2 && m > 1)
    path += (m - 2) * (std::max(nodes * near, hop) - hop);
  double inside = (m - 1) * nodes * near, between = (nodes - 1) * far;
  double carried = isOne ? inside + between : std::max(inside, between);
  return std::max(path, std::min(shape.latency[0], shape.latency[outer]) + rounds * carried);
}

/// Steps of halves or doubles among the largest power of two of ranks: the way of one chunk, or all
/// that a rank sends. Where there are more ranks, one of these gets the buffer of another before,
/// and gives it the result behind.
static double halvingTime(double ranks, double rounds, double latency, double whole) {
  unsigned steps = llvm::Log2_64(static_cast<uint64_t>(ranks));
  double power = std::exp2(steps), part = whole / power;
  double path = rounds * steps * (latency + part), sent = latency + rounds * (power - 1) * part;
  if (power < ranks) {
    path += 2 * (latency + part);
    sent += latency + part + whole;
  }
  return std::max(path, sent);
}

//===-- All
//-------------------------------------------------------------------------------------===//

static double roundsOf(CollectiveKind kind) { return kind == CollectiveKind::AllReduce ? 2 : 1; }

/// Bytes that a mean rank sends over each level, by neighbours or to all.
static std::vector<double> sentBytes(const LevelNumbers &shape, size_t count, double perRank,
                                     bool isRing, double m) {
  std::vector<double> result(count, 0);
  double below = 1;
  for (size_t i = 0; i < shape.members.size(); ++i) {
    double share =
        isRing ? (1 / below - 1 / (below * shape.members[i])) *
                     (i + 1 == shape.members.size() ? shape.members[i] / (shape.members[i] - 1) : 1)
               : 1.0;
    if (!isRing && shape.members.size() == 2)
      share = i == 0 ? (m - 1) / m / ((shape.ranks - 1) / shape.ranks)
                     : (1 / m - 1 / shape.ranks) / ((shape.ranks - 1) / shape.ranks);
    result[shape.number[i]] = perRank * share;
    below *= shape.members[i];
  }
  return result;
}

llvm::Optional<NamedTime> network::namedTime(const NamedAlgorithm &algorithm, CollectiveKind kind,
                                             llvm::ArrayRef<NetworkLevel> levels, double bytes) {
  LevelNumbers shape(levels);
  llvm::StringRef name = algorithm.name;
  if (shape.members.empty())
    return llvm::None;
  double n = shape.ranks, pieces = static_cast<double>(algorithm.number), rounds = roundsOf(kind);
  double a = shape.latency[0], whole = bytes * shape.perByte[0], part = whole / n;
  double sent = rounds * (n - 1) / n * bytes;
  llvm::Optional<double> seconds;
  std::string bound;
  bool isRing = name.startswith("ring") || name.startswith("bidirectional_ring");
  bool isSwitch = shape.isOne() && shape.areSwitches;
  if (isRing) {
    seconds = ringTime(shape, rounds, bytes, name.startswith("bidirectional"));
  } else if (name.startswith("direct")) {
    if (isSwitch || (shape.isOne() && shape.only == Topology::FullyConnected))
      seconds = rounds * (a + (n - 1) * part);
  } else if (name.startswith("hierarchical")) {
    seconds = hierarchicalTime(shape, pieces, rounds, bytes);
    auto exact =
        seconds ? foldedNodes(*shape.levels.front(), *shape.levels.back(), algorithm.number,
                              static_cast<int64_t>(n / pieces), kind != CollectiveKind::AllGather,
                              kind != CollectiveKind::ReduceScatter, bytes)
                : llvm::None;
    bound = exact ? "" : "at least";
    seconds = exact ? exact : seconds;
  } else if (!isSwitch) {
    return llvm::None;
  } else if (name.startswith("chain")) {
    seconds = chainTime(n, pieces, a, whole);
    sent = (n - 1) / n * bytes;
  } else if (name.startswith("binomial_tree")) {
    auto ranks = static_cast<uint64_t>(n);
    seconds = kind == CollectiveKind::Reduce ? binomialReduceTime(ranks, a, whole)
                                             : binomialTime(ranks, a, whole);
    sent = (n - 1) / n * bytes;
  } else if (name.startswith("halving") || name == "doubling") {
    auto ranks = static_cast<int64_t>(n);
    auto exact = llvm::isPowerOf2_64(static_cast<uint64_t>(ranks))
                     ? foldedHalving(*shape.levels.front(), ranks, name.startswith("halving"),
                                     name.endswith("doubling"), bytes)
                     : llvm::None;
    seconds = exact ? *exact : halvingTime(n, rounds, a, whole);
    bound = exact ? "" : "at least";
  } else if (name == "double_binary_tree") {
    seconds = doubleTreeTime(n, pieces, a, whole);
    bound = "at least";
  }
  if (!seconds)
    return llvm::None;
  return NamedTime{*seconds, sentBytes(shape, levels.size(), sent, isRing, pieces), bound};
}
