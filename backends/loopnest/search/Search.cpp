// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/Search.h"

#include "backends/loopnest/search/Descent.h"
#include "backends/loopnest/search/TreeWalk.h"
#include <thread>

using namespace perfc;
using namespace perfc::loopnest;

/// Most nodes that begin the lanes of the last array and are compared with each other before any of
/// them is searched.
static constexpr size_t frontierLimit = 200000;

namespace {

/// Workers side by side. Work is handed out in waves of a fixed size, and what a wave finds is
/// merged in order before the next: the result does not depend on the number of threads.
class Searcher {
public:
  Searcher(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
           const SearchGoal &goal, const SearchOptions &options)
      : space(space), weights(weights), rules(rules), choices(space, weights, rules),
        symmetry(space, rules), goal(goal), options(options), incumbents(goal) {
    for (unsigned i = 0; i < std::max(1u, options.threads); ++i)
      workers.push_back(
          std::make_unique<TreeWalk>(space, weights, rules, choices, symmetry, goal, options));
  }
  SearchResult run();

private:
  struct Outcome {
    std::vector<Candidate> found;
    std::vector<Score> open;
  };
  template <typename Task> std::vector<Outcome> wave(size_t tasks, Task task);
  void merge(std::vector<Outcome> outcomes, SearchResult &result);
  void descend(TreeWalk &worker, size_t number) const;
  void makeFloors();
  std::vector<Node> frontier(SearchResult &result);

  const MapSpace &space;
  const CostWeights &weights;
  const SlotRules &rules;
  SlotChoices choices;
  Symmetry symmetry;
  const SearchGoal &goal;
  const SearchOptions &options;
  Incumbents incumbents;
  std::shared_ptr<Floors> floors;
  std::vector<std::unique_ptr<TreeWalk>> workers;
};

} // namespace

/// Descents of a hull or front go for different weights of energy and latency.
void Searcher::descend(TreeWalk &worker, size_t number) const {
  bool isRandom = number >= options.start.size();
  uint64_t seed = options.seed * 1000 + number - (isRandom ? options.start.size() : 0);
  std::mt19937_64 random(seed);
  Descent descent(space, rules, choices, worker.evaluator);
  llvm::Optional<Mapping> mapping;
  if (isRandom)
    mapping = descent.start(random);
  else
    mapping = options.start[number];
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
  Score score = descent.improve(*mapping, value, [&] { return !worker.patience.isOver(); });
  worker.addFound(*mapping, score);
}

template <typename Task> std::vector<Searcher::Outcome> Searcher::wave(size_t tasks, Task task) {
  std::vector<Outcome> outcomes(tasks);
  std::atomic<size_t> next{0};
  auto work = [&](TreeWalk &worker) {
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

/// The nodes to hand out, by growing bound: the choices of the first slot, or with tables all that
/// begin the lanes of the last array, as long as they are not too many.
std::vector<Node> Searcher::frontier(SearchResult &result) {
  TreeWalk &walk = *workers.front();
  walk.known = incumbents;
  walk.found.clear();
  std::vector<Node> nodes{walk.root()}, complete;
  unsigned depth = floors ? floors->arrayBegin() : 1;
  for (unsigned slot = 0; slot < depth && nodes.size() + complete.size() < frontierLimit; ++slot) {
    std::vector<Node> next;
    for (const Node &node : nodes) {
      if (next.size() + complete.size() >= frontierLimit) {
        complete.push_back(node);
      } else if (!walk.children(node, next)) {
        result.open.push_back(node.bound);
      }
    }
    TreeWalk::sort(next);
    nodes = std::move(next);
  }
  nodes.insert(nodes.end(), complete.begin(), complete.end());
  TreeWalk::sort(nodes);
  for (const Candidate &candidate : walk.found)
    incumbents.add(candidate);
  return nodes;
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

SearchResult Searcher::run() {
  SearchResult result;
  for (const Candidate &candidate : options.known)
    incumbents.add(candidate);
  if (incumbents.excludes(workers.front()->root().bound)) {
    result.front = incumbents.front();
    return result;
  }
  merge(wave(options.start.size() + options.descents,
             [&](TreeWalk &worker, size_t i) {
               worker.known = Incumbents(goal);
               descend(worker, i);
             }),
        result);
  if (options.descentsOnly) {
    result.open.push_back(workers.front()->root().bound);
    result.front = incumbents.front();
    for (const auto &worker : workers)
      result.evaluated += worker->evaluator.evaluations();
    return result;
  }
  makeFloors();
  for (auto &worker : workers)
    worker->useFloors(floors.get());
  std::vector<Node> nodes = frontier(result);
  size_t waveSize = 8;
  for (size_t begin = 0; begin < nodes.size(); begin += waveSize) {
    waveSize = std::min<size_t>(begin < 64 ? 8 : 64, nodes.size() - begin);
    merge(wave(waveSize,
               [&](TreeWalk &worker, size_t i) {
                 worker.known = incumbents;
                 worker.forget();
                 worker.visit(nodes[begin + i]);
               }),
          result);
  }
  llvm::erase_if(result.open, [&](const Score &bound) { return incumbents.excludes(bound); });
  result.front = incumbents.front();
  for (const auto &worker : workers)
    result.evaluated += worker->evaluator.evaluations();
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
