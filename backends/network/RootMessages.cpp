// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default messages of a broadcast or reduce (RootForms.h).
#include "backends/network/PatternBuilder.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::network;

/// Who has all sends to one who has not: in the last round the latest ones do. Where all are
/// connected the root sends to everyone.
void PatternBuilder::tree(size_t level, uint32_t root, bool down) {
  uint32_t count = members(level);
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  bool isStar = levels[level].topology == Topology::FullyConnected;
  for (uint32_t have = 1; have < count; have = std::min(count, have * 2))
    for (uint32_t i = have; i < std::min(count, have * 2); ++i) {
      bool isFull = have * 2 <= count;
      edges.emplace_back(isStar ? 0 : isFull ? i - have : 2 * have - 1 - i, i);
    }
  for (size_t i = 0; i < edges.size(); ++i) {
    auto [near, far] = down ? edges[i] : edges[edges.size() - 1 - i];
    uint32_t a = member(level, root, near), b = member(level, root, far);
    if (down)
      pass(level, a, b, bytes, got[a], got[b]);
    else
      pass(level, b, a, bytes, got[b], got[a]);
  }
}

/// Links between the root and another member.
static uint32_t linksTo(const PatternLevel &level, uint32_t member) {
  auto count = static_cast<uint32_t>(level.members);
  if (level.topology == Topology::Line)
    return member;
  return level.topology == Topology::Ring ? std::min(member, count - member) : 1;
}

/// Parts between the root and each other member, those of the farthest first. All wait for the last
/// one, as what follows does.
void PatternBuilder::star(size_t level, uint32_t root, double part, bool down) {
  std::vector<uint32_t> others, moved;
  for (uint32_t i = 1; i < members(level); ++i)
    others.push_back(i);
  llvm::stable_sort(others, [&](uint32_t a, uint32_t b) {
    return linksTo(levels[level], a) > linksTo(levels[level], b);
  });
  for (uint32_t i : others) {
    uint32_t other = member(level, root, i);
    down ? pass(level, root, other, part, got[root], moved)
         : pass(level, other, root, part, got[other], moved);
  }
  if (!down)
    got[root].insert(got[root].end(), moved.begin(), moved.end());
  else
    got[root] = moved;
  for (uint32_t i : others)
    if (down)
      got[member(level, root, i)] = moved;
}

/// Pieces that follow each other both ways around.
void PatternBuilder::chain(size_t level, uint32_t root, bool down) {
  uint32_t count = members(level), pieces = levels[level].root.pieces;
  uint32_t forward = levels[level].topology == Topology::Line ? count - 1 : count / 2;
  std::vector<uint32_t> start = got[root], atRoot = start;
  for (uint32_t way = 0; way < 2; ++way) {
    uint32_t hops = way == 0 ? forward : count - 1 - forward;
    auto place = [&](uint32_t hop) {
      return member(level, root, way == 0 ? hop : (count - hop) % count);
    };
    for (uint32_t piece = 0; piece < pieces; ++piece) {
      std::vector<uint32_t> before = down ? start : std::vector<uint32_t>();
      for (uint32_t hop = 0; hop < hops; ++hop) {
        uint32_t a = place(down ? hop : hops - hop), b = place(down ? hop + 1 : hops - hop - 1);
        if (!down)
          before.insert(before.end(), got[a].begin(), got[a].end());
        before = {messages.add(a, b, bytes / pieces, before)};
        if (down && piece + 1 == pieces)
          got[b] = before;
      }
      if (!down)
        atRoot.insert(atRoot.end(), before.begin(), before.end());
    }
  }
  if (!down)
    got[root] = atRoot;
}

/// Between the first members of the groups and the others, group by group.
void PatternBuilder::roots(size_t level, bool down) {
  uint32_t count = members(level);
  for (uint32_t root = 0; count > 1 && root < ranks; ++root) {
    if (!isIn(level, root) || digit(level, root) != 0)
      continue;
    switch (levels[level].root.way) {
    case RootPattern::Way::Hub:
      hubRoot(level, root, down);
      break;
    case RootPattern::Way::Tree:
      tree(level, root, down);
      break;
    case RootPattern::Way::Chain:
      chain(level, root, down);
      break;
    case RootPattern::Way::Scatter:
      star(level, root, bytes / count, down);
      break;
    case RootPattern::Way::Spread:
      break; // rootGroup
    }
  }
}

/// The innermost levels, which the outer ones have parts of.
size_t PatternBuilder::spreadLevels() const {
  return static_cast<size_t>(llvm::count_if(levels, [](const PatternLevel &level) {
    return level.root.way == RootPattern::Way::Spread;
  }));
}

/// All of the first `count` ranks wait for what each of them does.
void PatternBuilder::join(uint32_t count) {
  std::vector<uint32_t> all;
  for (uint32_t rank = 0; rank < count; ++rank)
    llvm::append_range(all, got[rank]);
  llvm::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.empty())
    return;
  uint32_t joined = messages.add(0, 0, 0, all, 0, Message::Way::Join);
  for (uint32_t rank = 0; rank < count; ++rank)
    got[rank] = {joined};
}

/// Parts from rank 0 to all others on the dimensions of a grid, or back: in shares that visit them
/// in turn, as in gridHalf, but phase by phase: ranks that only some of the shares reach would be
/// ahead of the others, and stand in their way.
void PatternBuilder::gridStar(size_t first, bool down) {
  std::vector<size_t> dimensions = dimensionsOf(first);
  size_t count = dimensions.size(), end = endOfGrid(levels, first);
  uint32_t group = end < levels.size() ? below[end] : ranks;
  for (size_t turn = 0; turn < count; ++turn) {
    size_t phase = down ? turn : count - 1 - turn;
    if (count > 1)
      join(group);
    Waits start = got, next(ranks);
    for (size_t share = 0; share < count; ++share) {
      double part = shareBelow(first) / levels[dimensions[share]].partsOfGrid;
      for (size_t i = 0; i <= phase; ++i)
        part /= members(dimensions[(share + i) % count]);
      got = start;
      for (uint32_t root = 0; root < group; ++root) {
        bool hasShare = true;
        for (size_t i = phase; i < count; ++i)
          hasShare &= digit(dimensions[(share + i) % count], root) == 0;
        if (hasShare)
          star(dimensions[(share + phase) % count], root, part, down);
      }
      for (uint32_t rank = 0; rank < ranks; ++rank)
        llvm::append_range(next[rank], got[rank]);
    }
    got = std::move(next);
  }
  if (count > 1)
    join(group);
}

/// Parts from rank 0 to all of its group on the innermost `count` levels, or back.
void PatternBuilder::rootGroup(size_t count, bool down) {
  std::vector<size_t> firsts;
  for (size_t level = 0; level < count; level = endOfGrid(levels, level))
    firsts.push_back(level);
  if (!down)
    std::reverse(firsts.begin(), firsts.end());
  for (size_t first : firsts)
    stay(first, [&] { gridStar(first, down); });
}

/// What follows is between the first ranks of the members of each level, or among the parts that
/// `spread` levels make of each buffer.
void PatternBuilder::onParts(size_t spread, llvm::function_ref<void()> body) {
  double whole = std::exchange(bytes, shareBelow(spread));
  wide = spread < levels.size() ? below[spread] : ranks;
  body();
  wide = ranks;
  bytes = whole;
}

/// From the outermost level in.
void PatternBuilder::broadcast() {
  size_t spread = spreadLevels();
  rootGroup(spread, /*down=*/true);
  onParts(spread, [&] {
    for (size_t end = levels.size(); end > spread;) {
      size_t first = startOfGrid(levels, end - 1);
      stay(first, [&] {
        for (size_t level = end; level-- > first;) {
          roots(level, /*down=*/true);
          if (levels[level].root.way == RootPattern::Way::Scatter)
            phase(level, bytes / members(level), /*gathers=*/true);
        }
      });
      end = first;
    }
  });
  allGather(spread);
}

void PatternBuilder::reduce() {
  size_t spread = spreadLevels();
  reduceScatter(spread);
  onParts(spread, [&] {
    for (size_t first = spread, end; first < levels.size(); first = end) {
      end = endOfGrid(levels, first);
      stay(first, [&] {
        for (size_t level = first; level < end; ++level) {
          if (levels[level].root.way == RootPattern::Way::Scatter)
            phase(level, bytes / members(level), /*gathers=*/false);
          roots(level, /*down=*/false);
        }
      });
    }
  });
  rootGroup(spread, /*down=*/false);
}
