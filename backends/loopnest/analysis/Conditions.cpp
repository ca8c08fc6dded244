// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Conditions.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// Of a dimension, both ends included.
struct Range {
  int64_t low, high;
};

} // namespace

static __int128 floorDivide(__int128 a, __int128 b) { return a / b - (a % b < 0); }

/// The largest value of a term.
static __int128 most(const Term &term, llvm::ArrayRef<Range> ranges) {
  const Range &range = ranges[term.dim];
  return __int128(term.coefficient) * (term.coefficient > 0 ? range.high : range.low);
}

/// What the others of its terms leave of the range of each dimension of `condition`. Coefficients
/// are above or below 0.
static void narrow(const Subscript &condition, std::vector<Range> &ranges) {
  __int128 sum = condition.constant;
  for (const Term &term : condition.terms)
    sum += most(term, ranges);
  for (const Term &term : condition.terms) {
    __int128 others = sum - most(term, ranges), size = std::abs(term.coefficient);
    Range &range = ranges[term.dim];
    if (term.coefficient > 0) // x >= -others / size
      range.low = int64_t(std::max<__int128>(range.low, -floorDivide(others, size)));
    else
      range.high = int64_t(std::min<__int128>(range.high, floorDivide(others, size)));
    sum = others + most(term, ranges);
  }
}

/// The ranges that all conditions leave; empty where nothing is left of one.
static std::vector<Range> rangesOf(const Nest &nest) {
  std::vector<Range> ranges;
  for (const Dim &dim : nest.dims)
    ranges.push_back({0, dim.size - 1});
  for (size_t round = 0; round <= nest.conditions.size(); ++round)
    for (const Subscript &condition : nest.conditions) {
      narrow(condition, ranges);
      for (const Range &range : ranges)
        if (range.low > range.high)
          return {};
    }
  return ranges;
}

/// Loops of a dimension, outermost first.
static std::vector<Loop *> loopsOf(Nest &nest, unsigned dim) {
  std::vector<Loop *> loops;
  for (Place &place : nest.places)
    for (Loop &loop : place.loops)
      if (loop.drives.front().dim == dim)
        loops.push_back(&loop);
  return loops;
}

/// Index `dim` counts from `start` on.
static void shift(Nest &nest, unsigned dim, int64_t start) {
  auto move = [&](Subscript &expr) {
    for (const Term &term : expr.terms)
      if (term.dim == dim)
        expr.constant += term.coefficient * start;
  };
  for (Tensor &tensor : nest.tensors)
    llvm::for_each(tensor.ranks, move);
  llvm::for_each(nest.conditions, move);
}

static void trim(Nest &nest, unsigned dim, Range range) {
  std::vector<Loop *> loops = loopsOf(nest, dim);
  int64_t step = 1;
  for (const Loop *loop : loops)
    step *= loop->factor;
  for (Loop *loop : loops) {
    step /= loop->factor;
    int64_t first = range.low / step, last = range.high / step;
    loop->factor = last - first + 1;
    shift(nest, dim, first * step);
    int64_t &size = nest.dims[dim].size;
    size = std::min(size - first * step, loop->factor * step);
    range.low -= first * step;
    range.high -= first * step;
    if (loop->factor > 1)
      return;
  }
}

Nest loopnest::trimmed(const Nest &nest) {
  Nest result = nest;
  for (const Place &place : nest.places)
    for (const Loop &loop : place.loops)
      if (loop.drives.size() != 1 || loop.drives.front().step)
        return result;
  std::vector<Range> ranges = rangesOf(nest);
  for (unsigned dim = 0; dim < ranges.size(); ++dim)
    trim(result, dim, ranges[dim]);
  auto holds = [&](const Subscript &condition) {
    __int128 least = condition.constant;
    for (const Term &term : condition.terms)
      least += std::min<__int128>(0, __int128(term.coefficient) * (result.dims[term.dim].size - 1));
    return least >= 0;
  };
  if (!ranges.empty())
    llvm::erase_if(result.conditions, holds);
  return result;
}
