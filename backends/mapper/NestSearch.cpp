// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/NestSearch.h"

#include "backends/loopnest/search/ChainBounds.h"
#include "backends/loopnest/search/LeastTiles.h"
#include "backends/loopnest/search/PlainSearch.h"
#include "ir/common/Rational.h"

using namespace perfc;
using namespace perfc::mapper;
using namespace perfc::loopnest;
using Clock = std::chrono::steady_clock;

/// Random descents of a space after the first one: it begins with what the others found.
static constexpr unsigned laterDescents = 6;
/// Spaces that are all searched a little, even when the time is over, unless what is known at their
/// begin serves.
static constexpr size_t fewSpaces = 32;
/// What the floors of all spaces together may cost, in boxes (TileFloors.h), and of each at least.
static constexpr unsigned mostBoxes = 100000, fewestBoxes = 300;
/// A space has at least so large a part of the time that is left, and what the chip keeps one of
/// these.
static constexpr int64_t mostShares = 4, chipsShares = 2;
/// Mappings of the least room that a search under rules begins with.
static constexpr size_t mostLeast = 8;
/// Energies of the two models are sums in another order.
static constexpr double rounding = 1e-9;

namespace {

class NestSearcher {
public:
  NestSearcher(const NestSpace &nest, const SearchGoal &goal, const SearchOptions &options)
      : nest(nest), goal(goal), options(options) {}

  NestResult run();

private:
  void take(unsigned number, SearchResult found);
  Score floorOf(const NestSpace &space) const;
  bool isExcluded(unsigned number) const;
  bool isStopped() const { return options.stop && *options.stop; }
  bool isTimeOver() const {
    return isStopped() || (options.deadline && Clock::now() >= *options.deadline);
  }
  /// Whether no more spaces are searched when so many were.
  bool isEnough(size_t searched, bool isAnyKnown) const {
    return isTimeOver() && searched >= (isAnyKnown || isStopped() ? 1 : fewSpaces);
  }
  void lookAtAll(std::vector<unsigned> &order);
  std::vector<unsigned> byBound();
  void searchByBounds();
  void searchChipsOwn(std::vector<unsigned> &order);
  void searchNumber(unsigned number, unsigned descents, int64_t shares);
  void searchPlainly();
  NestWeigher weigherOf(const NestSpace &space, std::vector<AdaptedNest> &scratch) const;
  SearchResult searchSpace(const NestSpace &space, SearchOptions own);
  SearchResult searchFully(const NestSpace &space, const SearchOptions &own) const;
  void keepFitting(const NestSpace &space, std::vector<Mapping> &mappings) const;
  double keyOf(const Score &score) const {
    return goal.kind == SearchGoal::Scalar ? goal.value(score) : score.energy * score.latency;
  }
  double leastKey(llvm::ArrayRef<Score> scores) const;

  const NestSpace &nest;
  const SearchGoal &goal;
  const SearchOptions &options;
  NestResult result;
  /// What is known of some space has its number and one; what a search finds has none yet.
  std::vector<Candidate> known;
  std::vector<int64_t> elements; ///< of each tensor, that the op touches; where there are several
  int64_t leastSteps = LeastTiles::mostSteps;               ///< left for all spaces
  std::vector<Score> floors;                                ///< by space, where there are several
  Clock::time_point floorsUntil = Clock::time_point::max(); ///< later spaces have simple ones
};

} // namespace

double NestSearcher::leastKey(llvm::ArrayRef<Score> scores) const {
  double least = HUGE_VAL;
  for (const Score &score : scores)
    least = std::min(least, keyOf(score));
  return least;
}

/// What no mapping of the space is below: by what it moves at least, and while there is time by
/// what its memories have room for.
Score NestSearcher::floorOf(const NestSpace &space) const {
  bool isClosed = space.hasClosedForm();
  Score least = isClosed ? leastScore(space.space, space.weights) : Score();
  bool isOver = isStopped() || Clock::now() > floorsUntil;
  if (isOver && isClosed)
    return least;
  ChainBounds bounds(space.space, space.weights, elements);
  unsigned boxes = mostBoxes / static_cast<unsigned>(result.spaces.size());
  if (!isOver)
    bounds.useFloors(space.isImperfect, std::max(fewestBoxes, boxes));
  Score floor = bounds.bound(ChainBounds::rootOf(space.space), 0);
  return {std::max(floor.energy, least.energy), std::max(floor.latency, least.latency)};
}

/// Spaces with a smaller bound first: what they find excludes others.
std::vector<unsigned> NestSearcher::byBound() {
  std::vector<std::pair<double, unsigned>> keys;
  bool areSeveral = result.spaces.size() > 1;
  if (areSeveral)
    elements = ChainBounds::elementsOf(result.spaces.front().space);
  for (unsigned k = 0; k < result.spaces.size(); ++k) {
    floors.push_back(areSeveral ? floorOf(result.spaces[k]) : Score());
    keys.push_back({keyOf(floors.back()), k});
  }
  llvm::stable_sort(keys, [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<unsigned> order;
  for (const auto &entry : keys)
    order.push_back(entry.second);
  return order;
}

/// The full model, for loops in an order that points may run in; each thread has loops of its own
/// in `scratch`.
NestWeigher NestSearcher::weigherOf(const NestSpace &space,
                                    std::vector<AdaptedNest> &scratch) const {
  scratch.assign(std::max(1u, options.threads), space.adapted);
  return [&](const Nest &loops, unsigned thread, bool &isUnknown) -> llvm::Optional<Score> {
    if (space.order && !space.order->isKeptBy(loops))
      return llvm::None;
    scratch[thread].nest = loops;
    return space.cost->score(scratch[thread], isUnknown);
  };
}

/// Whether no mapping with perfect factors costs less by the full model than by the closed form. It
/// may where conditions leave points out that the closed form counts.
/// With zeros that may not be so of partial sums with a size of their own, whose mean on links may
/// shrink; and it tells nothing where roundings may take all.
static bool isBounded(const NestSpace &space) {
  if (!space.adapted.nest.conditions.empty())
    return false;
  if (!space.zeros())
    return true;
  Score least = leastScore(space.space, space.weights);
  return !space.adapted.nest.hasPartial() && least.energy >= 0 && least.latency >= 0;
}

SearchResult NestSearcher::searchFully(const NestSpace &space, const SearchOptions &own) const {
  SearchResult relaxed;
  std::vector<Mapping> start = own.start;
  if (space.space.isFlat) {
    SearchOptions first = own;
    first.start.clear();
    first.onBetter = nullptr; // the full model adds to what it finds
    if (own.deadline)
      first.deadline = Clock::now() + (*own.deadline - Clock::now()) / 5 * 2;
    relaxed = loopnest::search(space.space, space.weights, space.rules, goal, first);
    for (const Candidate &candidate : relaxed.front) {
      if (candidate.space != 0)
        continue;
      start.push_back(candidate.mapping);
      relaxed.open.push_back(candidate.score);
    }
    if (space.isImperfect)
      llvm::append_range(start,
                         paddedMappings(space.space, space.weights, space.rules, goal, first));
  }
  if (llvm::Optional<Mapping> lowered = mappingOf(space.space, space.adapted.nest)) {
    Mapping chains = *lowered;
    if (completeChains(space.space, space.isImperfect, chains) && chains.factor == lowered->factor)
      start.push_back(*lowered);
  }
  std::vector<AdaptedNest> scratch;
  NestWeigher weigh = weigherOf(space, scratch);
  ChainOptions chains;
  chains.imperfect = space.isImperfect;
  chains.allOrders = space.ordersMatter();
  chains.equalOrders = space.zeros().hasValue();
  SearchResult found =
      chainSearch(space.space, space.weights, space.rules, goal, own, chains, weigh, start);
  found.evaluated += relaxed.evaluated;
  if (found.open.empty() || !space.space.isFlat || space.isImperfect || !isBounded(space))
    return found;
  // Two sets of lower bounds: either is one of all that was not found.
  if (leastKey(relaxed.open) > leastKey(found.open)) {
    found.open = relaxed.open;
    for (Score &bound : found.open) {
      bound.energy *= 1 + rounding;
      bound.latency *= 1 + rounding;
    }
  }
  return found;
}

/// False when rules, axes and capacities admit nothing, as far as `steps` tell. `start` gets
/// mappings that they admit, some of which may still lack room.
static bool mayHaveMapping(const NestSpace &space, int64_t &steps,
                           std::vector<Mapping> *start = nullptr) {
  bool isAny = false;
  LeastTiles least(space.space, space.weights, space.rules, space.isImperfect, steps);
  bool isAll = least.forEach([&](const Mapping &mapping) {
    isAny = true;
    if (start)
      start->push_back(mapping);
    return start && start->size() < mostLeast;
  });
  // Conditions leave tiles smaller.
  return isAny || !isAll || !space.adapted.nest.conditions.empty();
}

/// Of a space with a closed form only those that its memories have room for; the full model weighs
/// no others.
void NestSearcher::keepFitting(const NestSpace &space, std::vector<Mapping> &mappings) const {
  if (!space.hasClosedForm() || mappings.empty())
    return;
  MappingEvaluator evaluator(space.space, space.weights);
  llvm::erase_if(mappings, [&](const Mapping &mapping) { return !evaluator.fits(mapping); });
}

SearchResult NestSearcher::searchSpace(const NestSpace &space, SearchOptions own) {
  bool needsStart = space.hasRules && own.known.empty();
  if (!mayHaveMapping(space, leastSteps, needsStart ? &own.start : nullptr)) {
    SearchResult none;
    none.front = own.known;
    return none;
  }
  if (!space.hasClosedForm())
    return searchFully(space, own);
  keepFitting(space, own.start);
  return loopnest::search(space.space, space.weights, space.rules, goal, own);
}

/// Whether nothing in the space is better than what is known.
bool NestSearcher::isExcluded(unsigned number) const {
  Incumbents all(goal);
  for (const Candidate &candidate : known)
    all.add(candidate);
  return all.excludes(floors[number]);
}

/// What a search of the space `number` found beside what was known.
void NestSearcher::take(unsigned number, SearchResult found) {
  for (Score &bound : found.open) {
    if (floors.empty())
      break;
    bound.energy = std::max(bound.energy, floors[number].energy);
    bound.latency = std::max(bound.latency, floors[number].latency);
  }
  known = std::move(found.front);
  for (Candidate &candidate : known)
    if (candidate.space == 0)
      candidate.space = number + 1;
  result.found.evaluated += found.evaluated;
  llvm::append_range(result.found.open, found.open);
}

/// A short look at each space, so that good mappings exclude from the begin; those where the best
/// were found come first.
void NestSearcher::lookAtAll(std::vector<unsigned> &order) {
  std::vector<double> best(result.spaces.size(), HUGE_VAL);
  Incumbents all(goal);
  for (const Candidate &candidate : known)
    all.add(candidate);
  size_t looked = 0;
  for (unsigned k : order) {
    const NestSpace &space = result.spaces[k];
    if (!space.space.isFlat || !space.beyondClosedForm.empty() || isExcluded(k))
      continue;
    if (isEnough(looked++, !all.front().empty()))
      break;
    SearchOptions own = options;
    own.descents = std::min(own.descents, laterDescents);
    own.descentsOnly = true;
    SearchResult found = loopnest::search(space.space, space.weights, space.rules, goal, own);
    result.found.evaluated += found.evaluated;
    for (Candidate &candidate : found.front) {
      best[k] = std::min(best[k], keyOf(candidate.score));
      candidate.space = k + 1;
      all.add(candidate);
    }
  }
  known = all.front();
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return best[a] < best[b]; });
}

/// One space after the other, each with its share of the time and of the evaluations.
void NestSearcher::searchPlainly() {
  result.found.mappings = 0;
  bool areCounted = true;
  for (unsigned k = 0; k < result.spaces.size(); ++k) {
    if (isEnough(k, !known.empty())) {
      result.found.open.push_back({0, 0});
      areCounted = false;
      break;
    }
    const NestSpace &space = result.spaces[k];
    auto left = static_cast<int64_t>(result.spaces.size() - k);
    SearchOptions own = options;
    own.known = known;
    own.mostEvaluations = ceilDivide(options.mostEvaluations - result.found.evaluated, left);
    if (options.deadline)
      own.deadline =
          Clock::now() + std::max(Clock::duration::zero(), *options.deadline - Clock::now()) / left;
    bool isClosed = space.hasClosedForm();
    std::vector<AdaptedNest> scratch;
    NestWeigher weigh = isClosed ? nullptr : weigherOf(space, scratch);
    PlainOptions plain;
    plain.isRandom = options.strategy == SearchStrategy::Random;
    plain.imperfect = space.isImperfect;
    plain.weigh = isClosed ? nullptr : &weigh;
    SearchResult found;
    bool mayHaveSome = mayHaveMapping(space, leastSteps, known.empty() ? &own.start : nullptr);
    keepFitting(space, own.start);
    if (mayHaveSome)
      found = plainSearch(space.space, space.weights, space.rules, goal, own, plain);
    else
      found.front = known;
    areCounted &= found.mappings > 0 || found.isProven();
    result.found.mappings += found.mappings;
    take(k, std::move(found));
  }
  if (!areCounted)
    result.found.mappings = 0;
}

NestResult NestSearcher::run() {
  if (nest.keeps.size() == 1 && nest.keeps.front() == nest.chipKeeps) {
    result.spaces.push_back(nest);
  } else {
    NestSpace any = nest; // each space has its own choice alone
    any.keeps.clear();
    for (const Keeps &keeps : nest.keeps)
      result.spaces.push_back(withKeeps(any, keeps));
  }
  for (Candidate candidate : options.known) {
    candidate.space += candidate.space == NestResult::lowered ? 0 : 1;
    known.push_back(candidate);
  }
  if (nest.asLowered)
    known.push_back({nest.space.emptyMapping(), *nest.asLowered, NestResult::lowered});
  if (options.strategy == SearchStrategy::Bound)
    searchByBounds();
  else
    searchPlainly();
  for (Candidate &candidate : known)
    if (candidate.space != NestResult::lowered)
      --candidate.space;
  result.found.front = std::move(known);
  return std::move(result);
}

/// Searches a space with one of so many equal shares of the time that is left.
void NestSearcher::searchNumber(unsigned number, unsigned descents, int64_t shares) {
  const NestSpace &space = result.spaces[number];
  SearchOptions own = options;
  own.known = known;
  own.descents = std::min(options.descents, descents);
  for (const Candidate &candidate : known)
    if (candidate.space == number + 1 && space.hasClosedForm())
      own.start.push_back(candidate.mapping);
  if (options.deadline) {
    auto left = std::max(Clock::duration::zero(), *options.deadline - Clock::now());
    own.deadline = Clock::now() + left / shares;
  }
  take(number, searchSpace(space, own));
}

/// What the chip keeps, before anything else is looked at and in the way in which it is searched
/// alone: to leave more open makes no answer worse.
void NestSearcher::searchChipsOwn(std::vector<unsigned> &order) {
  auto own = llvm::find_if(
      order, [&](unsigned k) { return result.spaces[k].keeps.front() == nest.chipKeeps; });
  if (own == order.end() || isStopped())
    return;
  unsigned number = *own;
  order.erase(own);
  if (!isExcluded(number))
    searchNumber(number, options.descents, chipsShares);
}

/// By growing bound; what one space finds excludes others.
void NestSearcher::searchByBounds() {
  if (options.deadline) // a fifth of the time
    floorsUntil = Clock::now() + (*options.deadline - Clock::now()) / 5;
  std::vector<unsigned> order = byBound();
  if (order.size() > 1) {
    searchChipsOwn(order);
    lookAtAll(order);
  }
  llvm::erase_if(order, [&](unsigned k) { return isExcluded(k); });
  for (size_t i = 0; i < order.size(); ++i) {
    if (isExcluded(order[i]))
      continue;
    if ((order.size() > fewSpaces || isStopped()) && isEnough(i, !known.empty())) {
      result.found.open.push_back(floors[order[i]]);
      continue;
    }
    searchNumber(order[i], i > 0 ? laterDescents : options.descents,
                 std::min(mostShares, static_cast<int64_t>(order.size() - i)));
  }
  Incumbents incumbents(goal);
  for (const Candidate &candidate : known)
    incumbents.add(candidate);
  llvm::erase_if(result.found.open, [&](const Score &bound) { return incumbents.excludes(bound); });
}

bool mapper::admitsNothing(const NestSpace &nest) {
  int64_t steps = LeastTiles::mostSteps;
  return !nest.asLowered && nest.keeps.size() == 1 &&
         !mayHaveMapping(withKeeps(nest, nest.keeps.front()), steps);
}

NestResult mapper::searchNest(const NestSpace &nest, const SearchGoal &goal,
                              const SearchOptions &options) {
  return NestSearcher(nest, goal, options).run();
}
