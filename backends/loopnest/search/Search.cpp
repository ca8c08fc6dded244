// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/Search.h"

#include "backends/loopnest/search/Descent.h"
#include "backends/loopnest/search/SlowestResource.h"
#include "backends/loopnest/search/TreeWalk.h"
#include <thread>

using namespace perfc;
using namespace perfc::loopnest;

/// Most nodes that wait for their turn, and factors of next slots that do: further ones are
/// searched at once with all that is below.
static constexpr size_t agendaLimit = 200000, pendingLimit = 20000000;
/// Steps further out before what is at hand is searched, and climbs may follow.
static constexpr unsigned mostSteps = 1000;
/// Nodes that are searched side by side, at first and later.
static constexpr size_t firstWave = 8, laterWave = 64;
/// Bounds after which a search is a long one.
static constexpr int64_t longSearch = 20000;

namespace {

/// Workers side by side. Work is handed out in waves of a fixed size, and what a wave finds is
/// merged in order before the next: the result does not depend on the number of threads.
/// Nodes are looked at by growing bound, so that the least bound grows while there is time; those
/// that begin the last array are searched to the end. A long search also climbs from what it has
/// found: bounds alone find little where time is over before they are tight.
class Searcher {
public:
  Searcher(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
           const SearchGoal &goal, const SearchOptions &options)
      : space(space), weights(weights), rules(rules), choices(space, weights, rules),
        symmetry(space, rules), goal(goal), options(options), incumbents(goal),
        planner(space, weights, rules, choices, symmetry, goal, options) {
    for (unsigned i = 0; i < std::max(1u, options.threads); ++i)
      workers.push_back(std::make_unique<Worker>(*this));
  }
  SearchResult run();

private:
  struct Worker : TreeWalk {
    explicit Worker(const Searcher &of)
        : TreeWalk(of.space, of.weights, of.rules, of.choices, of.symmetry, of.goal, of.options),
          descent(of.space, of.rules, of.choices, evaluator) {}
    Descent descent;
  };
  struct Outcome {
    std::vector<Candidate> found;
    std::vector<Score> open;
  };
  template <typename Task> std::vector<Outcome> wave(size_t tasks, Task task);
  void merge(std::vector<Outcome> outcomes, SearchResult &result);
  void descend(Worker &worker, size_t number) const;
  void climb(Worker &worker, size_t number) const;
  void improve(Worker &worker, Mapping mapping, uint64_t seed) const;
  void makeFloors();
  std::vector<Node> nextTasks(SearchResult &result);
  void searchTree(SearchResult &result);
  void climbSometimes(SearchResult &result);
  SearchResult proveByTime(const TimedChip &chip) const;
  int64_t evaluations() const;

  const MapSpace &space;
  const CostWeights &weights;
  const SlotRules &rules;
  SlotChoices choices;
  Symmetry symmetry;
  const SearchGoal &goal;
  const SearchOptions &options;
  Incumbents incumbents;
  std::shared_ptr<Floors> floors;
  std::vector<std::unique_ptr<Worker>> workers;
  TreeWalk planner;                   ///< of the nodes further out than tasks
  std::multimap<double, Node> agenda; ///< by key; equal ones as they came
  size_t waiting = 0;                 ///< pending factors of all of them
  size_t searched = 0;                ///< tasks so far
  size_t climbs = 0;                  ///< so far
  int64_t nextClimb = longSearch;     ///< bounds before the next ones
};

} // namespace

/// Descents of a hull or front go for different weights of energy and latency.
void Searcher::improve(Worker &worker, Mapping mapping, uint64_t seed) const {
  double exponent = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 0 : 4;
  auto value = [&](const Score &score) {
    if (goal.kind == SearchGoal::Scalar)
      return goal.value(score);
    return score.energy * (exponent == 0 ? 1
                           : exponent == 1
                               ? score.latency
                               : score.latency * score.latency * score.latency * score.latency);
  };
  Score score = worker.descent.improve(mapping, value, [&] { return !worker.patience.isOver(); });
  worker.addFound(mapping, score);
}

void Searcher::descend(Worker &worker, size_t number) const {
  bool isRandom = number >= options.start.size();
  uint64_t seed = options.seed * 1000 + number - (isRandom ? options.start.size() : 0);
  std::mt19937_64 random(seed);
  llvm::Optional<Mapping> mapping;
  if (isRandom)
    mapping = worker.descent.start(random);
  else
    mapping = options.start[number];
  if (mapping)
    improve(worker, *mapping, seed);
}

/// From what is known, some moves away.
void Searcher::climb(Worker &worker, size_t number) const {
  uint64_t seed = options.seed * 1000 + options.descents + number;
  std::mt19937_64 random(seed);
  const std::vector<Candidate> &known = incumbents.front();
  llvm::Optional<Mapping> mapping;
  if (known.empty() || known[number % known.size()].space != 0)
    mapping = worker.descent.start(random);
  else
    mapping = worker.descent.moved(known[number % known.size()].mapping, 2 + number % 6, random);
  if (mapping)
    improve(worker, *mapping, seed);
}

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
      incumbents.add(candidate, options.onBetter);
    result.open.insert(result.open.end(), outcome.open.begin(), outcome.open.end());
  }
}

/// The next nodes to search to the end. Those further out are expanded on the way.
std::vector<Node> Searcher::nextTasks(SearchResult &result) {
  unsigned depth = floors ? floors->arrayBegin() : 1;
  size_t most = searched < laterWave ? firstWave : laterWave;
  std::vector<Node> tasks, next;
  planner.known = incumbents;
  planner.found.clear();
  for (unsigned step = 0; step < mostSteps && !agenda.empty() && tasks.size() < most; ++step) {
    Node node = std::move(agenda.begin()->second);
    agenda.erase(agenda.begin());
    if (incumbents.excludes(node.bound))
      continue;
    waiting -= node.pending.size();
    bool isFull = agenda.size() >= agendaLimit || waiting >= pendingLimit;
    if (node.slices.size() >= depth || isFull) {
      tasks.push_back(std::move(node));
      continue;
    }
    next.clear();
    Score bound = node.bound; // of all its children
    bool isDivisible = planner.isDivisible(node);
    if (planner.patience.isOver() ||
        !(isDivisible ? planner.nextChildren(node, next) : planner.children(node, next))) {
      result.open.push_back(bound);
      continue;
    }
    for (Node &child : next)
      agenda.emplace(child.key, std::move(child));
    waiting += node.pending.size();
    if (!node.pending.empty())
      agenda.emplace(node.key, std::move(node));
  }
  for (const Candidate &candidate : planner.found)
    incumbents.add(candidate, options.onBetter);
  searched += tasks.size();
  return tasks;
}

/// Tables take at most nine tenths of the time: without them little is proven of spaces that need
/// as much.
void Searcher::makeFloors() {
  if (!options.useFloors)
    return;
  SearchOptions most = options;
  if (auto now = std::chrono::steady_clock::now(); most.deadline)
    most.deadline = now + (*most.deadline - now) / 10 * 9;
  Patience patience(most);
  auto isOver = [&] { return patience.isOver(); };
  if (options.tables && *options.tables)
    floors = *options.tables;
  else
    floors = Floors::make(space, weights, rules, isOver);
  if (floors && options.tables)
    *options.tables = floors;
  if (floors && !floors->fill(incumbents, isOver))
    floors = nullptr;
}

void Searcher::searchTree(SearchResult &result) {
  Node root = planner.root();
  agenda.emplace(root.key, root);
  while (!agenda.empty()) {
    std::vector<Node> tasks = nextTasks(result);
    merge(wave(tasks.size(),
               [&](Worker &worker, size_t i) {
                 worker.known = incumbents;
                 worker.forget();
                 worker.visit(tasks[i]);
               }),
          result);
    climbSometimes(result);
  }
}

/// Climbs as long as that helps; then the next ones are the later the more bounds there were.
void Searcher::climbSometimes(SearchResult &result) {
  int64_t bounds = planner.evaluator.bounds();
  for (const auto &worker : workers)
    bounds += worker->evaluator.bounds();
  while (bounds >= nextClimb && !planner.patience.isOver()) {
    bool helps = false;
    std::vector<Outcome> outcomes = wave(firstWave, [&](Worker &worker, size_t i) {
      worker.known = incumbents;
      climb(worker, climbs + i);
    });
    for (const Outcome &outcome : outcomes)
      helps |= !outcome.found.empty();
    merge(std::move(outcomes), result);
    climbs += firstWave;
    nextClimb = helps && goal.kind == SearchGoal::Scalar ? nextClimb : 2 * bounds;
  }
}

int64_t Searcher::evaluations() const {
  int64_t sum = planner.evaluator.evaluations();
  for (const auto &worker : workers)
    sum += worker->evaluator.evaluations();
  return sum;
}

/// The proof of the least latency, with the time of what is the slowest as the energy that tables
/// bound.
SearchResult Searcher::proveByTime(const TimedChip &chip) const {
  SearchGoal timed = goal;
  timed.value = chip.latency;
  timed.latencyOnly = false;
  SearchOptions next = options;
  const Candidate &best = incumbents.front().front();
  next.known = {{best.mapping, {0, best.score.latency}, best.space}};
  next.start.clear();
  next.descents = 0;
  next.tables = nullptr;
  next.onBetter = nullptr; // these are no energies
  SearchResult result = Searcher(space, chip.weights, rules, timed, next).run();
  result.evaluated += evaluations();
  for (Score &bound : result.open)
    bound = {0, chip.latency(bound)};
  Candidate &found = result.front.front();
  found.score = found.score.latency < best.score.latency
                    ? MappingEvaluator(space, weights).evaluate(found.mapping)
                    : best.score;
  return result;
}

SearchResult Searcher::run() {
  SearchResult result;
  for (const Candidate &candidate : options.known)
    incumbents.add(candidate);
  if (incumbents.excludes(workers.front()->root().bound)) {
    result.front = incumbents.front();
    return result;
  }
  merge(wave(options.start.size() + options.descents,
             [&](Worker &worker, size_t i) {
               worker.known = Incumbents(goal);
               descend(worker, i);
             }),
        result);
  if (options.descentsOnly) {
    result.open.push_back(workers.front()->root().bound);
    result.front = incumbents.front();
    result.evaluated = evaluations();
    return result;
  }
  if (goal.latencyOnly && options.useFloors && !incumbents.front().empty() &&
      incumbents.front().front().space == 0)
    if (auto chip = slowestResource(space, weights, incumbents.front().front().mapping))
      return proveByTime(*chip);
  makeFloors();
  for (auto &worker : workers)
    worker->useFloors(floors.get());
  planner.useFloors(floors.get());
  searchTree(result);
  llvm::erase_if(result.open, [&](const Score &bound) { return incumbents.excludes(bound); });
  result.front = incumbents.front();
  result.evaluated = evaluations();
  return result;
}

Score loopnest::leastScore(const MapSpace &space, const CostWeights &weights) {
  Mapping mapping = space.emptyMapping();
  mapping.factor[0].fill(1);
  return MappingEvaluator(space, weights).evaluate(mapping, 0);
}

SearchResult loopnest::search(const MapSpace &space, const CostWeights &weights,
                              const SlotRules &rules, const SearchGoal &goal,
                              const SearchOptions &options) {
  SlotRules narrowed = withSharedOutside(space, rules);
  return Searcher(space, weights, narrowed, goal, options).run();
}
