// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/ChainSearcher.h"

#include "ir/common/Rational.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

/// Choices of the first slot that are collected before they are searched by growing bound, and how
/// many of them before what they find is merged.
static constexpr size_t mostTasks = 4096;
static constexpr size_t waveSize = 32;

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

namespace {

/// One search on several threads.
class ChainSearcher {
public:
  explicit ChainSearcher(const ChainProblem &problem)
      : problem(problem), workers(std::max(1u, problem.options.threads)), incumbents(problem.goal),
        generator(problem, 0) {
    for (unsigned thread = 0; thread < std::max(1u, problem.options.threads); ++thread)
      walks.emplace_back(problem, thread);
  }

  SearchResult run(llvm::ArrayRef<Mapping> start);

private:
  void visitAll();
  void merge(const ChainWalk::Found &found);

  const ChainProblem &problem;
  Workers workers;
  Incumbents incumbents;
  ChainWalk generator;
  std::vector<ChainWalk> walks; ///< by thread
  std::vector<ChainWalk::Task> tasks;
  SearchResult result;
  bool isPartial = false;
};

} // namespace

void ChainSearcher::merge(const ChainWalk::Found &found) {
  for (const Candidate &candidate : found.result.front)
    incumbents.add(candidate, problem.options.onBetter);
  llvm::append_range(result.open, found.result.open);
  result.evaluated += found.result.evaluated;
  isPartial |= found.isPartial;
}

/// Searches below the tasks at hand, in waves.
void ChainSearcher::visitAll() {
  llvm::stable_sort(tasks, [](const auto &a, const auto &b) { return a.key < b.key; });
  for (size_t begin = 0; begin < tasks.size(); begin += waveSize) {
    size_t count = std::min(waveSize, tasks.size() - begin);
    std::vector<ChainWalk::Found> found(count);
    workers.run(count, [&](unsigned thread, size_t i) {
      ChainWalk &walk = walks[thread];
      walk.incumbents = incumbents;
      walk.visit(tasks[begin + i]);
      found[i] = walk.finish();
    });
    for (const ChainWalk::Found &part : found)
      merge(part);
  }
  tasks.clear();
  generator.incumbents = incumbents;
}

SearchResult ChainSearcher::run(llvm::ArrayRef<Mapping> start) {
  for (const Candidate &candidate : problem.options.known)
    incumbents.add(candidate);
  Score root = problem.bounds.bound(ChainBounds::rootOf(problem.space), 0);
  if (!incumbents.excludes(root)) {
    result.evaluated += ChainClimb(problem, workers, incumbents).run(start);
    generator.incumbents = incumbents;
    generator.split([&](const ChainWalk::Task &task) {
      tasks.push_back(task);
      if (tasks.size() == mostTasks)
        visitAll();
    });
    visitAll();
    merge(generator.finish());
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
  ChainProblem problem{space,
                       weights,
                       rules,
                       goal,
                       options,
                       chains,
                       weigh,
                       SlotChoices(space, weights, rules),
                       ChainBounds(space, weights, ChainBounds::elementsOf(space))};
  problem.bounds.useFloors(chains.imperfect, chains.floorBoxes);
  return ChainSearcher(problem).run(start);
}
