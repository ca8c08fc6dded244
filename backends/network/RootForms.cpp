// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/RootForms.h"

#include "backends/network/InNetwork.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::network;

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

/// Parts from the root to the other members of its group, or back; `roots` of all ranks are such.
/// Around a ring and along a line the parts of the farthest members come first.
static CollectiveStep scatter(llvm::StringRef what, const NetworkLevel &level, double bytes,
                              double roots) {
  auto n = static_cast<double>(level.members);
  bool isLine = level.topology == Topology::Line;
  bool isRing = level.topology == Topology::Ring && level.members > 2;
  double parts = n - 1, links = n - 1; // on the first link, and of all on their way
  if (isRing) {
    parts = std::floor(n / 2);
    links = std::floor(n * n / 4);
  }
  if (isLine)
    links = n * (n - 1) / 2;
  double part = bytes / n, width = isRing || isLine ? 2 : 1;
  CollectiveStep result = step(what, level, 1, width * parts * part);
  if (isRing || isLine)
    result.latency = max(result.latency, step(what, level, parts, width * part).latency);
  result.sentBytes = links * part * roots;
  return result;
}

/// Outer levels first, then within the groups; a reduce the other way. A level is for the first
/// ranks of its members, or where the innermost `spread` levels are, for all of these.
static CollectiveSteps rootSteps(llvm::StringRef what, llvm::ArrayRef<NetworkLevel> levels,
                                 double bytes, size_t spread,
                                 llvm::ArrayRef<RootPattern> patterns) {
  bool isSum = what == "reduce";
  CollectiveSteps steps;
  double roots = 1 / ranksOf(levels), part = bytes;
  for (size_t first = 0, end; first < spread; first = end) {
    end = endOfGrid(levels, first);
    llvm::ArrayRef<NetworkLevel> grid = levels.slice(first, end - first);
    llvm::append_range(
        steps, gridPhases(grid, part, [&](const NetworkLevel &level, double share, double reached) {
          return scatter(isSum ? "gather" : "scatter", level, share, roots * reached);
        }));
    part /= ranksOf(grid);
    roots *= ranksOf(grid);
  }
  double chips = 1 / roots;
  for (size_t i = levels.size(); i-- > spread;) {
    const NetworkLevel &level = levels[i];
    auto members = static_cast<double>(level.members);
    bool adds = isSum && patterns[i].way == RootPattern::Way::Hub; // all send into a switch
    double sent = patterns[i].sentBytes * (adds ? members - 1 : 1);
    steps.push_back(
        {(what + " over " + level.name).str(), &level, patterns[i].latency, sent / chips});
    chips /= members;
  }
  CollectiveSteps inner =
      halves(isSum ? "reduce_scatter" : "all_gather", levels.take_front(spread), bytes);
  if (isSum) {
    std::reverse(steps.begin(), steps.end());
    std::swap(steps, inner);
  }
  llvm::append_range(steps, inner);
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

static bool hasLine(llvm::ArrayRef<NetworkLevel> grid) {
  return llvm::any_of(grid, [](const NetworkLevel &level) {
    return level.topology == Topology::Line && level.members > 2;
  });
}

std::vector<RootPattern> network::rootPatterns(llvm::ArrayRef<NetworkLevel> levels, double bytes,
                                               bool isChunk) {
  bool hasHub = llvm::any_of(
      levels, [](const NetworkLevel &level) { return level.topology == Topology::InNetwork; });
  std::vector<RootPattern> best;
  double least = 0;
  bool hasGrid = false;
  for (size_t spread = 0, end; spread <= levels.size(); spread = end) {
    end = spread < levels.size() ? endOfGrid(levels, spread) : spread + 1;
    if (spread > 0 &&
        (isChunk || hasHub || levels[spread - 1].shared.kind != SharedLinks::Kind::None))
      break;
    // Dimensions of a grid gather side by side only if all ranks begin at the same time, and ranks
    // of a line end at different ones.
    bool isInside = spread < levels.size();
    size_t first = spread > 0 ? startOfGrid(levels, spread - 1) : 0;
    if (isInside && hasLine(levels.slice(first, spread - first)))
      break;
    hasGrid |= spread - first > 1;
    if (hasGrid && isInside)
      continue;
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

CollectiveSteps network::rootForm(llvm::StringRef what, llvm::ArrayRef<NetworkLevel> levels,
                                  double bytes, bool isChunk) {
  std::vector<RootPattern> patterns = rootPatterns(levels, bytes, isChunk);
  auto isSpread = [](const RootPattern &each) { return each.way == RootPattern::Way::Spread; };
  auto spread = static_cast<size_t>(llvm::count_if(patterns, isSpread));
  return rootSteps(what, levels, bytes, spread, patterns);
}
