// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/ChainSearcher.h"

#include "ir/common/Rational.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Neighbours that are weighed side by side.
static constexpr unsigned batchSize = 16;
/// Neighbours that have not helped before it begins anew.
static constexpr unsigned mostIdle = 400;

//===-- Mappings
//-------------------------------------------------------------------------------===//

bool ChainProblem::isAllowed(const Mapping &mapping) const {
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

ChainNode ChainProblem::nodeOf(const Mapping &mapping) const {
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

bool ChainProblem::fitsBounds(const Mapping &mapping) const {
  ChainNode all = nodeOf(mapping);
  for (unsigned m = 1; m < space.lanes(); ++m) {
    const auto &capacity = weights.memories[m].capacityBits;
    if (capacity && bounds.leastBits(all, m) > double(*capacity))
      return false;
  }
  return true;
}

//===-- Local search
//---------------------------------------------------------------------------===//

double ChainProblem::valueOf(const Score &score, unsigned round) const {
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
Mapping ChainClimb::perfectNeighbour(const Mapping &mapping) {
  Mapping next = mapping;
  unsigned moves = 1 + random() % 3;
  for (unsigned k = 0; k < moves; ++k) {
    unsigned d = random() % space.dims(), s = random() % space.slots.size();
    unsigned other = random() % space.slots.size();
    if (random() % 3 == 0 && !space.slots[s].isAxis && problem.rules[s].orderOpen) {
      std::swap(next.order[s][d], next.order[s][random() % space.dims()]);
    } else if (int64_t &factor = next.factor[s][d]; factor > 1) {
      int64_t prime = primeOf(factor);
      factor /= prime;
      next.factor[other][d] *= prime;
    }
  }
  return next;
}

Mapping ChainClimb::neighbour(const Mapping &mapping) {
  if (!problem.chains.imperfect)
    return perfectNeighbour(mapping);
  Mapping next = mapping;
  unsigned moves = 1 + random() % 2;
  for (unsigned k = 0; k < moves; ++k) {
    unsigned d = random() % space.dims(), s = random() % space.slots.size();
    int64_t size = space.nest.dims[d].size;
    if (random() % 4 == 0 && !space.slots[s].isAxis && problem.rules[s].orderOpen) {
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
    default: // small ones as likely as large ones
      factor = 1 + int64_t(random() % (uint64_t(most) >> random() % (llvm::Log2_64(most) + 1)));
    }
    // Another place makes room.
    if (unsigned other = random() % space.slots.size(); other != s && random() % 2)
      next.factor[other][d] = random() % 2 ? 1 : ceilDivide(next.factor[other][d], 2);
  }
  return next;
}

/// With the orders that rules fix; neighbours keep them.
Mapping ChainClimb::inFixedOrders(Mapping mapping) const {
  for (unsigned s = 0; s < space.slots.size(); ++s)
    if (!problem.rules[s].orderOpen)
      mapping.order[s] = problem.choices.orders(mapping, s).front();
  return mapping;
}

/// Where it begins: the mappings of `start`, and all loops at the outermost memory.
std::vector<Mapping> ChainClimb::begins(llvm::ArrayRef<Mapping> start) const {
  std::vector<Mapping> list;
  for (const Mapping &mapping : start)
    list.push_back(inFixedOrders(mapping));
  list.push_back(inFixedOrders(space.emptyMapping()));
  return list;
}

/// Weighs mappings side by side and keeps what is good, in their order.
std::vector<llvm::Optional<Score>> ChainClimb::weigh(llvm::ArrayRef<Mapping> mappings) {
  std::vector<llvm::Optional<Score>> scores(mappings.size());
  workers.run(mappings.size(), [&](unsigned worker, size_t i) {
    bool isUnknown = false;
    scores[i] = problem.weigh(space.withLoops(mappings[i]), worker, isUnknown);
  });
  for (size_t i = 0; i < mappings.size(); ++i)
    if (scores[i])
      incumbents.add({mappings[i], *scores[i]}, problem.options.onBetter);
  weighed += static_cast<int64_t>(mappings.size());
  return scores;
}

/// Whether a neighbour of a mapping that costs `score` is legal, new and maybe better.
bool ChainClimb::isWorthy(const Mapping &mapping, const llvm::Optional<Score> &score) {
  if (!problem.isAllowed(mapping) || !problem.fitsBounds(mapping))
    return false;
  if (!known.insert(hashOf(mapping)).second)
    return false;
  if (!score || problem.goal.kind != SearchGoal::Scalar)
    return true;
  Score bound = problem.bounds.bound(problem.nodeOf(mapping), space.slots.size());
  return problem.goal.value(bound) < problem.goal.value(*score);
}

int64_t ChainClimb::run(llvm::ArrayRef<Mapping> start) {
  std::vector<Mapping> first = begins(start), legal;
  for (const Mapping &begin : first)
    if (problem.isAllowed(begin) && problem.fitsBounds(begin))
      legal.push_back(begin);
  weigh(legal);
  int64_t last = static_cast<int64_t>(first.size()) + problem.chains.probes, tries = 0;
  for (unsigned round = 0; weighed < last && tries < 40 * int64_t(problem.chains.probes); ++round) {
    const std::vector<Candidate> &front = incumbents.front();
    // What is known may be from outside of the rules.
    Mapping best = front.empty() ? first[round % first.size()]
                                 : inFixedOrders(front[round % front.size()].mapping);
    llvm::Optional<Score> score;
    if (problem.isAllowed(best) && problem.fitsBounds(best))
      score = weigh(best).front();
    for (unsigned idle = 0; idle < mostIdle && weighed < last;) {
      std::vector<Mapping> batch;
      for (; idle < mostIdle && batch.size() < batchSize; ++idle, ++tries) {
        if (patience.isOver() && !incumbents.front().empty())
          return weighed;
        Mapping next = neighbour(best);
        if (completeChains(space, problem.chains.imperfect, next) && isWorthy(next, score))
          batch.push_back(next);
      }
      std::vector<llvm::Optional<Score>> scores = weigh(batch);
      for (size_t i = 0; i < batch.size(); ++i)
        if (scores[i] &&
            (!score || problem.valueOf(*scores[i], round) < problem.valueOf(*score, round))) {
          score = scores[i];
          best = batch[i];
          idle = 0;
        }
    }
  }
  return weighed;
}
