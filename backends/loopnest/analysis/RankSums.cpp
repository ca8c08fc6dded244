// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/RankSums.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

Rank loopnest::normalise(const Nest &nest, const Subscript &subscript) {
  Rank rank{{}, subscript.constant, llvm::None, subscript.constant, subscript.constant};
  for (const Term &term : subscript.terms) {
    auto same = std::find_if(rank.terms.begin(), rank.terms.end(),
                             [&](const Term &t) { return t.dim == term.dim; });
    if (same != rank.terms.end())
      same->coefficient += term.coefficient;
    else
      rank.terms.push_back(term);
  }
  llvm::erase_if(rank.terms,
                 [&](const Term &t) { return !t.coefficient || nest.dims[t.dim].size == 1; });
  for (const Term &term : rank.terms) {
    int64_t reach = term.coefficient * (nest.dims[term.dim].size - 1);
    (reach < 0 ? rank.low : rank.high) += reach;
  }
  if (subscript.extent && (rank.low < 0 || rank.high >= *subscript.extent))
    rank.extent = subscript.extent;
  return rank;
}

/// Largest integer q with q * divisor <= value, divisor > 0.
static int64_t floorDivide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0);
}

IndexRange loopnest::unpadded(const Rank &rank, int64_t size) {
  if (!rank.extent)
    return {0, size};
  int64_t c = rank.terms.front().coefficient;
  int64_t first = -rank.constant, last = *rank.extent - 1 - rank.constant; // first <= c*i <= last
  if (c < 0) {
    std::swap(first, last);
    first = -first;
    last = -last;
    c = -c;
  }
  return {std::max<int64_t>(-floorDivide(-first, c), 0),
          std::min<int64_t>(floorDivide(last, c) + 1, size)};
}

RankSums loopnest::unusedDim(const Digits &digits, const Transition &transition,
                             const JointLoops &joint) {
  Digits::Choices choices;
  for (const Digit &digit : digits.list())
    choices.push_back(!digit.parallel     ? transition.choice(digit.loop, digit.factor)
                      : joint[digit.loop] ? Choice::only(0)
                                          : Choice::any(digit.factor));
  int64_t count = digits.countBelow(digits.size(), choices);
  return {count, count};
}

namespace {

/// Starts from which no larger one can be reached by the loops in time inside the one that
/// advances: seen by the level itself, and by levels further out, whose starts lack the digits of
/// the parallel loops between. There the tile is the same before and after.
class Standing {
public:
  Standing(const LevelDigits &digits, unsigned dim, const Transition &transition,
           llvm::ArrayRef<unsigned> outer, IndexRange range, Digits::Choices choices);
  /// Sum of |tile & range| over them.
  int64_t covered() { return visit(0, 0); }

private:
  int64_t visit(unsigned position, int64_t start);
  int64_t restrictionAt(unsigned digits, unsigned loops, const Transition &transition) const;

  const Digits &digits;
  IndexRange range;
  Digits::Choices choices;
  std::vector<int64_t> least; ///< by number of digits fixed: smallest admitted start so far
};

} // namespace

/// With the first `count` digits, of loops in time below `loops` only: the start must be at least
/// this, lest the innermost loop that starts again had another value before.
int64_t Standing::restrictionAt(unsigned count, unsigned loops,
                                const Transition &transition) const {
  int64_t step = 0;
  for (const Digit &digit : digits.list().take_front(count))
    if (!digit.parallel && transition.restarts(digit.loop) && digit.loop < loops)
      step = digit.step;
  return step ? digits.size() - step : 0;
}

Standing::Standing(const LevelDigits &level, unsigned dim, const Transition &transition,
                   llvm::ArrayRef<unsigned> outer, IndexRange range, Digits::Choices given)
    : digits(level.dims[dim]), range(range), choices(std::move(given)) {
  llvm::ArrayRef<Digit> list = digits.list();
  least.assign(list.size() + 1, 0);
  auto restrict = [&](unsigned other) {
    const FlatLevel &l = level.flat->levels[other];
    unsigned count = llvm::count_if(
        list, [&](const Digit &d) { return d.loop < (d.parallel ? l.parallel : l.temporal); });
    least[count] = std::max(least[count], restrictionAt(count, l.temporal, transition));
  };
  restrict(transition.level);
  for (unsigned other : outer)
    restrict(other);
  for (unsigned i = list.size(); i-- > 0;) {
    least[i] = std::max(least[i], least[i + 1] - (choices[i].end - 1) * list[i].step);
  }
}

int64_t Standing::visit(unsigned position, int64_t start) {
  if (start >= digits.size() || start < least[position])
    return 0;
  if (position == choices.size())
    return std::max<int64_t>(0, std::min({start + digits.tile(), digits.size(), range.high}) -
                                    std::max(start, range.low));
  const Digit &digit = digits.list()[position];
  int64_t missing = least[position + 1] - start;
  int64_t first =
      std::max(choices[position].first, missing <= 0 ? 0 : (missing - 1) / digit.step + 1);
  int64_t end = std::min(choices[position].end, (digits.size() - 1 - start) / digit.step + 1);
  int64_t sum = 0;
  for (int64_t i = first; i < end; ++i)
    sum += visit(position + 1, start + i * digit.step);
  return sum;
}

RankSums loopnest::plainRank(const LevelDigits &level, const Rank &rank,
                             const Transition &transition, llvm::ArrayRef<unsigned> outer,
                             llvm::ArrayRef<FixedDigit> fixed) {
  if (rank.terms.empty()) {
    int64_t one = rank.extent ? 0 : 1;
    return {one, one};
  }
  unsigned dim = rank.terms.front().dim;
  const Digits &digits = level.dims[dim];
  IndexRange range = unpadded(rank, digits.size());
  Digits::Choices choices;
  bool carried = false, restarts = false;
  for (const Digit &digit : digits.list()) {
    choices.push_back(digit.parallel ? Choice::any(digit.factor)
                                     : transition.choice(digit.loop, digit.factor));
    carried |= !digit.parallel && transition.advances(digit.loop);
    restarts |= !digit.parallel && transition.restarts(digit.loop);
  }
  for (const FixedDigit &digit : fixed)
    choices[digit.position] = Choice::only(digit.value);
  int64_t all = digits.covered(range.low, range.high, digits.size(), choices);
  if (!transition.hasPrevious() || carried)
    return {all, 0};
  if (!restarts)
    return {all, all};
  return {all, Standing(level, dim, transition, outer, range, choices).covered()};
}
