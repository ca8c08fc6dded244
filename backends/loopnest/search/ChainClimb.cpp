// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/ChainSearcher.h"

#include "llvm/Support/xxhash.h"

using namespace perfc;
using namespace perfc::loopnest;

static int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

//===-- Mappings
//-------------------------------------------------------------------------------===//

bool ChainSearcher::isAllowed(const Mapping &mapping) const {
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    int64_t product = 1;
    for (unsigned d = 0; d < space.dims(); ++d) {
      int64_t factor = mapping.factor[s][d];
      if (!rules[s].allows(d, factor))
        return false;
      if (space.slots[s].isAxis && factor > space.slots[s].size / product)
        return false;
      product = space.slots[s].isAxis ? product * factor : 1;
    }
  }
  return true;
}

ChainNode ChainSearcher::nodeOf(const Mapping &mapping) const {
  ChainNode result;
  result.mapping = mapping;
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t cover = 1;
    for (unsigned s = space.slots.size() + 1; s-- > 0;) {
      if (s < space.slots.size())
        cover *= mapping.factor[s][d];
      result.inside[s][d] = std::min(cover, space.nest.dims[d].size);
    }
  }
  return result;
}

bool ChainSearcher::fitsBounds(const Mapping &mapping) const {
  ChainNode all = nodeOf(mapping);
  for (unsigned m = 1; m < space.lanes(); ++m) {
    const auto &capacity = weights.memories[m].capacityBits;
    if (capacity && bounds.leastBits(all, m) > double(*capacity))
      return false;
  }
  return true;
}

/// Weighs a complete mapping and keeps it if it is good.
llvm::Optional<Score> ChainSearcher::consider(const Mapping &mapping) {
  ++result.evaluated;
  llvm::Optional<Score> score = weigh(space.withLoops(mapping));
  if (score)
    incumbents.add({mapping, *score});
  return score;
}

//===-- Local search
//---------------------------------------------------------------------------===//

/// Rounds go for different weights of energy and latency where more than one number counts.
double ChainSearcher::valueOf(const Score &score, unsigned round) const {
  if (goal.kind == SearchGoal::Scalar)
    return goal.value(score);
  double latency = score.latency;
  return score.energy * (round % 3 == 0   ? latency
                         : round % 3 == 1 ? 1
                                          : latency * latency * latency * latency);
}

static uint64_t hashOf(const Mapping &mapping) {
  return llvm::xxHash64(llvm::StringRef(reinterpret_cast<const char *>(&mapping), sizeof mapping));
}

/// A prime factor of `number`, which is larger than 1.
static int64_t primeOf(int64_t number) {
  for (int64_t prime = 2; prime <= number / prime; ++prime)
    if (number % prime == 0)
      return prime;
  return number;
}

/// A prime factor goes to another place, or two loops change places.
Mapping ChainSearcher::perfectNeighbour(const Mapping &mapping) {
  Mapping next = mapping;
  unsigned moves = 1 + random() % 3;
  for (unsigned k = 0; k < moves; ++k) {
    unsigned d = random() % space.dims(), s = random() % space.slots.size();
    unsigned other = random() % space.slots.size();
    if (random() % 3 == 0 && !space.slots[s].isAxis && rules[s].orderOpen) {
      std::swap(next.order[s][d], next.order[s][random() % space.dims()]);
    } else if (int64_t &factor = next.factor[s][d]; factor > 1) {
      int64_t prime = primeOf(factor);
      factor /= prime;
      next.factor[other][d] *= prime;
    }
  }
  return next;
}

Mapping ChainSearcher::neighbour(const Mapping &mapping) {
  if (!chains.imperfect)
    return perfectNeighbour(mapping);
  Mapping next = mapping;
  unsigned moves = 1 + random() % 2;
  for (unsigned k = 0; k < moves; ++k) {
    unsigned d = random() % space.dims(), s = random() % space.slots.size();
    int64_t size = space.nest.dims[d].size;
    if (random() % 4 == 0 && !space.slots[s].isAxis && rules[s].orderOpen) {
      unsigned i = random() % space.dims(), j = random() % space.dims();
      std::swap(next.order[s][i], next.order[s][j]);
      continue;
    }
    int64_t &factor = next.factor[s][d];
    int64_t most = space.slots[s].isAxis ? std::min(size, space.slots[s].size) : size;
    switch (random() % 5) {
    case 0:
      factor = std::min(most, factor + 1);
      break;
    case 1:
      factor = std::max<int64_t>(1, factor - 1);
      break;
    case 2:
      factor = std::min(most, factor * 2);
      break;
    case 3: { // to another place
      unsigned other = random() % space.slots.size();
      std::swap(factor, next.factor[other][d]);
      break;
    }
    default:
      factor = 1 + int64_t(random() % uint64_t(most));
    }
    // Another place makes room.
    if (unsigned other = random() % space.slots.size(); other != s && random() % 2)
      next.factor[other][d] = random() % 2 ? 1 : ceilDivide(next.factor[other][d], 2);
  }
  return next;
}

/// Steps to better neighbours; begins anew from the best where many have not helped.
void ChainSearcher::climb(llvm::ArrayRef<Mapping> start) {
  std::vector<Mapping> begins(start.begin(), start.end());
  Mapping outside = space.emptyMapping();
  for (unsigned s = 0; s < space.slots.size(); ++s)
    if (!rules[s].orderOpen)
      outside.order[s] = choices.orders(outside, s).front();
  begins.push_back(outside);
  int64_t last = result.evaluated + chains.probes;
  for (const Mapping &begin : begins)
    if (isAllowed(begin) && fitsBounds(begin))
      consider(begin);
  unsigned round = 0;
  for (int64_t tries = 0; result.evaluated < last && tries < 40 * int64_t(chains.probes); ++round) {
    const std::vector<Candidate> &front = incumbents.front();
    Mapping best =
        front.empty() ? begins[round % begins.size()] : front[round % front.size()].mapping;
    llvm::Optional<Score> score;
    if (isAllowed(best) && fitsBounds(best))
      score = consider(best);
    for (unsigned idle = 0; idle < 400 && result.evaluated < last; ++idle, ++tries) {
      if (patience.isOver() && !incumbents.front().empty())
        return;
      Mapping next = neighbour(best);
      if (!completeChains(space, chains.imperfect, next) || !isAllowed(next) || !fitsBounds(next))
        continue;
      if (!known.insert(hashOf(next)).second)
        continue;
      if (score && goal.kind == SearchGoal::Scalar) {
        ChainNode all = nodeOf(next);
        if (goal.value(bounds.bound(all, space.slots.size())) >= goal.value(*score))
          continue;
      }
      llvm::Optional<Score> other = consider(next);
      if (other && (!score || valueOf(*other, round) < valueOf(*score, round))) {
        score = other;
        best = next;
        idle = 0;
      }
    }
  }
}
