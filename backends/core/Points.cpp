// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact counts of points and positions.
#include "backends/core/KernelWork.h"

#include "ir/op/Points.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;

llvm::Optional<int64_t> perfc::countPoints(op::StatementOp statement) {
  return op::pointsOf(statement);
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
