// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/op/Points.h"

#include "ir/common/Rational.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::op;

namespace {
/// constant + slope * index.
struct Line {
  int64_t constant, slope;
  __int128 at(int64_t index) const { return constant + __int128(slope) * index; }
};

/// An interval whose ends are lines of an index: from the highest of `lows` to the lowest of
/// `highs`.
struct MovingInterval {
  std::vector<Line> lows, highs;

  /// The points inside it over all indices in [from, to].
  __int128 points(int64_t from, int64_t to) const;

private:
  static const Line *extreme(llvm::ArrayRef<Line> lines, int64_t from, int64_t to, int sign);
};

/// Conditions over a few indices, as rows of numbers: constant + sum of coefficient * index >= 0.
class PointCounter {
public:
  PointCounter(llvm::ArrayRef<BoxIndex> indices, llvm::ArrayRef<AffineExpr> constraints)
      : indices(indices) {
    for (const AffineExpr &constraint : constraints) {
      std::vector<int64_t> row;
      for (const BoxIndex &index : indices)
        row.push_back(constraint.coefficient(index.name));
      rows.push_back(std::move(row));
      constants.push_back(constraint.constant());
    }
  }

  /// Nothing on overflow.
  llvm::Optional<int64_t> count() { return countFrom(0); }

private:
  llvm::Optional<int64_t> countFrom(size_t level) {
    if (level + 1 == indices.size())
      return interval(level);
    if (level + 2 == indices.size() && hasUnitSteps(level + 1))
      return pairs(level);
    llvm::Optional<int64_t> sum = 0;
    std::vector<int64_t> saved = constants;
    for (int64_t value = 0; value < indices[level].extent && sum; ++value) {
      llvm::Optional<int64_t> inner = countFrom(level + 1);
      sum = inner ? checkedAdd(*sum, *inner) : llvm::None;
      for (size_t row = 0; row < rows.size() && sum; ++row) {
        llvm::Optional<int64_t> next = checkedAdd(constants[row], rows[row][level]);
        if (!next)
          sum = llvm::None;
        else
          constants[row] = *next;
      }
    }
    constants = std::move(saved);
    return sum;
  }

  /// Values of the last index that meet all conditions, the others being fixed.
  int64_t interval(size_t level) const {
    int64_t low = 0, high = indices[level].extent - 1;
    for (size_t row = 0; row < rows.size(); ++row) {
      int64_t coefficient = rows[row][level];
      Rational bound =
          coefficient == 0 ? Rational(0) : *Rational::make(-__int128(constants[row]), coefficient);
      if (coefficient > 0)
        low = std::max(low, bound.ceil());
      else if (coefficient < 0)
        high = std::min(high, bound.floor());
      else if (constants[row] < 0)
        return 0;
    }
    return std::max<int64_t>(0, high - low + 1);
  }

  /// True where every condition has the index with a coefficient of 1 or -1, or without.
  bool hasUnitSteps(size_t level) const {
    return llvm::all_of(rows, [&](const auto &row) { return std::abs(row[level]) <= 1; });
  }

  /// Values of the last two indices that meet all conditions, the others being fixed.
  llvm::Optional<int64_t> pairs(size_t level) const {
    int64_t from = 0, to = indices[level].extent - 1;
    MovingInterval last{{{0, 0}}, {{indices[level + 1].extent - 1, 0}}};
    for (size_t row = 0; row < rows.size(); ++row) {
      int64_t constant = constants[row], slope = rows[row][level], step = rows[row][level + 1];
      if (step > 0)
        last.lows.push_back({-constant, -slope});
      else if (step < 0)
        last.highs.push_back({constant, slope});
      else if (slope > 0)
        from = std::max(from, Rational::make(-__int128(constant), slope)->ceil());
      else if (slope < 0)
        to = std::min(to, Rational::make(-__int128(constant), slope)->floor());
      else if (constant < 0)
        return 0;
    }
    __int128 sum = last.points(from, to);
    return sum <= INT64_MAX ? llvm::Optional<int64_t>(static_cast<int64_t>(sum)) : llvm::None;
  }

  llvm::ArrayRef<BoxIndex> indices;
  std::vector<std::vector<int64_t>> rows;
  std::vector<int64_t> constants;
};
} // namespace

/// The line that is highest (`sign` 1) or lowest (-1) of `lines` at both ends, and so in between;
/// null when there is none.
const Line *MovingInterval::extreme(llvm::ArrayRef<Line> lines, int64_t from, int64_t to,
                                    int sign) {
  auto isLess = [&](const Line &a, const Line &b, int64_t first, int64_t second) {
    auto key = [&](const Line &line) {
      return std::make_pair(sign * line.at(first), sign * line.at(second));
    };
    return key(a) < key(b);
  };
  auto best = [&](int64_t first, int64_t second) {
    return std::max_element(lines.begin(), lines.end(), [&](const Line &a, const Line &b) {
      return isLess(a, b, first, second);
    });
  };
  const Line *here = best(from, to);
  return here->at(to) == best(to, from)->at(to) ? here : nullptr;
}

/// Sum of max(0, first + i * slope) over i in [0, count).
static __int128 positiveSum(__int128 first, __int128 slope, __int128 count) {
  __int128 skipped = 0;
  if (slope > 0 && first < 0)
    skipped = std::min(count, (-first + slope - 1) / slope);
  if (slope <= 0)
    count = first < 0 ? 0 : slope < 0 ? std::min(count, first / -slope + 1) : count;
  __int128 terms = count - skipped;
  return terms * (2 * first + slope * (skipped + count - 1)) / 2;
}

__int128 MovingInterval::points(int64_t from, int64_t to) const {
  if (from > to)
    return 0;
  const Line *low = extreme(lows, from, to, 1), *high = extreme(highs, from, to, -1);
  if (low && high)
    return positiveSum(high->at(from) - low->at(from) + 1, __int128(high->slope) - low->slope,
                       __int128(to) - from + 1);
  int64_t middle = from + (to - from) / 2; // a range of one index has a line
  return points(from, middle) + points(middle + 1, to);
}

/// The product of the extents in `indices`; nothing when that does not fit.
static llvm::Optional<int64_t> product(llvm::ArrayRef<BoxIndex> indices) {
  llvm::Optional<int64_t> result = 1;
  for (const BoxIndex &index : indices)
    if (result)
      result = checkedMultiply(*result, index.extent);
  return result;
}

llvm::Optional<int64_t> op::pointsIn(llvm::ArrayRef<BoxIndex> box,
                                     llvm::ArrayRef<AffineExpr> conditions) {
  std::vector<BoxIndex> freeIndices, bound;
  for (const BoxIndex &index : box) {
    bool isNamed = llvm::any_of(
        conditions, [&](const AffineExpr &expr) { return expr.coefficient(index.name); });
    (isNamed ? bound : freeIndices).push_back(index);
  }
  llvm::Optional<int64_t> points = product(freeIndices);
  if (conditions.empty() || !points)
    return points;
  if (bound.empty()) // conditions between numbers
    return llvm::all_of(conditions, [](const AffineExpr &expr) { return expr.constant() >= 0; })
               ? *points
               : 0;
  // The longest index last, where it costs nothing.
  llvm::stable_sort(bound,
                    [](const BoxIndex &a, const BoxIndex &b) { return a.extent < b.extent; });
  llvm::Optional<int64_t> inner = PointCounter(bound, conditions).count();
  return inner ? checkedMultiply(*points, *inner) : llvm::None;
}

llvm::Optional<int64_t> op::pointsOf(StatementOp statement) {
  std::vector<BoxIndex> box;
  for (const ir::AttrDict::Entry &entry : statement.domain().entries())
    box.push_back({entry.first, entry.second.asInt()});
  return pointsIn(box, statement.constraints());
}
