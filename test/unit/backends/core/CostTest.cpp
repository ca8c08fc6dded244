// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/KernelWork.h"
#include "backends/core/Outcome.h"
#include "backends/core/StructuralHash.h"
#include "ir/op/Positions.h"
#include "test/unit/ProviderTest.h"
#include <array>
#include <cmath>
#include <random>
#include <set>

using namespace perfc;

static Cost sample(double latency, int64_t macs, llvm::StringRef bound) {
  Cost cost;
  cost.latency = Uncertain(latency, latency / 10, 1);
  cost.energy = Figure(Uncertain(2 * latency));
  cost.macs = macs;
  cost.flops = 2 * macs;
  cost.utilization = 0.5;
  cost.traffic.push_back({"DRAM", {}, true, 64, 32, {}, {}});
  cost.addBound(bound, cost.latency);
  return cost;
}

TEST(Cost, ARepeatIsThatManySums) {
  Cost part = sample(0.25, 100, "memory DRAM"), repeated, summed;
  ASSERT_FALSE(addSequential(repeated, part, 80));
  for (int i = 0; i < 80; ++i)
    ASSERT_FALSE(addSequential(summed, part));
  EXPECT_DOUBLE_EQ(repeated.latency.central(), 20);
  EXPECT_DOUBLE_EQ(summed.latency.central(), 20);
  // One source: the errors of all runs add up linearly.
  EXPECT_DOUBLE_EQ(repeated.latency.halfWidth(), 2);
  EXPECT_NEAR(summed.latency.halfWidth(), 2, 1e-12);
  EXPECT_EQ(repeated.macs, summed.macs);
  EXPECT_DOUBLE_EQ(repeated.energy.known.central(), summed.energy.known.central());
  EXPECT_DOUBLE_EQ(repeated.trafficBytes(), summed.trafficBytes());
  EXPECT_DOUBLE_EQ(repeated.utilization.central(), 0.5);
}

TEST(Cost, TheBottleneckHasMostTime) {
  Cost total;
  addSequential(total, sample(3, 0, "launch"));
  addSequential(total, sample(2, 0, "memory DRAM"), 2);
  EXPECT_EQ(total.bottleneck(), "memory DRAM");
  EXPECT_EQ(total.bottleneck(), "memory DRAM");
}

TEST(Cost, CountsDoNotWrap) {
  Cost total;
  EXPECT_EQ(addSequential(total, sample(1, INT64_MAX / 2, "x"), 3).getValueOr(""), "operations");
  Cost reads = sample(1, 1, "x"), others;
  reads.accesses.emplace_back();
  reads.accesses.back().memory = "GLB";
  reads.accesses.back().tensor = "A";
  reads.accesses.back().reads = INT64_MAX / 2;
  EXPECT_EQ(addSequential(others, reads, 3).getValueOr(""), "reads of `A` at `GLB`");
}

TEST(Cost, WhatIsNotGivenSaysWhose) {
  Outcome total;
  addSequential(total.cost, sample(1, 1, "x"));
  EXPECT_TRUE(metric(total, "energy")->hasNumber());
  total.cost.energy += Figure::notGiven("memory", "L2");
  total.cost.energy += Figure::notGiven("memory", "L2");
  EXPECT_EQ(metric(total, "edp")->notGiven, "energy of memory `L2` is not given");
  EXPECT_DOUBLE_EQ(metric(total, "throughput")->value.central(), 2);
  EXPECT_DOUBLE_EQ(metric(total, "traffic.DRAM")->value.central(), 96);
  EXPECT_FALSE(metric(total, "ttft"));
}

/// Each table of metrics is computed: whole, and in the dimensions that it says.
TEST(Cost, EveryNameIsAMetric) {
  Outcome outcomes[4];
  for (ResultKind kind : resultKinds)
    outcomes[static_cast<unsigned>(kind)].kind = kind;
  outcomes[1].training = std::make_shared<TrainingSummary>();
  auto served = std::make_shared<ServingSummary>();
  served->pools.emplace_back();
  outcomes[2].serving = served;
  for (const Outcome &outcome : outcomes)
    for (const MetricSpec &spec : metricsOf(outcome.kind)) {
      llvm::Optional<MetricValue> value = metric(outcome, spec.name);
      ASSERT_TRUE(value) << spec.name.str();
      EXPECT_TRUE(value->dimension == spec.dimension) << spec.name.str();
      EXPECT_TRUE(findMetric(spec.name)->dimension == spec.dimension) << spec.name.str();
    }
  EXPECT_FALSE(metric(outcomes[0], "ttft"));
  EXPECT_EQ(metric(outcomes[1], "traffic")->notGiven, "`train` does not count what memories move");
}

TEST(Cost, ServingHasOneLatency) {
  Outcome outcome;
  outcome.kind = ResultKind::Serving;
  auto served = std::make_shared<ServingSummary>();
  served->latency = Distribution::of({1, 3});
  outcome.serving = served;
  outcome.cost.latency = 10; // of the run
  outcome.cost.energy = Figure(Uncertain(40));
  EXPECT_DOUBLE_EQ(metric(outcome, "latency")->value.central(), 2);
  EXPECT_DOUBLE_EQ(metric(outcome, "latency.max")->value.central(), 3);
  EXPECT_DOUBLE_EQ(metric(outcome, "edp")->value.central(), 80);
  EXPECT_DOUBLE_EQ(metric(outcome, "power")->value.central(), 4);
}

TEST(Cost, MoneyIsOfChipsAndEnergy) {
  Outcome outcome;
  outcome.cost.latency = 3600;
  outcome.cost.energy = Figure(Uncertain(1e6));
  outcome.cost.chips = 2;
  EXPECT_EQ(metric(outcome, "cost")->notGiven, "no `price` is given");
  outcome.price = Price{3.0 / 3600, 1e-7};
  EXPECT_NEAR(metric(outcome, "cost")->value.central(), 6.1, 1e-9);
  EXPECT_FALSE(metric(outcome, "cost_per_token")->hasNumber());
  outcome.tokens = 1000;
  EXPECT_NEAR(metric(outcome, "cost_per_token")->value.central(), 0.0061, 1e-12);
}

/// All values of the subscript, one by one.
static int64_t bruteForce(int64_t a, int64_t p, int64_t b, int64_t r, int64_t constant,
                          int64_t size) {
  std::set<int64_t> values;
  for (int64_t i = 0; i < p; ++i)
    for (int64_t j = 0; j < r; ++j)
      if (int64_t at = a * i + b * j + constant; at >= 0 && at < size)
        values.insert(at);
  return static_cast<int64_t>(values.size());
}

TEST(Cost, ASourceMovesAMetricByTheLargerOfItsMoves) {
  auto at = [](double seconds, double joules) {
    Outcome outcome;
    outcome.cost.latency = seconds;
    outcome.cost.energy = Figure(Uncertain(joules));
    outcome.cost.leakageEnergy = Figure(Uncertain(0)); // without it a power is a lower bound
    return std::make_shared<const Outcome>(std::move(outcome));
  };
  Outcome outcome = *at(10, 100);
  outcome.ends = {{7, at(9, 100), at(13, 100)}, {8, at(14, 90), nullptr}};
  // -1 upward and +3 downward; +4 upward.
  EXPECT_DOUBLE_EQ(metric(outcome, "latency")->value.halfWidth(), 5);
  EXPECT_DOUBLE_EQ(metric(outcome, "latency")->value.contributions().front().delta, -3);
  EXPECT_DOUBLE_EQ(metric(outcome, "energy")->value.halfWidth(), 10);
  // 10 W, 100 / 13 - 10 and 90 / 14 - 10: 2.308 W and 3.571 W.
  EXPECT_NEAR(metric(outcome, "power")->value.halfWidth(), std::hypot(30. / 13, 50. / 14), 1e-12);
  EXPECT_TRUE(metric(outcome, "chips")->value.isCertain());
}

TEST(KernelWork, TouchedPositionsAreExact) {
  for (int64_t a : {-3, 1, 2, 4, 6})
    for (int64_t b : {-1, 1, 2, 3, 4})
      for (int64_t p : {1, 2, 5})
        for (int64_t r : {1, 3})
          for (int64_t constant : {-2, 0, 3})
            for (int64_t size : {1, 7, 40}) {
              ir::AttrDict domain{{"p", p}, {"r", r}};
              AffineExpr expr =
                  *add(*add(AffineExpr::variable("p", a), AffineExpr::variable("r", b)), constant);
              EXPECT_EQ(op::touchedPositions(expr, domain, size),
                        bruteForce(a, p, b, r, constant, size))
                  << expr.text() << " p<" << p << " r<" << r << " size " << size;
            }
}

/// Three random terms against all their sums, some cut at either end.
TEST(KernelWork, TouchedPositionsOfThreeTermsAreExact) {
  std::mt19937 random(23);
  auto draw = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
  };
  for (int round = 0; round < 20000; ++round) {
    int64_t constant = draw(-60, 20), size = draw(1, 150);
    std::array<int64_t, 3> step, count;
    for (int k = 0; k < 3; ++k)
      step[k] = draw(0, 1) ? draw(1, 9) : draw(-40, -1), count[k] = draw(1, 6);
    std::set<int64_t> values;
    for (int64_t i = 0; i < count[0]; ++i)
      for (int64_t j = 0; j < count[1]; ++j)
        for (int64_t k = 0; k < count[2]; ++k)
          if (int64_t at = constant + step[0] * i + step[1] * j + step[2] * k; at >= 0 && at < size)
            values.insert(at);
    AffineExpr sum(constant);
    for (int k = 0; k < 3; ++k)
      sum = *add(sum, AffineExpr::variable(std::string(1, "ijk"[k]), step[k]));
    ir::AttrDict domain{{"i", count[0]}, {"j", count[1]}, {"k", count[2]}};
    ASSERT_EQ(op::touchedPositions(sum, domain, size), static_cast<int64_t>(values.size()))
        << sum.text() << " size " << size << ", round " << round;
  }
}

/// Windows that leave rows out, and dilated taps between strided ones, of a long signal.
TEST(KernelWork, TouchedPositionsOfLongSignals) {
  int64_t n = int64_t(1) << 40;
  auto sum = [](int64_t a, int64_t b) {
    return *add(AffineExpr::variable("p", a), AffineExpr::variable("r", b));
  };
  EXPECT_EQ(op::touchedPositions(sum(3, 1), {{"p", n}, {"r", 2}}, 3 * n), 2 * n);
  EXPECT_EQ(op::touchedPositions(sum(3, 1), {{"p", n}, {"r", 2}}, n), (n + 2) / 3 + (n + 1) / 3);
  // Even ones from the first and third tap, odd ones from the second.
  EXPECT_EQ(op::touchedPositions(sum(2, 3), {{"p", 1 << 20}, {"r", 3}}, 1 << 22), (1 << 21) + 3);
}

static const char *const triangle = R"(
op.kernel @NAME (op = "attend", parameters = {}) {
  op.operand @q (role = "input", shape = [4, 5], dtype = "fp16")
  op.operand @s (role = "output", shape = [4, 9, 3], dtype = "fp16")
  op.statement (write = {tensor = "s", map = [i, j, h]}, reads = [{tensor = "q", map = [i, j]}], domain = {i = 4, j = 9, h = 3}, constraints = [i - j + 5], flops = 2, functions = {exp = 1}, text = "")
}
)";

static std::string named(llvm::StringRef name) {
  std::string text = triangle;
  return text.replace(text.find("NAME"), 4, name.str());
}

TEST(KernelWork, ConditionsAreCountedExactly) {
  ParsedModule module(named("k"));
  auto work = kernelWork(*module.module->lookup("k"), module.diagnostics);
  ASSERT_TRUE(work);
  // j <= i + 5: 6 + 7 + 8 + 9 of 36, for each of 3.
  EXPECT_EQ(work->flops, 2 * 30 * 3);
  ASSERT_EQ(work->elements.size(), 2u);
  EXPECT_EQ(work->elements[0].function, "exp");
  EXPECT_EQ(work->elements[0].count, 90);
  EXPECT_EQ(work->elements[1].function, "add");
}

TEST(StructuralHash, NamesDoNotCountButAttributesDo) {
  ParsedModule module(named("a") + named("b"));
  ir::Operation &a = *module.module->lookup("a"), &b = *module.module->lookup("b");
  EXPECT_EQ(structuralHash(a), structuralHash(b));
  b.body().back().setAttr("flops", 3);
  EXPECT_NE(structuralHash(a), structuralHash(b));
}

/// Two chips, each named by a kernel.
TEST(StructuralHash, WhatASymbolNamesCountsByWhatItSays) {
  ParsedModule module(named("a") + named("b") + named("c") + named("d"));
  ir::Operation &a = *module.module->lookup("a"), &b = *module.module->lookup("b");
  ir::Operation &c = *module.module->lookup("c"), &d = *module.module->lookup("d");
  a.setAttr("of", ir::Attribute::symbol("c"));
  b.setAttr("of", ir::Attribute::symbol("d"));
  HashCache hashes;
  EXPECT_EQ(hashes.of(a), hashes.of(b));
  EXPECT_EQ(hashes.of(a), structuralHash(a));
  d.body().back().setAttr("flops", 3);
  HashCache after;
  EXPECT_NE(after.of(a), after.of(b));
  // An operation that names itself through another, which no verified module has, has a hash.
  c.setAttr("of", ir::Attribute::symbol("a"));
  EXPECT_NE(structuralHash(a), structuralHash(b));
}
