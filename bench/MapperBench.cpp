// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mappings per second of the closed-form evaluator, generation included: distinct random mappings
// of one convolution, each weighed for energy and latency.
#include "backends/loopnest/search/MappingEvaluator.h"
#include <benchmark/benchmark.h>
#include <random>

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

/// A random prime factor of a random dimension goes from its slot to another.
static void step(const MapSpace &space, Mapping &mapping, std::mt19937 &random) {
  unsigned d = random() % space.dims(), from = random() % space.slots.size();
  for (unsigned k = 0; k < space.slots.size(); ++k, from = (from + 1) % space.slots.size())
    for (int64_t prime : {2, 3, 7})
      if (mapping.factor[from][d] % prime == 0) {
        unsigned to = random() % space.slots.size();
        mapping.factor[from][d] /= prime;
        mapping.factor[to][d] *= prime;
        return;
      }
}

static void evaluate(benchmark::State &state, const Nest &nest) {
  std::string reason;
  llvm::Optional<MapSpace> space = makeMapSpace(nest, reason);
  CostWeights weights = weightsFor(*space);
  MappingEvaluator evaluator(*space, weights);
  Mapping mapping = space->emptyMapping();
  std::mt19937 random(1);
  for (auto _ : state) {
    step(*space, mapping, random);
    benchmark::DoNotOptimize(evaluator.evaluate(mapping));
  }
  state.SetItemsProcessed(state.iterations());
}

static void threeLevels(benchmark::State &state) {
  Nest nest = convolution();
  addMemory(nest, "DRAM", {0, 1, 2});
  addMemory(nest, "GLB", {0, 2});
  nest.places.push_back({PlaceKind::Array, "PE", {}, {{"x", 14}, {"y", 12}}, {}});
  addMemory(nest, "RF", {0, 1, 2});
  evaluate(state, nest);
}
BENCHMARK(threeLevels);

static void fourLevelsOf1024Lanes(benchmark::State &state) {
  Nest nest = convolution();
  addMemory(nest, "DRAM", {0, 1, 2});
  addMemory(nest, "GLB", {0, 2});
  nest.places.push_back({PlaceKind::Array, "PE", {}, {{"x", 4}, {"y", 4}}, {}});
  addMemory(nest, "WBuf", {1});
  addMemory(nest, "IBuf", {0});
  addMemory(nest, "ABuf", {2});
  nest.places.push_back({PlaceKind::Array, "lane", {}, {{"k", 8}, {"c", 8}}, {}});
  evaluate(state, nest);
}
BENCHMARK(fourLevelsOf1024Lanes);

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
