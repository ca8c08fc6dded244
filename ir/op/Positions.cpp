// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/op/Positions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace perfc;

namespace {
/// The values 0, step, …, (count-1) * step; step > 0.
struct Term {
  int64_t step;
  int64_t count;
};
} // namespace

/// One more than the largest sum of the terms.
static int64_t spanOf(llvm::ArrayRef<Term> terms) {
  int64_t span = 1;
  for (const Term &term : terms)
    span += term.step * (term.count - 1);
  return span;
}

/// Multiples of `step` among `count` from 0 on that lie in [from, to).
static int64_t countMultiples(int64_t step, int64_t count, int64_t from, int64_t to) {
  auto below = [&](int64_t end) { return end <= 0 ? 0 : std::min(count, (end - 1) / step + 1); };
  return std::max<int64_t>(0, below(to) - below(from));
}

/// Sums of the terms in [from, to), by marking: a value is one if some sum without the term lies a
/// number of steps below that the term has.
static int64_t countMarked(llvm::ArrayRef<Term> terms, int64_t from, int64_t to) {
  int64_t span = spanOf(terms);
  std::vector<bool> marked(static_cast<size_t>(span), false);
  marked[0] = true;
  std::vector<int32_t> stepsAbove(marked.size());
  for (const Term &term : terms)
    for (int64_t value = 0; value < span; ++value) {
      int32_t &steps = stepsAbove[value];
      if (marked[value])
        steps = 0;
      else if (value < term.step || stepsAbove[value - term.step] + 1 >= term.count)
        steps = static_cast<int32_t>(span); // none near enough
      else
        steps = stepsAbove[value - term.step] + 1;
      marked[value] = steps < term.count;
    }
  from = std::clamp<int64_t>(from, 0, span);
  to = std::clamp<int64_t>(to, from, span);
  return std::count(marked.begin() + from, marked.begin() + to, true);
}

/// Sums of the terms, ascending by step, in [from, to).
static int64_t countSums(llvm::ArrayRef<Term> terms, int64_t from, int64_t to) {
  const Term &last = terms.back();
  llvm::ArrayRef<Term> inner = terms.drop_back();
  if (inner.empty())
    return countMultiples(last.step, last.count, from, to);
  int64_t span = spanOf(inner);
  if (last.step < span) { // copies of the inner sums overlap
    constexpr int64_t mostMarked = 1 << 24;
    int64_t reach = spanOf(terms);
    if (reach <= mostMarked)
      return countMarked(terms, from, to);
    return std::max<int64_t>(0, std::min(to, reach) - std::max<int64_t>(from, 0)); // the hull
  }
  // Whole copies count alike; at most one is cut by each end of the window.
  int64_t first = std::max<int64_t>(0, from <= 0 ? 0 : (from - 1) / last.step + 1);
  int64_t end = to < span ? 0 : std::min(last.count, (to - span) / last.step + 1);
  int64_t count = 0;
  if (first < end)
    count += (end - first) * countSums(inner, 0, span);
  auto cut = [&](int64_t copy) {
    int64_t low = copy * last.step;
    count += countSums(inner, from - low, to - low);
  };
  if (first > 0 && first - 1 < last.count)
    cut(first - 1);
  end = std::max(first, end);
  if (end < last.count && end * last.step < to)
    cut(end);
  return count;
}

/// Sorts the terms by step and joins those that go on where others end: one progression.
static void joinTerms(llvm::SmallVectorImpl<Term> &terms) {
  if (terms.size() == 1)
    return;
  llvm::sort(terms, [](const Term &a, const Term &b) { return a.step < b.step; });
  llvm::SmallVector<Term, 4> joined;
  for (const Term &term : terms) {
    if (!joined.empty() && term.step % joined.back().step == 0 &&
        term.step / joined.back().step <= joined.back().count)
      joined.back().count += (term.count - 1) * (term.step / joined.back().step);
    else
      joined.push_back(term);
  }
  terms = std::move(joined);
}

int64_t op::touchedPositions(const AffineExpr &subscript, const ir::AttrDict &domain,
                             int64_t size) {
  int64_t first = subscript.constant();
  llvm::SmallVector<Term, 4> terms;
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
  joinTerms(terms);
  return countSums(terms, -first, size - first);
}
