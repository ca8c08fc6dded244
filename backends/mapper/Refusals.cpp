// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/ChainBounds.h"
#include "backends/loopnest/search/ChainSearch.h"
#include "backends/loopnest/search/LeastTiles.h"
#include "backends/loopnest/search/TileSizes.h"
#include "backends/mapper/NestSpace.h"
#include <random>

using namespace perfc;
using namespace perfc::mapper;
using namespace perfc::loopnest;

/// Most choices of what memories keep that are looked at.
static constexpr unsigned mostSpaces = 64;
/// And mappings of each that meet its rules.
static constexpr unsigned mostRuled = 8;

namespace {

/// Random mappings, whatever the constraints are: perfect ones, or any chains.
class Sample {
public:
  explicit Sample(const NestSpace &nest)
      : nest(nest),
        bounds(nest.space, nest.weights, std::vector<int64_t>(nest.space.tensors.size(), 0)) {
    if (nest.hasClosedForm())
      tiles.emplace(nest.space);
    for (const Dim &dim : nest.space.nest.dims) {
      std::vector<int64_t> &list = primes.emplace_back();
      int64_t rest = dim.size;
      for (int64_t prime = 2; rest > 1; ++prime) {
        prime = prime > rest / prime ? rest : prime;
        for (; rest % prime == 0; rest /= prime)
          list.push_back(prime);
      }
    }
  }
  Mapping next(std::mt19937_64 &random) const;
  /// The constraints that `mapping` violates, and by how much together: lanes and bits as a share
  /// of what there is, factors that rules exclude one each.
  std::vector<std::string> violated(const Mapping &mapping, double &excess) const;
  /// How far it is from a legal one: first by the number of constraints, then by how much it is
  /// beyond them.
  double distance(const Mapping &mapping) const;
  /// Moves factors between places as long as that brings it nearer.
  void approach(Mapping &mapping) const;

private:
  double bitsAt(const Mapping &mapping, unsigned memory) const;
  bool approachOnce(Mapping &mapping, unsigned dim, double &best) const;

  const NestSpace &nest;
  ChainBounds bounds;
  llvm::Optional<TileSizes> tiles;          ///< of spaces with a closed form
  std::vector<std::vector<int64_t>> primes; ///< factors by dimension
};

} // namespace

Mapping Sample::next(std::mt19937_64 &random) const {
  const MapSpace &space = nest.space;
  Mapping mapping = space.emptyMapping();
  for (unsigned d = 0; d < space.dims(); ++d) {
    mapping.factor[0][d] = 1;
    for (int64_t prime : primes[d]) {
      int64_t &factor = mapping.factor[random() % space.slots.size()][d];
      factor *= nest.isImperfect ? 1 + int64_t(random() % uint64_t(prime)) : prime;
    }
  }
  if (nest.isImperfect)
    completeChains(space, true, mapping);
  return mapping;
}

/// What the slots from the memory's on cover; without a closed form sums are as small as results.
double Sample::bitsAt(const Mapping &mapping, unsigned memory) const {
  if (tiles)
    return static_cast<double>(tiles->bits(mapping, memory));
  ChainNode node;
  for (auto &inside : node.inside)
    inside.fill(1);
  unsigned slot = nest.space.memorySlot[memory];
  for (unsigned d = 0; d < nest.space.dims(); ++d) {
    for (unsigned s = slot; s < nest.space.slots.size(); ++s)
      node.inside[slot][d] *= mapping.factor[s][d];
    node.inside[slot][d] = std::min(node.inside[slot][d], nest.space.nest.dims[d].size);
  }
  return bounds.leastBits(node, memory);
}

std::vector<std::string> Sample::violated(const Mapping &mapping, double &excess) const {
  std::vector<std::string> names;
  excess = 0;
  const MapSpace &space = nest.space;
  if (nest.order && !nest.order->isKeptBy(space.withLoops(mapping))) {
    names.push_back("the order in which points need each other");
    excess += 1;
  }
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    int64_t lanes = 1;
    unsigned excluded = 0;
    for (unsigned d = 0; d < space.dims(); ++d) {
      lanes *= mapping.factor[s][d];
      excluded += !nest.rules[s].allows(d, mapping.factor[s][d]);
    }
    if (excluded)
      names.push_back("the loops that the mapspace allows at " + nest.rules[s].name);
    excess += excluded;
    if (space.slots[s].isAxis && lanes > space.slots[s].size) {
      names.push_back(fmt::format("the {} lanes of {}", space.slots[s].size, nest.rules[s].name));
      excess += double(lanes) / double(space.slots[s].size) - 1;
    } else if (!space.slots[s].isAxis) {
      const auto &capacity = nest.weights.memories[space.slots[s].number].capacityBits;
      double bits = bitsAt(mapping, space.slots[s].number);
      if (!capacity || bits <= double(*capacity))
        continue;
      names.push_back("the capacity of " + nest.rules[s].name);
      excess += bits / double(std::max<int64_t>(*capacity, 1)) - 1;
    }
  }
  return names;
}

double Sample::distance(const Mapping &mapping) const {
  double excess;
  auto violations = static_cast<double>(violated(mapping, excess).size());
  return violations + excess / (1 + excess);
}

bool Sample::approachOnce(Mapping &mapping, unsigned dim, double &best) const {
  for (unsigned from = 0; from < nest.space.slots.size(); ++from)
    for (unsigned to = 0; to < nest.space.slots.size(); ++to)
      for (int64_t part : divisors(mapping.factor[from][dim])) {
        if (from == to || part == 1)
          continue;
        Mapping moved = mapping;
        moved.factor[from][dim] /= part;
        moved.factor[to][dim] *= part;
        if (double now = distance(moved); now < best) {
          best = now;
          mapping = moved;
          return true;
        }
      }
  return false;
}

void Sample::approach(Mapping &mapping) const {
  double best = distance(mapping);
  for (bool nearer = !nest.isImperfect; nearer;) {
    nearer = false;
    for (unsigned dim = 0; dim < nest.space.dims(); ++dim)
      nearer |= approachOnce(mapping, dim, best);
  }
}

/// Calls `visit` with some mappings that meet the rules, whatever has room for them: on the lanes
/// that there are, and on any; and with what the chains of factors that need the least room make of
/// each with the least `distance`. `steps` may still be taken.
static void forRuled(const NestSpace &nest, int64_t &steps,
                     llvm::function_ref<double(const Mapping &)> distance,
                     llvm::function_ref<void(const Mapping &)> visit) {
  CostWeights roomy = nest.weights;
  for (MemoryWeights &memory : roomy.memories)
    if (memory.capacityBits)
      memory.capacityBits = INT64_MAX;
  MapSpace wide = nest.space;
  for (Slot &slot : wide.slots)
    slot.size = INT64_MAX;
  for (const MapSpace *space : {&nest.space, static_cast<const MapSpace *>(&wide)}) {
    unsigned seen = 0;
    LeastTiles least(*space, roomy, nest.rules, nest.isImperfect, steps);
    least.forEach([&](Mapping mapping) {
      visit(mapping);
      least.approach(mapping, distance);
      visit(mapping);
      return ++seen < mostRuled;
    });
  }
}

Refusals mapper::explainRefusals(const NestSpace &nest) {
  // The spaces of some choices of what memories keep, evenly over all.
  std::vector<NestSpace> spaces;
  size_t wanted = std::min<size_t>(nest.keeps.size(), mostSpaces);
  for (size_t i = 0; i < wanted; ++i)
    spaces.push_back(withKeeps(nest, nest.keeps[i * nest.keeps.size() / wanted]));
  std::vector<Sample> samples(spaces.begin(), spaces.end());
  std::mt19937_64 random(1);
  Refusals result;
  double best = 0;
  auto keepNearest = [&](size_t choice, const Mapping &mapping) {
    double distance = samples[choice].distance(mapping);
    if (!result.nearest.empty() && distance >= best)
      return;
    best = distance;
    result.nearest = mappingLines(spaces[choice], mapping, "  ");
    double excess;
    result.nearestLacks =
        fmt::format("{}", fmt::join(samples[choice].violated(mapping, excess), ", "));
  };
  int64_t steps = LeastTiles::mostSteps;
  for (size_t choice = 0; choice < spaces.size(); ++choice)
    forRuled(
        spaces[choice], steps,
        [&](const Mapping &mapping) { return samples[choice].distance(mapping); },
        [&](Mapping mapping) {
          samples[choice].approach(mapping);
          keepNearest(choice, mapping);
        });
  for (result.sampled = 0; result.sampled < 20000; ++result.sampled) {
    size_t choice = random() % samples.size();
    Mapping mapping = samples[choice].next(random);
    double excess;
    for (const std::string &name : samples[choice].violated(mapping, excess)) {
      auto known =
          llvm::find_if(result.constraints, [&](const auto &c) { return c.first == name; });
      if (known == result.constraints.end())
        known = result.constraints.insert(known, {name, 0});
      ++known->second;
    }
    if (result.sampled % 2048 == 0)
      samples[choice].approach(mapping);
    keepNearest(choice, mapping);
  }
  llvm::stable_sort(result.constraints,
                    [](const auto &a, const auto &b) { return a.second > b.second; });
  return result;
}
