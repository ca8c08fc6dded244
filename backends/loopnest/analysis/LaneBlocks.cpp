// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/LaneBlocks.h"
#include <array>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

class Splitter {
public:
  Splitter(const Digits &digits, llvm::ArrayRef<unsigned> positions, IndexRange range)
      : digits(digits), positions(positions), range(range) {
    for (const Digit &digit : digits.list())
      choices.push_back(Choice::any(digit.factor));
  }
  void split(unsigned index);
  std::vector<LaneBlock> blocks;

private:
  /// What a lane has: number of tiles, their lengths, and how much of them lies below the ends of
  /// the range. Each never grows from lane to lane, tile by tile, so equal sums are equal parts.
  using Profile = std::array<int64_t, 4>;
  Profile profile(unsigned index, int64_t digit, bool last);
  void split(unsigned index, int64_t first, int64_t end);
  void emit(unsigned index, int64_t first, int64_t end, const Profile &profile);

  const Digits &digits;
  llvm::ArrayRef<unsigned> positions;
  IndexRange range;
  Digits::Choices choices;
  llvm::SmallVector<int64_t, 4> fixed;
  Profile latest = {};      ///< of the block emitted last
  unsigned latestIndex = 0; ///< where it has its range
};

} // namespace

/// Of the lane with `digit` at `index` and the smallest or largest digits after it.
Splitter::Profile Splitter::profile(unsigned index, int64_t digit, bool last) {
  for (unsigned i = 0; i < positions.size(); ++i) {
    int64_t extreme = last ? digits.list()[positions[i]].factor - 1 : 0;
    choices[positions[i]] = Choice::only(i < index ? fixed[i] : i == index ? digit : extreme);
  }
  int64_t size = digits.size();
  return {digits.countBelow(size, choices), digits.covered(0, size, size, choices),
          digits.covered(0, range.low, size, choices),
          digits.covered(0, range.high, size, choices)};
}

/// Halves that turn out alike become one block again.
void Splitter::emit(unsigned index, int64_t first, int64_t end, const Profile &profile) {
  if (!profile[0])
    return;
  if (first > 0 && !blocks.empty() && latestIndex == index && latest == profile &&
      blocks.back().digits[index].end == first) {
    blocks.back().digits[index].end = end;
    return;
  }
  latest = profile;
  latestIndex = index;
  LaneBlock block{{}, profile[0]};
  for (unsigned i = 0; i < positions.size(); ++i) {
    if (i < index)
      block.digits.push_back({positions[i], fixed[i], fixed[i] + 1});
    else if (i == index)
      block.digits.push_back({positions[i], first, end});
    else
      block.digits.push_back({positions[i], 0, digits.list()[positions[i]].factor});
  }
  blocks.push_back(std::move(block));
}

void Splitter::split(unsigned index, int64_t first, int64_t end) {
  Profile front = profile(index, first, false);
  if (front == profile(index, end - 1, true))
    return emit(index, first, end, front);
  if (end - first > 1) {
    int64_t middle = first + (end - first) / 2;
    split(index, first, middle);
    return split(index, middle, end);
  }
  fixed.push_back(first);
  split(index + 1);
  fixed.pop_back();
}

void Splitter::split(unsigned index) {
  if (index == positions.size())
    return emit(index, 0, 0, profile(index, 0, false));
  split(index, 0, digits.list()[positions[index]].factor);
}

std::vector<LaneBlock> loopnest::laneBlocks(const Digits &digits,
                                            llvm::ArrayRef<unsigned> positions, IndexRange range) {
  Splitter splitter(digits, positions, range);
  splitter.split(0);
  return std::move(splitter.blocks);
}
