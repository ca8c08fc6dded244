// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/PlainSearch.h"

#include "backends/loopnest/search/FactorWalk.h"
#include "backends/loopnest/search/OrderTables.h"
#include "backends/loopnest/search/TreeWalk.h"
#include "backends/loopnest/search/Workers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

/// Combinations of orders for which tables are filled; fewer and more are evaluated one by one.
static constexpr double fewestForTables = 8, mostForTables = 1e6;
/// Factors that are weighed before what they bring is merged: at least so many, then until their
/// mappings are many, and at most so many; and how many of them go to a worker together.
static constexpr size_t fewestSets = 64, mostSets = 4096, setsPerItem = 16;
static constexpr double manyMappings = 1e6;
/// Orders of factors that chance has drawn which are weighed together.
static constexpr double mostDrawnOrders = 4096;
/// And of any factors; nobody gets to the end of so many.
static constexpr double mostOfSet = 0x1p62;
/// Draws in a row that bring nothing new before a random search ends.
static constexpr unsigned mostIdleDraws = 5000;
/// Steps that counting a mapspace may take.
static constexpr int64_t mostCountSteps = 500000;

namespace {

/// Factors, with the orders of them that are to be weighed.
struct FactorSet {
  Mapping mapping;
  int64_t most;      ///< of its orders
  uint64_t from = 0; ///< number of the first
};

/// All orders of the loops that slots have, where the rules leave them open; without `all`, lanes
/// on arrays whose links cost nothing have one.
class Permutations {
public:
  Permutations(const MapSpace &space, const SlotRules &rules, const CostWeights &weights, bool all)
      : space(space), rules(rules) {
    for (unsigned s = 0; s < space.slots.size(); ++s)
      isOpen.push_back(rules[s].orderOpen && (all || !space.slots[s].isAxis ||
                                              weights.arrays[space.slots[s].number].hasHops()));
  }

  double count(const Mapping &mapping, unsigned slot) const {
    double product = 1;
    for (unsigned d = 0, loops = 0; d < space.dims() && isOpen[slot]; ++d)
      product *= mapping.factor[slot][d] > 1 ? ++loops : 1;
    return product;
  }
  /// Calls `visit` with `mapping` in each combination from `slot` on until it returns false.
  bool forEach(Mapping &mapping, unsigned slot, llvm::function_ref<bool()> visit) const;
  /// One combination, by chance.
  void draw(Mapping &mapping, std::mt19937_64 &random) const;

private:
  llvm::SmallVector<uint8_t, maxDims> loopsOf(const Mapping &mapping, unsigned slot) const;
  void set(Mapping &mapping, unsigned slot, llvm::ArrayRef<uint8_t> loops) const;

  const MapSpace &space;
  const SlotRules &rules;
  llvm::SmallVector<bool, maxSlots> isOpen; ///< by slot
};

/// What one thread weighs mappings with.
class Weigher {
public:
  Weigher(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
          const SearchOptions &options, const PlainOptions &plain, unsigned thread)
      : space(space), plain(plain), permutations(space, rules, weights, plain.allOrders),
        walk(space, rules, &weights), patience(options), thread(thread) {
    if (plain.weigh)
      return;
    evaluator.emplace(space, weights);
    tables.emplace(*evaluator, rules);
  }
  /// Weighs the orders of `set`; how many there were. What is good goes to `found`.
  int64_t visit(const FactorSet &set, Incumbents &found);
  bool isUnknown = false; ///< some mapping could not be counted

private:
  llvm::Optional<Score> score(const Mapping &mapping);

  const MapSpace &space;
  const PlainOptions &plain;
  Permutations permutations;
  OrderWalk walk;
  llvm::Optional<MappingEvaluator> evaluator;
  llvm::Optional<OrderTables> tables;
  Patience patience;
  unsigned thread;
};

class PlainSearcher {
public:
  PlainSearcher(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                const SearchGoal &goal, const SearchOptions &options, const PlainOptions &plain)
      : space(space), weights(weights), rules(rules), options(options), plain(plain),
        incumbents(goal), permutations(space, rules, weights, plain.allOrders),
        orders(space, rules, &weights), patience(options),
        factors(space, weights, rules, plain.imperfect, !plain.weigh,
                [this] { return !patience.isOver(); }),
        workers(std::max(1u, options.threads)), left(options.mostEvaluations) {
    for (unsigned thread = 0; thread < std::max(1u, options.threads); ++thread)
      weighers.push_back(std::make_unique<Weigher>(space, weights, rules, options, plain, thread));
  }
  SearchResult run();

private:
  bool permutes() const { return plain.weigh || plain.allOrders; }
  double ordersAt(const Mapping &mapping, unsigned slot);
  bool add(const Mapping &mapping, double most, uint64_t chance = 0);
  llvm::Optional<double> countAll();
  void drawAll();
  void addStart();
  bool flush();

  const MapSpace &space;
  const CostWeights &weights;
  const SlotRules &rules;
  const SearchOptions &options;
  const PlainOptions &plain;
  Incumbents incumbents;
  Permutations permutations;
  OrderWalk orders;
  Patience patience;
  FactorWalk factors;
  Workers workers;
  std::vector<std::unique_ptr<Weigher>> weighers; ///< by thread
  std::vector<FactorSet> sets;                    ///< that wait
  double waiting = 0;                             ///< their mappings
  double planned = 0;                             ///< mappings so far
  int64_t left;                                   ///< that may still be weighed
  SearchResult result;
};

} // namespace

//===-- Orders
//-----------------------------------------------------------------------------------===//

llvm::SmallVector<uint8_t, maxDims> Permutations::loopsOf(const Mapping &mapping,
                                                          unsigned slot) const {
  llvm::SmallVector<uint8_t, maxDims> loops;
  for (unsigned i = 0; i < space.dims(); ++i) {
    bool isFixed = !rules[slot].orderOpen && i < rules[slot].order.size();
    unsigned d = isFixed ? rules[slot].order[i] : i;
    if (mapping.factor[slot][d] > 1)
      loops.push_back(static_cast<uint8_t>(d));
  }
  return loops;
}

/// Dimensions without a loop come first.
void Permutations::set(Mapping &mapping, unsigned slot, llvm::ArrayRef<uint8_t> loops) const {
  unsigned at = 0;
  for (uint8_t d = 0; d < space.dims(); ++d)
    if (mapping.factor[slot][d] == 1)
      mapping.order[slot][at++] = d;
  std::copy(loops.begin(), loops.end(), mapping.order[slot].begin() + at);
}

bool Permutations::forEach(Mapping &mapping, unsigned slot,
                           llvm::function_ref<bool()> visit) const {
  if (slot == space.slots.size())
    return visit();
  llvm::SmallVector<uint8_t, maxDims> loops = loopsOf(mapping, slot);
  do {
    set(mapping, slot, loops);
    if (!forEach(mapping, slot + 1, visit))
      return false;
  } while (isOpen[slot] && std::next_permutation(loops.begin(), loops.end()));
  return true;
}

void Permutations::draw(Mapping &mapping, std::mt19937_64 &random) const {
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    llvm::SmallVector<uint8_t, maxDims> loops = loopsOf(mapping, s);
    if (isOpen[s])
      std::shuffle(loops.begin(), loops.end(), random);
    set(mapping, s, loops);
  }
}

//===-- Weighing
//---------------------------------------------------------------------------------===//

/// Nothing when the mapping does not fit.
llvm::Optional<Score> Weigher::score(const Mapping &mapping) {
  if (plain.weigh)
    return (*plain.weigh)(space.withLoops(mapping), thread, isUnknown);
  return evaluator->evaluate(mapping);
}

int64_t Weigher::visit(const FactorSet &set, Incumbents &found) {
  if (patience.isOver() && !found.front().empty())
    return 0;
  Mapping mapping = set.mapping;
  int64_t seen = 0;
  auto take = [&](const llvm::Optional<Score> &score) {
    ++seen;
    if (score && !found.excludes(*score) &&
        (!evaluator || !evaluator->tellsPartial() || evaluator->fits(mapping)))
      found.add({mapping, *score});
    return seen < set.most && !patience.isOver();
  };
  if (plain.weigh && plain.isRandom) {
    take(score(mapping));
  } else if (plain.weigh || plain.allOrders) {
    permutations.forEach(mapping, 0, [&] { return take(score(mapping)); });
  } else if (double count = walk.count(mapping);
             count >= fewestForTables && count <= mostForTables) {
    tables->forEach(mapping, take, set.from);
  } else {
    walk.forEach(
        mapping, [&] { return take(evaluator->evaluate(mapping)); }, set.from);
  }
  return seen;
}

//===-- The search
//-------------------------------------------------------------------------------===//

double PlainSearcher::ordersAt(const Mapping &mapping, unsigned slot) {
  return permutes() ? permutations.count(mapping, slot)
                    : static_cast<double>(orders.orders(mapping, slot).size());
}

/// Takes at most so many orders of these factors, from somewhere on if that is not all; false when
/// the search is over.
bool PlainSearcher::add(const Mapping &mapping, double most, uint64_t chance) {
  if (left <= 0)
    return false;
  double count = 1;
  for (unsigned s = 0; s < space.slots.size(); ++s)
    count *= ordersAt(mapping, s);
  planned += count;
  most = std::min(most, mostOfSet);
  uint64_t from =
      count > most ? chance % static_cast<uint64_t>(std::min(count, mostOfSet) - most + 1) : 0;
  auto taken = static_cast<int64_t>(std::min({count, most, double(left)}));
  sets.push_back({mapping, taken, from});
  left -= taken;
  waiting += double(taken);
  bool isFull = sets.size() >= mostSets || (sets.size() >= fewestSets && waiting >= manyMappings);
  return !(isFull || left <= 0) || (flush() && left > 0);
}

/// Weighs the sets that wait, side by side, and merges what they bring in their order. False when
/// the time is over.
bool PlainSearcher::flush() {
  struct Outcome {
    std::vector<Candidate> found;
    int64_t seen = 0;
  };
  // Few sets have many orders each.
  size_t together = waiting > manyMappings ? 1 : setsPerItem;
  std::vector<Outcome> outcomes((sets.size() + together - 1) / together);
  workers.run(outcomes.size(), [&](unsigned worker, size_t item) {
    Incumbents own = incumbents;
    size_t end = std::min(sets.size(), (item + 1) * together);
    for (size_t i = item * together; i < end; ++i)
      outcomes[item].seen += weighers[worker]->visit(sets[i], own);
    outcomes[item].found = own.front();
  });
  for (const Outcome &outcome : outcomes) {
    result.evaluated += outcome.seen;
    for (const Candidate &candidate : outcome.found)
      if (!incumbents.excludes(candidate.score))
        incumbents.add(candidate, options.onBetter);
  }
  sets.clear();
  waiting = 0;
  return !patience.isOver();
}

/// Draws factors until there is nothing new; each set of them comes once.
void PlainSearcher::drawAll() {
  std::mt19937_64 random(options.seed);
  llvm::DenseSet<uint64_t> known;
  for (unsigned idle = 0; idle < mostIdleDraws && !patience.isOver(); ++idle) {
    llvm::Optional<Mapping> mapping = factors.draw(random);
    if (!mapping)
      break;
    if (plain.weigh)
      permutations.draw(*mapping, random);
    // Of two that have one hash the second is left out: no mapping is counted twice.
    llvm::StringRef bytes(reinterpret_cast<const char *>(&*mapping), sizeof *mapping);
    if (!known.insert(llvm::xxHash64(bytes)).second)
      continue;
    idle = 0;
    if (!add(*mapping, plain.weigh ? 1 : mostDrawnOrders, random()))
      return;
    if (result.mappings > 0 && double(result.evaluated) + waiting >= result.mappings)
      return;
  }
}

/// The walk, or chance, has met nothing legal yet: what is known to be so, as many as may still be
/// weighed.
void PlainSearcher::addStart() {
  for (const Mapping &mapping : options.start)
    if (!add(mapping, 1))
      break;
  flush();
}

/// In a tenth of the time.
llvm::Optional<double> PlainSearcher::countAll() {
  SearchOptions brief = options;
  if (auto now = std::chrono::steady_clock::now(); brief.deadline)
    brief.deadline = now + (*brief.deadline - now) / 10;
  Patience tenth(brief);
  FactorWalk walk(space, weights, rules, plain.imperfect, !plain.weigh,
                  [&] { return !tenth.isOver(); });
  return walk.count([this](const Mapping &m, unsigned s) { return ordersAt(m, s); },
                    mostCountSteps);
}

SearchResult PlainSearcher::run() {
  for (const Candidate &candidate : options.known)
    incumbents.add(candidate);
  llvm::Optional<double> all = countAll();
  result.mappings = all.getValueOr(0);
  bool isWhole = all.hasValue();
  if (plain.isRandom) {
    drawAll();
  } else if (factors.forEach([this](const Mapping &m) { return add(m, mostOfSet); })) {
    isWhole = true;
    result.mappings = planned;
  }
  isWhole &= flush();
  isWhole &= double(result.evaluated) == result.mappings;
  for (const auto &weigher : weighers)
    isWhole &= !weigher->isUnknown;
  if (!isWhole && incumbents.front().empty())
    addStart();
  if (!isWhole)
    result.open.push_back({0, 0});
  result.front = incumbents.front();
  return std::move(result);
}

SearchResult loopnest::plainSearch(const MapSpace &space, const CostWeights &weights,
                                   const SlotRules &rules, const SearchGoal &goal,
                                   const SearchOptions &options, const PlainOptions &plain) {
  return PlainSearcher(space, weights, rules, goal, options, plain).run();
}
