// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/Search.h"

#include "backends/loopnest/search/Descent.h"
#include <algorithm>
#include <thread>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// A choice for one slot with the bound of what it begins.
struct Node {
  std::array<int64_t, maxDims> factors;
  std::array<uint8_t, maxDims> order;
  Score bound;
  double key; ///< nodes are visited by growing key
};

/// What is left of time; asked often, so the clock is read rarely.
class Patience {
public:
  explicit Patience(const SearchOptions &options) : options(options) {}
  bool isOver() {
    if (over || ++asked % 64 != 0)
      return over;
    over = (options.stop && *options.stop) ||
           (options.deadline && std::chrono::steady_clock::now() >= *options.deadline);
    return over;
  }

private:
  const SearchOptions &options;
  unsigned asked = 0;
  bool over = false;
};

/// One thread's part: searches below nodes, one after the other.
class Worker {
public:
  Worker(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
         const SlotChoices &choices, const SearchGoal &goal, const SearchOptions &options)
      : evaluator(space, weights), space(space), rules(rules), choices(choices), goal(goal),
        patience(options), known(goal) {}

  /// The nodes of the first slot; false when time was over.
  bool roots(std::vector<Node> &nodes);
  /// Searches below `node` of the first slot, given what was known before.
  void searchBelow(const Node &node, const Incumbents &before);
  void descend(uint64_t seed);
  Score rootBound();

  std::vector<Candidate> found;
  std::vector<Score> open;
  MappingEvaluator evaluator;

private:
  double keyOf(const Score &score) const {
    return goal.kind == SearchGoal::Scalar ? goal.value(score) : score.energy * score.latency;
  }
  bool children(Mapping &mapping, unsigned slot, std::vector<Node> &nodes);
  void visit(Mapping &mapping, unsigned slot, const Score &bound);
  void expand(Mapping &mapping, unsigned slot, const Node &node);
  void addFound(const Mapping &mapping, const Score &score);

  const MapSpace &space;
  const SlotRules &rules;
  const SlotChoices &choices;
  const SearchGoal &goal;
  Patience patience;
  Incumbents known;

  friend class Searcher;
};

} // namespace

static Mapping nothingDecided(const MapSpace &space) {
  Mapping mapping = space.emptyMapping();
  mapping.factor[0].fill(1);
  return mapping;
}

Score Worker::rootBound() { return evaluator.evaluate(nothingDecided(space), 0); }

void Worker::addFound(const Mapping &mapping, const Score &score) {
  Candidate candidate{mapping, score};
  if (known.add(candidate))
    found.push_back(candidate);
}

/// The choices of `slot` that are not excluded; complete mappings are taken at once.
bool Worker::children(Mapping &mapping, unsigned slot, std::vector<Node> &nodes) {
  unsigned decided = slot + 1;
  bool complete = decided == space.slots.size();
  return choices.forEach(mapping, slot, evaluator, [&] {
    if (patience.isOver())
      return false;
    Score bound = evaluator.evaluate(mapping, decided);
    if (known.excludes(bound))
      return true;
    if (complete)
      addFound(mapping, bound);
    else
      nodes.push_back({mapping.factor[slot], mapping.order[slot], bound, keyOf(bound)});
    return true;
  });
}

static void sortNodes(std::vector<Node> &nodes) {
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const Node &a, const Node &b) { return a.key < b.key; });
}

void Worker::expand(Mapping &mapping, unsigned slot, const Node &node) {
  if (known.excludes(node.bound))
    return;
  if (patience.isOver()) {
    open.push_back(node.bound);
    return;
  }
  mapping.factor[slot] = node.factors;
  mapping.order[slot] = node.order;
  visit(mapping, slot + 1, node.bound);
  mapping.factor[slot].fill(1);
}

void Worker::visit(Mapping &mapping, unsigned slot, const Score &bound) {
  std::vector<Node> nodes;
  if (!children(mapping, slot, nodes)) {
    open.push_back(bound);
    return;
  }
  sortNodes(nodes);
  for (const Node &node : nodes)
    expand(mapping, slot, node);
}

bool Worker::roots(std::vector<Node> &nodes) {
  Mapping mapping = nothingDecided(space);
  bool all = children(mapping, 0, nodes);
  sortNodes(nodes);
  return all;
}

void Worker::searchBelow(const Node &node, const Incumbents &before) {
  known = before;
  Mapping mapping = nothingDecided(space);
  expand(mapping, 0, node);
}

/// Descents of a hull or front go for different weights of energy and latency.
void Worker::descend(uint64_t seed) {
  std::mt19937_64 random(seed);
  Descent descent(space, rules, choices, evaluator);
  llvm::Optional<Mapping> mapping = descent.start(random);
  if (!mapping)
    return;
  double exponent = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 0 : 4;
  auto value = [&](const Score &score) {
    if (goal.kind == SearchGoal::Scalar)
      return goal.value(score);
    return score.energy * (exponent == 0 ? 1
                           : exponent == 1
                               ? score.latency
                               : score.latency * score.latency * score.latency * score.latency);
  };
  Score score = descent.improve(*mapping, value, [&] { return !patience.isOver(); });
  addFound(*mapping, score);
}

namespace {

/// Workers side by side. Work is handed out in waves of a fixed size, and what a wave finds is
/// merged in order before the next: the result does not depend on the number of threads.
class Searcher {
public:
  Searcher(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
           const SearchGoal &goal, const SearchOptions &options)
      : choices(space, weights, rules), goal(goal), options(options), incumbents(goal) {
    for (unsigned i = 0; i < std::max(1u, options.threads); ++i)
      workers.push_back(std::make_unique<Worker>(space, weights, rules, choices, goal, options));
  }
  SearchResult run();

private:
  struct Outcome {
    std::vector<Candidate> found;
    std::vector<Score> open;
  };
  template <typename Task> std::vector<Outcome> wave(size_t tasks, Task task);
  void merge(std::vector<Outcome> outcomes, SearchResult &result);

  SlotChoices choices;
  const SearchGoal &goal;
  const SearchOptions &options;
  Incumbents incumbents;
  std::vector<std::unique_ptr<Worker>> workers;
};

} // namespace

template <typename Task> std::vector<Searcher::Outcome> Searcher::wave(size_t tasks, Task task) {
  std::vector<Outcome> outcomes(tasks);
  std::atomic<size_t> next{0};
  auto work = [&](Worker &worker) {
    for (size_t i = next++; i < tasks; i = next++) {
      worker.found.clear();
      worker.open.clear();
      task(worker, i);
      outcomes[i] = {worker.found, worker.open};
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < workers.size() && i < tasks; ++i)
    threads.emplace_back(work, std::ref(*workers[i]));
  work(*workers.front());
  for (std::thread &thread : threads)
    thread.join();
  return outcomes;
}

void Searcher::merge(std::vector<Outcome> outcomes, SearchResult &result) {
  for (Outcome &outcome : outcomes) {
    for (const Candidate &candidate : outcome.found)
      incumbents.add(candidate);
    result.open.insert(result.open.end(), outcome.open.begin(), outcome.open.end());
  }
}

SearchResult Searcher::run() {
  SearchResult result;
  merge(wave(options.descents,
             [&](Worker &worker, size_t i) {
               worker.known = Incumbents(goal);
               worker.descend(options.seed * 1000 + i);
             }),
        result);
  std::vector<Node> nodes;
  workers.front()->known = incumbents;
  workers.front()->found.clear();
  if (!workers.front()->roots(nodes))
    result.open.push_back(workers.front()->rootBound());
  for (const Candidate &candidate : workers.front()->found)
    incumbents.add(candidate);
  size_t waveSize = 8;
  for (size_t begin = 0; begin < nodes.size(); begin += waveSize) {
    waveSize = std::min<size_t>(begin < 64 ? 8 : 64, nodes.size() - begin);
    merge(wave(waveSize,
               [&](Worker &worker, size_t i) { worker.searchBelow(nodes[begin + i], incumbents); }),
          result);
  }
  llvm::erase_if(result.open, [&](const Score &bound) { return incumbents.excludes(bound); });
  result.front = incumbents.front();
  for (const auto &worker : workers)
    result.evaluated += worker->evaluator.evaluations();
  return result;
}

SearchResult loopnest::search(const MapSpace &space, const CostWeights &weights,
                              const SlotRules &rules, const SearchGoal &goal,
                              const SearchOptions &options) {
  return Searcher(space, weights, rules, goal, options).run();
}

//===-- Enumeration
//----------------------------------------------------------------------------===//

namespace {

class Enumerator {
public:
  Enumerator(const MapSpace &space, const SlotRules &rules, bool allOrders,
             llvm::function_ref<bool(const Mapping &)> visit)
      : space(space), weights(openWeights(space)), evaluator(space, weights),
        choices(space, weights, rules), rules(rules), allOrders(allOrders), visitor(visit),
        mapping(nothingDecided(space)) {}

  bool run(unsigned slot = 0);

private:
  /// Weights that limit nothing and cost nothing.
  static CostWeights openWeights(const MapSpace &space) {
    CostWeights weights;
    llvm::SmallVector<double, 4> ones(space.tensors.size(), 1);
    weights.memories.assign(space.lanes(), {llvm::None, ones, ones, ones});
    for (const Place &place : space.nest.places)
      if (place.kind == PlaceKind::Array)
        weights.arrays.push_back({ones, ones, ones, {}});
    return weights;
  }
  bool permutations(unsigned slot);

  const MapSpace &space;
  CostWeights weights;
  MappingEvaluator evaluator;
  SlotChoices choices;
  const SlotRules &rules;
  bool allOrders;
  llvm::function_ref<bool(const Mapping &)> visitor;
  Mapping mapping;
};

} // namespace

/// All orders of the loops that the slot has.
bool Enumerator::permutations(unsigned slot) {
  std::vector<uint8_t> loops, others;
  for (uint8_t d = 0; d < space.dims(); ++d)
    (mapping.factor[slot][d] > 1 ? loops : others).push_back(d);
  do {
    std::copy(others.begin(), others.end(), mapping.order[slot].begin());
    std::copy(loops.begin(), loops.end(), mapping.order[slot].begin() + others.size());
    if (!run(slot + 1))
      return false;
  } while (std::next_permutation(loops.begin(), loops.end()));
  return true;
}

bool Enumerator::run(unsigned slot) {
  if (slot == space.slots.size())
    return visitor(mapping);
  if (!allOrders || !rules[slot].orderOpen)
    return choices.forEach(mapping, slot, evaluator, [&] { return run(slot + 1); });
  return choices.forEachFactors(mapping, slot, evaluator, [&] { return permutations(slot); });
}

void loopnest::forEachMapping(const MapSpace &space, const SlotRules &rules, bool allOrders,
                              llvm::function_ref<bool(const Mapping &)> visit) {
  Enumerator(space, rules, allOrders, visit).run();
}
