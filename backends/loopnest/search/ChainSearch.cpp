// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/ChainSearch.h"

#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/search/ChainBounds.h"
#include "backends/loopnest/search/TreeWalk.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <numeric>
#include <random>

using namespace perfc;
using namespace perfc::loopnest;

/// Most loops of a place whose permutations are all tried.
static constexpr unsigned mostPermuted = 6;
/// Most factors that a loop may have in the walk: more are left open.
static constexpr int64_t mostChoices = 4096;

static int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool loopnest::completeChains(const MapSpace &space, bool imperfect, Mapping &mapping) {
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t size = space.nest.dims[d].size, cover = 1;
    for (unsigned s = space.slots.size(); s-- > 0;) {
      int64_t &factor = mapping.factor[s][d];
      int64_t needed = ceilDivide(size, cover);
      factor = std::min(factor, needed);
      cover *= factor;
    }
    if (cover < size) { // the outermost memory steps over the rest
      cover /= mapping.factor[0][d];
      mapping.factor[0][d] = ceilDivide(size, cover);
      cover *= mapping.factor[0][d];
    }
    if (!imperfect && cover != size)
      return false;
  }
  return true;
}

/// How many elements of each tensor the op touches: what the outermost memory holds.
static std::vector<int64_t> elementsOf(const MapSpace &space) {
  std::vector<int64_t> elements(space.tensors.size(), 0);
  Mapping mapping = space.emptyMapping();
  AnalysisOptions options;
  options.hops = false;
  AnalysisResult result = analyse(space.withLoops(mapping), options);
  if (result.counts)
    for (unsigned t = 0; t < elements.size(); ++t)
      if (const auto &counts = result.counts->memories[0].tensors[t])
        elements[t] = counts->maxResident;
  return elements;
}

namespace {

/// One search, on one thread.
class ChainSearcher {
public:
  ChainSearcher(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                const SearchGoal &goal, const SearchOptions &options, const ChainOptions &chains,
                const NestWeigher &weigh)
      : space(space), weights(weights), rules(rules), goal(goal), options(options), chains(chains),
        weigh(weigh), choices(space, weights, rules), bounds(space, weights, elementsOf(space)),
        incumbents(goal), patience(options), random(options.seed) {}

  SearchResult run(llvm::ArrayRef<Mapping> start);

private:
  // Mappings
  bool isAllowed(const Mapping &mapping) const;
  bool fitsBounds(const Mapping &mapping) const;
  ChainNode nodeOf(const Mapping &mapping) const;
  llvm::Optional<Score> consider(const Mapping &mapping);

  // Local search
  double valueOf(const Score &score, unsigned round) const;
  Mapping neighbour(const Mapping &mapping);
  Mapping perfectNeighbour(const Mapping &mapping);
  void climb(llvm::ArrayRef<Mapping> start);

  // Branch and bound
  struct Choice {
    int64_t factor, inside;
  };
  std::vector<Choice> choicesOf(unsigned slot, unsigned dim, int64_t room);
  void dims(unsigned slot, unsigned dim, int64_t room, const Score &bound);
  void orders(unsigned slot);
  std::vector<std::array<uint8_t, maxDims>> ordersAt(unsigned slot);
  bool canFinish(unsigned slot) const;

  const MapSpace &space;
  const CostWeights &weights;
  const SlotRules &rules;
  const SearchGoal &goal;
  const SearchOptions &options;
  const ChainOptions &chains;
  const NestWeigher &weigh;
  SlotChoices choices;
  ChainBounds bounds;
  Incumbents incumbents;
  Patience patience;
  std::mt19937_64 random;
  SearchResult result;
  ChainNode node;                 ///< of the walk
  bool isPartial = false;         ///< the walk left something out without a bound of its own
  llvm::DenseSet<uint64_t> known; ///< hashes of mappings that the local search has met
};

} // namespace

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

//===-- Branch and bound
//-----------------------------------------------------------------------===//

/// The factors that dimension `dim` may have in `slot`, with what they leave inside. A chain that
/// has begun divides; one that has not begins with any product P of the loops further in.
std::vector<ChainSearcher::Choice> ChainSearcher::choicesOf(unsigned slot, unsigned dim,
                                                            int64_t room) {
  int64_t size = space.nest.dims[dim].size, whole = node.inside[slot][dim];
  bool last = slot + 1 == space.slots.size();
  std::vector<Choice> list;
  auto add = [&](int64_t factor, int64_t inside) {
    if (factor <= room && rules[slot].allows(dim, factor))
      list.push_back({factor, inside});
  };
  if (last) {
    add(whole, 1);
    return list;
  }
  bool begins = chains.imperfect && whole == size;
  if (!begins) {
    for (int64_t factor : divisors(whole))
      add(factor, whole / factor);
    return list;
  }
  add(1, whole);
  int64_t most = std::min(size - 1, mostChoices);
  isPartial |= most < size - 1;
  for (int64_t inside = most; inside >= 1; --inside)
    add(ceilDivide(size, inside), inside);
  return list;
}

/// Whether the slots from `slot` on may take what is left.
bool ChainSearcher::canFinish(unsigned slot) const {
  return choices.canTake(slot, node.inside[slot]);
}

void ChainSearcher::dims(unsigned slot, unsigned dim, int64_t room, const Score &bound) {
  if (incumbents.excludes(bound))
    return;
  if (patience.isOver()) {
    result.open.push_back(bound);
    return;
  }
  if (dim == space.dims()) {
    orders(slot);
    return;
  }
  for (const Choice &choice : choicesOf(slot, dim, room)) {
    node.mapping.factor[slot][dim] = choice.factor;
    node.inside[slot + 1][dim] = choice.inside;
    dims(slot, dim + 1, space.slots[slot].isAxis ? room / choice.factor : room, bound);
    if (patience.isOver()) {
      result.open.push_back(bound); // of the other choices
      break;
    }
  }
  node.mapping.factor[slot][dim] = 1;
}

/// Orders of a slot that may cost differently; all of them where lanes can idle.
std::vector<std::array<uint8_t, maxDims>> ChainSearcher::ordersAt(unsigned slot) {
  bool classes = !chains.imperfect && !chains.allOrders && space.isFlat;
  bool last = slot == space.memorySlot.back() && !chains.allOrders;
  bool axis = space.slots[slot].isAxis;
  if (classes || !rules[slot].orderOpen || (axis && !choices.axisOrderMatters(slot)) || last)
    return choices.orders(node.mapping, slot);
  llvm::SmallVector<uint8_t, maxDims> loops, others;
  for (uint8_t d = 0; d < space.dims(); ++d)
    (node.mapping.factor[slot][d] > 1 ? loops : others).push_back(d);
  if (loops.size() > mostPermuted) {
    isPartial = true;
    return choices.orders(node.mapping, slot);
  }
  std::vector<std::array<uint8_t, maxDims>> all;
  std::array<uint8_t, maxDims> order;
  std::iota(order.begin(), order.end(), uint8_t(0));
  do {
    std::copy(others.begin(), others.end(), order.begin());
    std::copy(loops.begin(), loops.end(), order.begin() + others.size());
    all.push_back(order);
  } while (std::next_permutation(loops.begin(), loops.end()));
  return all;
}

/// The factors of `slot` are chosen: its orders by growing bound.
void ChainSearcher::orders(unsigned slot) {
  bool complete = slot + 1 == space.slots.size();
  if (!complete) {
    if (!canFinish(slot + 1))
      return;
    const Slot &next = space.slots[slot + 1];
    const auto &capacity = weights.memories[next.isAxis ? 0 : next.number].capacityBits;
    if (!next.isAxis && capacity && bounds.leastBits(node, next.number) > double(*capacity))
      return;
  }
  struct Ordered {
    std::array<uint8_t, maxDims> order;
    Score bound;
    double key;
  };
  std::vector<Ordered> list;
  for (const auto &order : ordersAt(slot)) {
    node.mapping.order[slot] = order;
    Score bound = bounds.bound(node, slot + 1);
    if (!incumbents.excludes(bound))
      list.push_back({order, bound, valueOf(bound, 0)});
  }
  llvm::stable_sort(list, [](const Ordered &a, const Ordered &b) { return a.key < b.key; });
  for (const Ordered &entry : list) {
    if (incumbents.excludes(entry.bound))
      continue;
    if (patience.isOver()) {
      result.open.push_back(entry.bound);
      continue;
    }
    node.mapping.order[slot] = entry.order;
    if (complete)
      consider(node.mapping);
    else
      dims(slot + 1, 0, space.slots[slot + 1].isAxis ? space.slots[slot + 1].size : INT64_MAX,
           entry.bound);
  }
}

SearchResult ChainSearcher::run(llvm::ArrayRef<Mapping> start) {
  for (const Candidate &candidate : options.known)
    incumbents.add(candidate);
  node.mapping = space.emptyMapping();
  node.mapping.factor[0].fill(1);
  for (unsigned s = 0; s <= space.slots.size(); ++s)
    for (unsigned d = 0; d < space.dims(); ++d)
      node.inside[s][d] = space.nest.dims[d].size;
  Score root = bounds.bound(node, 0);
  if (!incumbents.excludes(root)) {
    climb(start);
    dims(0, 0, space.slots[0].isAxis ? space.slots[0].size : INT64_MAX, root);
  }
  if (isPartial)
    result.open.push_back(root);
  llvm::erase_if(result.open, [&](const Score &bound) { return incumbents.excludes(bound); });
  result.front = incumbents.front();
  return std::move(result);
}

SearchResult loopnest::chainSearch(const MapSpace &space, const CostWeights &weights,
                                   const SlotRules &rules, const SearchGoal &goal,
                                   const SearchOptions &options, const ChainOptions &chains,
                                   const NestWeigher &weigh, llvm::ArrayRef<Mapping> start) {
  return ChainSearcher(space, weights, rules, goal, options, chains, weigh).run(start);
}
