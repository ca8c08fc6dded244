// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests whose tensors have zeros: no bound is above what a mapping costs, and the search finds what
// the enumeration of all mappings finds.
#include "Cases.h"
#include "backends/loopnest/search/SparseWeights.h"
#include "test/unit/Rounds.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

static Density randomDensity(std::mt19937 &random) {
  int64_t group = 2 + int64_t(random() % 3);
  switch (random() % 6) {
  case 0:
    return Density::structured(int64_t(random() % uint64_t(group + 1)), group);
  case 1:
    return Density::banded(int64_t(random() % 3));
  case 2:
    return Density::measured(4, {{0, 1.0 + double(random() % 4)}, {1, 2}, {4, 1}});
  case 3:
    return {};
  default:
    return Density::uniform(double(random() % 11) / 10);
  }
}

static Storage randomStorage(std::mt19937 &random) {
  static const char *names[] = {"uncompressed", "bitmask", "rle",    "coordinate", "csr",
                                "UOP CP",       "B",       "CP RLE", "UB",         "uncompressed"};
  return *parseStorage(names[random() % std::size(names)]);
}

/// Zeros of some tensors, and which of them leave something out.
static Sparsity randomZeros(const MapSpace &space, std::mt19937 &random) {
  Sparsity zeros;
  for (const Tensor &tensor : space.nest.tensors) {
    SparseTensor sparse;
    for (const Subscript &rank : tensor.ranks) {
      int64_t values = 1;
      for (const Term &term : rank.terms)
        values += std::abs(term.coefficient) * (space.nest.dims[term.dim].size - 1);
      sparse.shape.push_back(rank.extent ? *rank.extent : values);
    }
    bool isDense = tensor.isOutput && random() % 3;
    sparse.density = isDense ? Density() : randomDensity(random);
    sparse.storage = isDense ? Storage() : randomStorage(random);
    if (random() % 4 == 0)
      sparse.storages.push_back({space.nest.places.front().name, randomStorage(random)});
    zeros.tensors.push_back(sparse);
  }
  for (unsigned i = random() % 4; i > 0; --i) {
    auto tensor = unsigned(random() % space.tensors.size());
    auto condition = unsigned(random() % space.tensors.size());
    if (tensor != condition && condition != space.output)
      zeros.savings.push_back({tensor, condition, random() % 2 == 0});
  }
  return zeros;
}

namespace {

/// A case with zeros: `c` knows nothing of them.
struct SparseCase {
  Case c;
  Sparsity zeros;
  MapSpace space;
  CostWeights weights; ///< lower bounds

  SparseCase(Case of, std::mt19937 &random) : c(std::move(of)) {
    zeros = randomZeros(c.space, random);
    c.weights.pointEnergy = double(random() % 50);
    c.weights.constantEnergy = c.weights.pointEnergy * double(c.space.points);
    space = c.space;
    space.held = leastHeld(space.nest, zeros);
    weights = withZeros(c.weights, space.nest, zeros);
  }
};

} // namespace

/// What is expected to be moved; nothing where the nest is not counted.
static llvm::Optional<SparseCounts> expected(const SparseCase &c, const Nest &nest) {
  AnalysisResult result = analyse(nest);
  if (!result.counts)
    return llvm::None;
  return applySparsity(nest, c.zeros, *result.counts);
}

/// Energy by what is powered, latency by what takes time; whatever has room.
static Score scoreOf(const SparseCase &c, const Nest &nest, const SparseCounts &counts) {
  CostWeights still = c.c.weights;
  still.leak = 0;
  Score score = scoreOf(still, nest, counts.powered);
  score.latency = scoreOf(still, nest, counts.timed).latency;
  score.energy += c.c.weights.pointEnergy * double(counts.powered.macs);
  score.energy += c.c.weights.leak * score.latency;
  return score;
}

static llvm::Optional<Score> weighed(const SparseCase &c, const Nest &nest) {
  llvm::Optional<SparseCounts> counts = expected(c, nest);
  for (unsigned m = 1; counts && m < c.space.lanes(); ++m) {
    const auto &capacity = c.c.weights.memories[m].capacityBits;
    if (capacity && counts->powered.memories[m].maxResidentBits > *capacity)
      return llvm::None;
  }
  return counts ? llvm::Optional<Score>(scoreOf(c, nest, *counts)) : llvm::None;
}

TEST(SparseBounds, NoMappingCostsOrHoldsLess) {
  std::mt19937 random(31);
  unsigned compared = 0, tight = 0;
  for (unsigned i = 0; i < rounds(4000); ++i) {
    llvm::Optional<Case> dense = randomCase(random, /*isCoupled=*/i % 8 == 0);
    if (!dense)
      continue;
    if (i % 3 == 0)
      dense->space.nest.places.front().partialBits = 2 * dense->space.tensors.back().bits;
    SparseCase c(*dense, random);
    ChainBounds bounds(c.space, c.weights, c.c.elements);
    for (unsigned k = 0; k < 8; ++k) {
      llvm::Optional<ChainNode> node = randomChains(c.space, random);
      Nest nest = node ? c.space.withLoops(node->mapping) : Nest();
      llvm::Optional<SparseCounts> counts = node ? expected(c, nest) : llvm::None;
      if (!counts)
        continue;
      Score score = scoreOf(c, nest, *counts);
      ++compared;
      for (unsigned decided = 0; decided <= c.space.slots.size(); ++decided) {
        Score bound = bounds.bound(*node, decided);
        ASSERT_LE(bound.energy, score.energy) << "case " << i << ", " << decided << " slots";
        ASSERT_LE(bound.latency, score.latency) << "case " << i << ", " << decided << " slots";
        tight += decided == c.space.slots.size() && bound.energy > score.energy / 2;
      }
      for (unsigned m = 1; m < c.space.lanes(); ++m)
        ASSERT_LE(bounds.leastBits(*node, m), double(counts->powered.memories[m].maxResidentBits))
            << "case " << i;
    }
  }
  EXPECT_GE(compared, least(5000));
  EXPECT_GE(tight, least(1000));
}

/// With floors, which know what has room, and by the closed form of perfect factors.
TEST(SparseBounds, NoMappingThatFitsCostsLess) {
  std::mt19937 random(32);
  unsigned compared = 0;
  for (unsigned i = 0; i < rounds(3000); ++i) {
    llvm::Optional<Case> dense = randomCase(random);
    if (!dense)
      continue;
    SparseCase c(*dense, random);
    bool imperfect = i % 2;
    ChainBounds bounds(c.space, c.weights, c.c.elements);
    bounds.useFloors(imperfect, 300);
    Score root = bounds.bound(ChainBounds::rootOf(c.space), 0);
    MappingEvaluator evaluator(c.space, c.weights);
    for (unsigned k = 0; k < 12; ++k) {
      llvm::Optional<ChainNode> node;
      if (imperfect)
        node = randomChains(c.space, random);
      else
        node = ChainNode{randomMapping(c.space, random), {}};
      llvm::Optional<Score> score =
          node ? weighed(c, c.space.withLoops(node->mapping)) : llvm::None;
      if (!score)
        continue;
      ++compared;
      ASSERT_LE(root.energy, score->energy) << "case " << i;
      ASSERT_LE(root.latency, score->latency) << "case " << i;
      if (imperfect)
        continue;
      Score closed = evaluator.evaluate(node->mapping);
      ASSERT_LE(closed.energy, score->energy) << "case " << i;
      ASSERT_LE(closed.latency, score->latency) << "case " << i;
      ASSERT_TRUE(evaluator.fits(node->mapping)) << "case " << i;
    }
  }
  EXPECT_GE(compared, least(3000));
}

/// Every order of a memory costs what one of those that are told apart does; of those that dense
/// counts tell apart that is not so.
TEST(SparseOrders, EqualOnesCostTheSame) {
  std::mt19937 random(36);
  unsigned compared = 0, missing = 0;
  for (unsigned i = 0; i < rounds(1200); ++i) {
    llvm::Optional<Case> dense = randomCase(random);
    if (!dense)
      continue;
    SparseCase c(*dense, random);
    Mapping mapping = randomMapping(c.space, random);
    unsigned slot = c.space.memorySlot[random() % c.space.lanes()];
    llvm::SmallVector<uint8_t, maxDims> loops, others;
    for (uint8_t d = 0; d < c.space.dims(); ++d)
      (mapping.factor[slot][d] > 1 ? loops : others).push_back(d);
    if (slot == c.space.memorySlot.back() || loops.size() < 3 || loops.size() > 4)
      continue;
    auto scoreWith = [&](const std::array<uint8_t, maxDims> &order) {
      Mapping own = mapping;
      own.order[slot] = order;
      Nest nest = c.space.withLoops(own);
      llvm::Optional<SparseCounts> counts = expected(c, nest);
      return counts ? scoreOf(c, nest, *counts) : Score();
    };
    auto hasEqual = [&](const Score &score, bool onlyEqual) {
      auto list = raggedOrders(c.space, mapping.factor[slot], 0, 50000, onlyEqual);
      return llvm::any_of(list, [&](const auto &order) {
        Score other = scoreWith(order);
        return std::abs(other.energy - score.energy) <= 1e-9 * score.energy &&
               other.latency == score.latency;
      });
    };
    std::array<uint8_t, maxDims> order = mapping.order[slot];
    std::copy(others.begin(), others.end(), order.begin());
    do {
      std::copy(loops.begin(), loops.end(), order.begin() + others.size());
      Score score = scoreWith(order);
      ASSERT_TRUE(hasEqual(score, /*onlyEqual=*/true)) << "case " << i;
      missing += !hasEqual(score, /*onlyEqual=*/false);
      ++compared;
    } while (std::next_permutation(loops.begin(), loops.end()));
  }
  EXPECT_GE(compared, least(500));
  EXPECT_GE(missing, least(1));
}

/// The same with any number of threads.
static void compareSparse(std::mt19937 &random, const SearchGoal &goal, unsigned wanted) {
  unsigned compared = 0, fitting = 0, pruned = 0;
  for (unsigned i = 0; i < 40000 && compared < rounds(wanted); ++i) {
    llvm::Optional<Case> dense = randomCase(random);
    bool imperfect = i % 2;
    double estimate = 1;
    for (unsigned d = 0; dense && d < dense->space.dims(); ++d) {
      auto size = dense->space.nest.dims[d].size;
      double choices = imperfect ? double(size) : double(divisors(size).size());
      estimate *= std::pow(choices, double(dense->space.slots.size()) - 1);
    }
    if (!dense || estimate > 8000 || estimate < 30)
      continue;
    SparseCase c(*dense, random);
    NestWeigher weigh = [&](const Nest &nest, unsigned, bool &) { return weighed(c, nest); };
    SlotRules rules = openRules(c.space);
    Case roomy = c.c; // the enumeration knows of room by weighing alone
    for (MemoryWeights &memory : roomy.weights.memories)
      memory.capacityBits = llvm::None;
    llvm::Optional<double> all = exhaustive(roomy, rules, goal, 6000, imperfect, weigh);
    if (!all)
      continue;
    SearchOptions options;
    ChainOptions chains;
    chains.imperfect = imperfect;
    chains.equalOrders = true;
    chains.probes = compared % 2 ? 100 : 0;
    SearchResult found = chainSearch(c.space, c.weights, rules, goal, options, chains, weigh, {});
    ASSERT_TRUE(found.isProven());
    options.threads = 3;
    SearchResult again = chainSearch(c.space, c.weights, rules, goal, options, chains, weigh, {});
    ASSERT_EQ(again.evaluated, found.evaluated) << "case " << i;
    ASSERT_EQ(again.front.size(), found.front.size());
    for (size_t k = 0; k < found.front.size(); ++k)
      ASSERT_EQ(again.front[k].score, found.front[k].score);
    ASSERT_EQ(found.front.empty(), *all == HUGE_VAL) << "case " << i;
    ++compared;
    if (found.front.empty())
      continue;
    ++fitting;
    ASSERT_NEAR(goal.value(found.front.front().score), *all, 1e-9 * *all) << "case " << i;
    pruned += double(found.evaluated) < estimate;
  }
  EXPECT_EQ(compared, rounds(wanted));
  EXPECT_GE(fitting, least(wanted / 2));
  EXPECT_GE(pruned, least(1));
}

TEST(SparseSearch, EnergyEqualsExhaustive) {
  std::mt19937 random(33);
  compareSparse(random, {SearchGoal::Scalar, [](const Score &s) { return s.energy; }}, 60);
}

TEST(SparseSearch, LatencyEqualsExhaustive) {
  std::mt19937 random(34);
  compareSparse(random, {SearchGoal::Scalar, [](const Score &s) { return s.latency; }}, 40);
}

TEST(SparseSearch, EdpEqualsExhaustive) {
  std::mt19937 random(35);
  compareSparse(random, {SearchGoal::Scalar, [](const Score &s) { return s.energy * s.latency; }},
                60);
}
