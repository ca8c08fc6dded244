// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/search/FirstFactors.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::timeloop;

static constexpr int64_t mostSteps = 1000000; ///< of one filling: some hundredths of a second
static constexpr size_t mostDecisions = 4096; ///< each may be a call in the last one

/// Of `number`, which is at most 2^40, from the largest on.
static std::vector<int64_t> divisorsOf(int64_t number) {
  std::vector<int64_t> small, all;
  for (int64_t i = 1; i <= number / i; ++i)
    if (number % i == 0)
      small.push_back(i);
  for (int64_t divisor : small)
    all.push_back(number / divisor);
  for (int64_t divisor : llvm::reverse(small))
    if (divisor != number / divisor)
      all.push_back(divisor);
  return all;
}

FirstFactors::FirstFactors(const Input &input, const Constraints &constraints,
                           Placements &placements)
    : input(input), constraints(constraints), placements(placements),
      slots(2 * static_cast<unsigned>(placements.size())), rest(input.problem.bounds),
      divisors(input.dimCount()) {}

int64_t FirstFactors::room(unsigned slot, bool alongY) const {
  const Level &child = input.level(slot / 2), &parent = input.memories[slot / 2];
  return alongY ? child.meshY / parent.meshY : child.meshX / parent.meshX;
}

bool FirstFactors::fits(unsigned slot) {
  int64_t rooms[] = {room(slot, false), room(slot, true)};
  const Nest &loops = nest(slot);
  for (unsigned place = 0; place < loops.order.size(); ++place)
    if ((rooms[place >= loops.split] /= loops.factors[loops.order[place]].end) == 0)
      return false;
  return true;
}

/// What is fixed of `dim` goes from its rest; false when that is no divisor.
bool FirstFactors::takeExact(unsigned dim) {
  for (unsigned slot = 0; slot < slots; ++slot)
    if (const llvm::Optional<int64_t> &exact = rule(slot).exact[dim]) {
      if (rest[dim] % *exact)
        return false;
      rest[dim] /= *exact;
      if (slot % 2 == 0)
        factorIn(placements, slot, dim) = *exact;
    }
  return true;
}

/// The fixed factors along the arrays, and where an axis begins in an order that is given.
void FirstFactors::addFixed() {
  for (unsigned slot = 1; slot < slots; slot += 2) {
    if (!rule(slot).inner.empty() && !rule(slot).split)
      decisions.push_back({slot, llvm::None});
    for (unsigned dim = 0; dim < input.dimCount(); ++dim)
      if (rule(slot).exact[dim].getValueOr(1) > 1)
        decisions.push_back({slot, dim});
  }
}

/// The rest of `dim`: memories from the outermost on, then arrays from the innermost on. False
/// when nothing may have any of it.
bool FirstFactors::addFree(unsigned dim) {
  size_t before = decisions.size();
  for (unsigned slot = slots; slot-- > 0;)
    if (slot % 2 == 0 && !rule(slot).exact[dim] && *rule(slot).most[dim] > 1)
      decisions.push_back({slot, dim});
  for (unsigned slot = 1; slot < slots; slot += 2)
    if (!rule(slot).exact[dim] && std::max(room(slot, false), room(slot, true)) > 1)
      decisions.push_back({slot, dim});
  return decisions.size() > before;
}

bool FirstFactors::decideSplit(size_t index) {
  Nest &loops = nest(decisions[index].slot);
  unsigned given = loops.split, ways = input.dimCount() + 1;
  for (unsigned way = 0; way < ways; ++way) {
    loops.split = (given + way) % ways;
    if (decide(index + 1))
      return true;
  }
  loops.split = given;
  return false;
}

/// The factor of a decision is in place: along one axis, and along the other.
bool FirstFactors::tryAxes(size_t index) {
  auto [slot, dim] = decisions[index];
  if (slot % 2 == 0)
    return decide(index + 1);
  bool mayTurn = rule(slot).inner.empty() && !rule(slot).split && nest(slot).factors[*dim].end > 1;
  for (unsigned axes = mayTurn ? 2 : 1; axes-- > 0;) {
    if (fits(slot) && decide(index + 1))
      return true;
    if (mayTurn)
      turn(nest(slot), *dim);
  }
  return false;
}

bool FirstFactors::decideFactor(size_t index) {
  auto [slot, dim] = decisions[index];
  int64_t &factor = factorIn(placements, slot, *dim), all = rest[*dim];
  const llvm::Optional<int64_t> &exact = rule(slot).exact[*dim];
  if (exact) {
    factor = *exact;
    if (tryAxes(index))
      return true;
  } else {
    bool isLast = index + 1 == decisions.size() || decisions[index + 1].dim != dim;
    for (int64_t divisor : divisors[*dim]) {
      ++steps;
      if (all % divisor || (isLast && divisor != all) ||
          divisor > rule(slot).most[*dim].getValueOr(all))
        continue;
      factor = divisor;
      rest[*dim] = all / divisor;
      if (tryAxes(index))
        return true;
    }
    rest[*dim] = all;
  }
  factor = 1;
  return false;
}

bool FirstFactors::decide(size_t index) {
  if (index == decisions.size())
    return true;
  deepest = std::max(deepest, index);
  if (++steps > mostSteps)
    return false;
  return decisions[index].dim ? decideFactor(index) : decideSplit(index);
}

/// The fixed factors and the rest of the dimensions `open` together.
bool FirstFactors::fill(llvm::ArrayRef<unsigned> open) {
  decisions.clear();
  deepest = 0;
  steps = 0;
  addFixed();
  for (unsigned dim : open)
    if (!addFree(dim))
      return false;
  if (decisions.size() > mostDecisions)
    steps = mostSteps;
  return decide(0);
}

llvm::Optional<NoStart> FirstFactors::run() {
  std::vector<unsigned> open;
  for (unsigned dim = 0; dim < input.dimCount(); ++dim) {
    if (!takeExact(dim))
      return NoStart{{dim}, llvm::None, false};
    llvm::Optional<unsigned> home;
    for (unsigned slot = 0; slot < slots; slot += 2)
      if (!rule(slot).exact[dim] && !rule(slot).most[dim])
        home = slot;
    if (home)
      factorIn(placements, *home, dim) = rest[dim];
    else if (rest[dim] > 1)
      open.push_back(dim);
  }
  const Placements before = placements;
  auto tryThese = [&](llvm::ArrayRef<unsigned> dims) {
    placements = before;
    return fill(dims);
  };
  // One alone that has no place is found at once, and named.
  if (!tryThese({}))
    return NoStart{
        {decisions[deepest].dim.getValueOr(0)}, decisions[deepest].slot, steps > mostSteps};
  for (unsigned dim : open) {
    divisors[dim] = divisorsOf(rest[dim]);
    int64_t whole = rest[dim];
    if (!tryThese(dim))
      return NoStart{{dim}, llvm::None, steps > mostSteps};
    rest[dim] = whole;
  }
  if (!tryThese(open))
    return NoStart{open, llvm::None, steps > mostSteps};
  return llvm::None;
}
