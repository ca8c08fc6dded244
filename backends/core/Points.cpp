// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact counts of points and positions. Indices that no condition names multiply; of the others the
// last is an interval for each setting of those before it, so a triangle of side n costs n steps.
#include "backends/core/KernelWork.h"

#include "ir/common/Rational.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <algorithm>
#include <map>

using namespace perfc;

namespace {
struct Index {
  llvm::StringRef name;
  int64_t extent;
};

/// Conditions over a few indices, as rows of numbers: constant + sum of coefficient * index >= 0.
class PointCounter {
public:
  PointCounter(llvm::ArrayRef<Index> indices, llvm::ArrayRef<AffineExpr> constraints)
      : indices(indices) {
    for (const AffineExpr &constraint : constraints) {
      std::vector<int64_t> row;
      for (const Index &index : indices)
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

  llvm::ArrayRef<Index> indices;
  std::vector<std::vector<int64_t>> rows;
  std::vector<int64_t> constants;
};
} // namespace

/// The product of the extents in `indices`; nothing when that does not fit.
static llvm::Optional<int64_t> product(llvm::ArrayRef<Index> indices) {
  llvm::Optional<int64_t> result = 1;
  for (const Index &index : indices)
    if (result)
      result = checkedMultiply(*result, index.extent);
  return result;
}

llvm::Optional<int64_t> perfc::countPoints(op::StatementOp statement) {
  std::vector<AffineExpr> constraints = statement.constraints();
  std::vector<Index> freeIndices, bound;
  for (const ir::AttrDict::Entry &entry : statement.domain().entries()) {
    Index index{entry.first, entry.second.asInt()};
    bool isNamed = llvm::any_of(
        constraints, [&](const AffineExpr &expr) { return expr.coefficient(index.name); });
    (isNamed ? bound : freeIndices).push_back(index);
  }
  llvm::Optional<int64_t> points = product(freeIndices);
  if (constraints.empty() || !points)
    return points;
  if (bound.empty()) // conditions between numbers
    return llvm::all_of(constraints, [](const AffineExpr &expr) { return expr.constant() >= 0; })
               ? *points
               : 0;
  // The longest index last, where it costs nothing.
  llvm::stable_sort(bound, [](const Index &a, const Index &b) { return a.extent < b.extent; });
  llvm::Optional<int64_t> inner = PointCounter(bound, constraints).count();
  return inner ? checkedMultiply(*points, *inner) : llvm::None;
}

//===-- Positions
//------------------------------------------------------------------------------===//

namespace {
struct Term {
  int64_t step;
  int64_t count;
};
} // namespace

/// Multiples of `stride` in [first, first + (length-1)*stride] that lie in [0, size).
static int64_t clippedCount(int64_t first, int64_t stride, int64_t length, int64_t size) {
  auto ceilDivide = [](int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); };
  int64_t from = std::max<int64_t>(0, ceilDivide(-first, stride));
  int64_t to = std::min(length, ceilDivide(size - first, stride));
  return std::max<int64_t>(0, to - from);
}

/// All sums of the terms, each marked once. Bounded by the caller.
static int64_t enumerated(int64_t first, llvm::ArrayRef<Term> terms, int64_t size) {
  std::vector<int64_t> values = {first};
  for (const Term &term : terms) {
    std::vector<int64_t> next;
    for (int64_t i = 0; i < term.count; ++i)
      for (int64_t value : values)
        next.push_back(value + i * term.step);
    llvm::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    values = std::move(next);
  }
  return llvm::count_if(values, [&](int64_t value) { return value >= 0 && value < size; });
}

int64_t perfc::touchedPositions(const AffineExpr &subscript, const ir::AttrDict &domain,
                                int64_t size) {
  int64_t first = subscript.constant();
  std::vector<Term> terms;
  for (const AffineExpr::Term &term : subscript.terms()) {
    const ir::Attribute *extent = domain.find(term.name);
    int64_t count = extent ? extent->asInt() : 1;
    if (count <= 0)
      return 0;
    if (term.coefficient < 0) // the same positions, counted from the other end
      first += term.coefficient * (count - 1);
    terms.push_back({std::abs(term.coefficient), count});
  }
  if (terms.empty())
    return first >= 0 && first < size;
  llvm::sort(terms, [](const Term &a, const Term &b) { return a.step < b.step; });
  // Steps of one stride, as long as each term continues where those before it end.
  int64_t stride = terms.front().step, length = terms.front().count;
  constexpr double maxEnumerated = 1 << 20;
  double combinations = static_cast<double>(length);
  for (size_t i = 1; i < terms.size(); ++i) {
    combinations *= static_cast<double>(terms[i].count);
    bool continues = terms[i].step % stride == 0 && terms[i].step / stride <= length;
    if (!continues && combinations <= maxEnumerated)
      return enumerated(first, terms, size);
    length += (terms[i].count - 1) * (terms[i].step / stride); // else the hull
  }
  return clippedCount(first, stride, length, size);
}
