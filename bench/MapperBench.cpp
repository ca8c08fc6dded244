// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mappings per second of the closed-form evaluator, generation included: mappings of one
// convolution, each weighed for energy and latency. `Random` moves one prime factor of a mapping
// per step and draws new orders; `Enumerated` visits all mappings in turn; `Orders` draws factors
// at random and visits all orders of them that can differ, one by one, and `Tables` does the same
// as the search does. `distinct` is the share of mappings among the first 50,000 that did not occur
// before.
#include "backends/loopnest/search/FactorWalk.h"
#include "backends/loopnest/search/OrderTables.h"
#include "backends/loopnest/search/PlainSearch.h"
#include "test/unit/backends/loopnest/search/RandomMoves.h"
#include <benchmark/benchmark.h>
#include <random>
#include <unordered_set>

using namespace perfc;
using namespace perfc::loopnest;

/// A 3x3 convolution of 64 channels and filters, 56 by 56.
static Nest convolution() {
  auto plain = [](unsigned dim) { return Subscript{{{dim, 1}}, 0, llvm::None}; };
  auto window = [](unsigned out, unsigned filter) {
    return Subscript{{{out, 1}, {filter, 1}}, 0, llvm::None};
  };
  Nest nest;
  nest.dims = {{"m", 64}, {"c", 64}, {"p", 56}, {"q", 56}, {"r", 3}, {"s", 3}};
  nest.tensors = {{"I", false, 16, {plain(1), window(2, 4), window(3, 5)}},
                  {"W", false, 16, {plain(0), plain(1), plain(4), plain(5)}},
                  {"O", true, 16, {plain(0), plain(2), plain(3)}}};
  return nest;
}

static void addMemory(Nest &nest, const char *name, llvm::SmallVector<unsigned, 4> keep) {
  nest.places.push_back({PlaceKind::Memory, name, std::move(keep), {}, {}});
}

static CostWeights weightsFor(const MapSpace &space) {
  CostWeights weights;
  weights.clock = 1e9;
  weights.compute = {true, 1, 1, 1e9};
  llvm::SmallVector<double, 4> energies(space.tensors.size(), 1);
  for (unsigned m = 0; m < space.lanes(); ++m)
    weights.memories.push_back({llvm::None, energies, energies, energies, {true, 64, 1, 64e9}});
  llvm::SmallVector<double, 4> none(space.tensors.size(), 0);
  for (const Place &place : space.nest.places)
    if (place.kind == PlaceKind::Array)
      weights.arrays.push_back({none, none, none, {}});
  return weights;
}

/// A random prime factor of a random dimension goes from its slot to another that has room.
static void step(const MapSpace &space, Mapping &mapping, std::mt19937 &random) {
  unsigned slots = space.slots.size();
  unsigned d = random() % space.dims(), from = random() % slots, to = random() % slots;
  for (unsigned k = 0; k < slots && !movePrime(space, mapping, d, from, to); ++k)
    from = (from + 1) % slots;
}

namespace {

struct Bench {
  explicit Bench(const Nest &nest)
      : space(*makeMapSpace(nest, reason)), weights(weightsFor(space)), rules(openRules(space)),
        walk(space, rules, &weights) {}

  std::string reason;
  MapSpace space;
  CostWeights weights;
  SlotRules rules;
  OrderWalk walk;
};

} // namespace

/// Calls `visit` with one mapping after the other until it returns false.
using Source = void (*)(Bench &, llvm::function_ref<bool(const Mapping &)> visit);

static void randomMappings(Bench &bench, llvm::function_ref<bool(const Mapping &)> visit) {
  std::mt19937 random(1);
  Mapping mapping = bench.space.emptyMapping();
  do {
    step(bench.space, mapping, random);
    for (unsigned s = 0; s < bench.space.slots.size(); ++s) {
      const auto &orders = bench.walk.orders(mapping, s);
      mapping.order[s] = orders[random() % orders.size()];
    }
  } while (visit(mapping));
}

static void ordersOfRandomFactors(Bench &bench, llvm::function_ref<bool(const Mapping &)> visit) {
  std::mt19937 random(1);
  Mapping mapping = bench.space.emptyMapping();
  do {
    for (unsigned i = 0; i < 20; ++i)
      step(bench.space, mapping, random);
  } while (bench.walk.forEach(mapping, [&] { return visit(mapping); }));
}

static void enumeratedMappings(Bench &bench, llvm::function_ref<bool(const Mapping &)> visit) {
  FactorWalk factors(bench.space, bench.weights, bench.rules, /*imperfect=*/false,
                     /*isClosed=*/true, [] { return true; });
  factors.forEach(
      [&](Mapping mapping) { return bench.walk.forEach(mapping, [&] { return visit(mapping); }); });
}

/// Of the loops and their order.
static std::string textOf(const MapSpace &space, const Mapping &mapping) {
  std::string text;
  for (unsigned s = 0; s < space.slots.size(); ++s)
    for (unsigned i = 0; i < space.dims(); ++i)
      if (uint8_t d = mapping.order[s][i]; mapping.factor[s][d] > 1) {
        text += char(s);
        text += char(d);
        text += char(mapping.factor[s][d]);
      }
  return text;
}

static double distinctShare(Bench &bench, Source source) {
  std::unordered_set<std::string> seen;
  double visited = 0;
  source(bench, [&](const Mapping &mapping) {
    seen.insert(textOf(bench.space, mapping));
    return ++visited < 50000;
  });
  return double(seen.size()) / visited;
}

static void evaluate(benchmark::State &state, const Nest &nest, Source source) {
  Bench bench(nest);
  state.counters["distinct"] = distinctShare(bench, source);
  MappingEvaluator evaluator(bench.space, bench.weights);
  source(bench, [&](const Mapping &mapping) {
    if (!state.KeepRunning())
      return false;
    benchmark::DoNotOptimize(evaluator.evaluate(mapping));
    return true;
  });
  state.SetItemsProcessed(state.iterations());
}

static Nest threeLevels() {
  Nest nest = convolution();
  addMemory(nest, "DRAM", {0, 1, 2});
  addMemory(nest, "GLB", {0, 2});
  nest.places.push_back({PlaceKind::Array, "PE", {}, {{"x", 14}, {"y", 12}}, {}});
  addMemory(nest, "RF", {0, 1, 2});
  return nest;
}

static Nest fourLevelsOf1024Lanes() {
  Nest nest = convolution();
  addMemory(nest, "DRAM", {0, 1, 2});
  addMemory(nest, "GLB", {0, 2});
  nest.places.push_back({PlaceKind::Array, "PE", {}, {{"x", 4}, {"y", 4}}, {}});
  addMemory(nest, "WBuf", {1});
  addMemory(nest, "IBuf", {0});
  addMemory(nest, "ABuf", {2});
  nest.places.push_back({PlaceKind::Array, "lane", {}, {{"k", 8}, {"c", 8}}, {}});
  return nest;
}

static void tables(benchmark::State &state, const Nest &nest) {
  Bench bench(nest);
  state.counters["distinct"] = distinctShare(bench, ordersOfRandomFactors);
  MappingEvaluator evaluator(bench.space, bench.weights);
  OrderTables tables(evaluator, bench.rules);
  std::mt19937 random(1);
  Mapping mapping = bench.space.emptyMapping();
  do {
    for (unsigned i = 0; i < 20; ++i)
      step(bench.space, mapping, random);
  } while (tables.forEach(mapping, [&](const Score &score) {
    benchmark::DoNotOptimize(score);
    return state.KeepRunning();
  }));
  state.SetItemsProcessed(state.iterations());
}

/// The searches without bounds from end to end, on one thread.
static void plain(benchmark::State &state, const Nest &nest, bool isRandom) {
  Bench bench(nest);
  SearchGoal goal{SearchGoal::Scalar, [](const Score &s) { return s.energy * s.latency; }};
  SearchOptions options;
  options.mostEvaluations = 2000000;
  PlainOptions plain;
  plain.isRandom = isRandom;
  int64_t evaluated = 0;
  for (auto _ : state)
    evaluated +=
        plainSearch(bench.space, bench.weights, bench.rules, goal, options, plain).evaluated;
  state.SetItemsProcessed(evaluated);
}

BENCHMARK_CAPTURE(plain, threeLevelsExhaustive, threeLevels(), false);
BENCHMARK_CAPTURE(plain, threeLevelsDrawn, threeLevels(), true);
BENCHMARK_CAPTURE(plain, lanes1024Exhaustive, fourLevelsOf1024Lanes(), false);
BENCHMARK_CAPTURE(plain, lanes1024Drawn, fourLevelsOf1024Lanes(), true);
BENCHMARK_CAPTURE(tables, threeLevels, threeLevels());
BENCHMARK_CAPTURE(tables, lanes1024, fourLevelsOf1024Lanes());
BENCHMARK_CAPTURE(evaluate, threeLevelsRandom, threeLevels(), randomMappings);
BENCHMARK_CAPTURE(evaluate, threeLevelsOrders, threeLevels(), ordersOfRandomFactors);
BENCHMARK_CAPTURE(evaluate, threeLevelsEnumerated, threeLevels(), enumeratedMappings);
BENCHMARK_CAPTURE(evaluate, lanes1024Random, fourLevelsOf1024Lanes(), randomMappings);
BENCHMARK_CAPTURE(evaluate, lanes1024Orders, fourLevelsOf1024Lanes(), ordersOfRandomFactors);
BENCHMARK_CAPTURE(evaluate, lanes1024Enumerated, fourLevelsOf1024Lanes(), enumeratedMappings);

static void derive(benchmark::State &state) {
  Nest nest = convolution();
  addMemory(nest, "DRAM", {0, 1, 2});
  addMemory(nest, "GLB", {0, 2});
  addMemory(nest, "RF", {0, 1, 2});
  for (auto _ : state) {
    std::string reason;
    llvm::Optional<MapSpace> space = makeMapSpace(nest, reason);
    CostWeights weights = weightsFor(*space);
    MappingEvaluator evaluator(*space, weights);
    benchmark::DoNotOptimize(evaluator.evaluate(space->emptyMapping()));
  }
}
BENCHMARK(derive);
