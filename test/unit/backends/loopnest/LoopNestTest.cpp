// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The row-stationary mapping of a ResNet-50 first layer on an Eyeriss-like chip. The counts are
// those of executing the nest (the reuse analysis has its own tests); the rest is done by hand:
//     DRAM  131712 W + 807912 I + 802816 O words of 2 B = 3484880 B, at 8 B/cycle 435610 cycles
//     GLB   (807912 + 2483712 + 2408448 + 1605632 + 802816) * 2 B = 16217040 B, at 32 B/cycle
//     506782.5
#include "backends/loopnest/LoopNest.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "test/unit/ProviderTest.h"

using namespace perfc;

static const char *const program = R"(
target.chip @eyeriss (dtype = "int16", clock = 200MHz) {
  target.memory @DRAM (bandwidth = 1.6GB/s, read_energy = 100pJ/B, write_energy = 100pJ/B)
  target.memory @GLB (capacity = 108KiB, bandwidth = 6.4GB/s, read_energy = 3pJ/B, write_energy = 3pJ/B, keep = ["input", "output"])
  target.array @PE (axes = {x = 14, y = 12}) {
    target.network (multicast = ["x", "y"], reduce = ["y"]HOP)
    target.memory @WSpad (capacity = 448B, read_energy = 0.5pJ/B, write_energy = 0.5pJ/B, keep = ["weight"])
    target.memory @ISpad (capacity = 24B, read_energy = 0.5pJ/B, write_energy = 0.5pJ/B, keep = ["input"])
    target.memory @PSpad (capacity = PSPADB, read_energy = 0.5pJ/B, write_energy = 0.6pJ/B, keep = ["output"])
    target.compute @MAC (rate = {any = 200MHz}, energy = {any = 1pJ})
  }
}
op.kernel @conv1 (op = "conv2d", parameters = {stride = 2}) {
  op.operand @I (role = "input", shape = [1, 3, 229, 229], dtype = "int16")
  op.operand @W (role = "weight", shape = [64, 3, 7, 7], dtype = "int16")
  op.operand @O (role = "output", shape = [1, 64, 112, 112], dtype = "int16")
  op.statement (write = {tensor = "O", map = [n, m, p, q]}, reads = [{tensor = "I", map = [n, c, 2*p + r, 2*q + s]}, {tensor = "W", map = [m, c, r, s]}], domain = {n = 1, m = 64, p = 112, q = 112, c = 3, r = 7, s = 7}, reduce = "+", mac, flops = 2, text = "")
}
loopnest.nest @nest (kernel = @conv1, statement = 0, target = @eyeriss, mapping = "row_stationary",
    domain = "{ conv2d[n = 0, m, p, q, c, r, s] : 0 <= m <= 63 and 0 <= p <= 111 and 0 <= q <= 111 and 0 <= c <= 2 and 0 <= r <= 6 and 0 <= s <= 6 }") {
  loopnest.tensor @I (role = "input", bits = 16, map = [n, c, 2*p + r, 2*q + s], shape = [1, 3, 229, 229],
    access = "{ conv2d[n, m, p, q, c, r, s] -> I[n, c, 2p + r, 2q + s] }")
  loopnest.tensor @W (role = "weight", bits = 16, map = [m, c, r, s], shape = [64, 3, 7, 7],
    access = "{ conv2d[n, m, p, q, c, r, s] -> W[m, c, r, s] }")
  loopnest.tensor @O (role = "output", bits = 16, output, map = [n, m, p, q], shape = [1, 64, 112, 112],
    access = "{ conv2d[n, m, p, q, c, r, s] -> O[n, m, p, q] }")
  loopnest.at (place = "DRAM") { loopnest.for (index = "m", factor = 4, step = 16) {
  loopnest.for (index = "p", factor = 14, step = 8) { loopnest.for (index = "c", factor = 3, step = 1) {
  loopnest.at (place = "GLB") { loopnest.for (index = "p", factor = 8, step = 1) {
  loopnest.for (index = "q", factor = 8, step = 14) {
  loopnest.at (place = "PE") { loopnest.parallel (axis = "PE.x", indices = ["q"], factor = 14, steps = [1]) {
  loopnest.parallel (axis = "PE.y", indices = ["r"], factor = 7, steps = [1]) {
  loopnest.at (place = "WSpad") { loopnest.at (place = "ISpad") { loopnest.at (place = "PSpad") {
  loopnest.for (index = "m", factor = 16, step = 1) { loopnest.for (index = "s", factor = 7, step = 1) {
    loopnest.compute (unit = "MAC")
  } } } } } } } } } } } } } } }
}
)";

static std::string replaced(std::string text, llvm::StringRef what, llvm::StringRef by) {
  size_t at = text.find(what.str());
  return text.replace(at, what.size(), by.str());
}

static std::string programWith(llvm::StringRef hop, llvm::StringRef pspad = "48") {
  return replaced(replaced(program, "HOP", hop), "PSPAD", pspad);
}

static const AccessCounts &row(const Cost &cost, llvm::StringRef memory, llvm::StringRef tensor) {
  for (const AccessCounts &access : cost.accesses)
    if (access.memory == memory && access.tensor == tensor)
      return access;
  static const AccessCounts none;
  ADD_FAILURE() << "no row " << memory.str() << " " << tensor.str();
  return none;
}

TEST(LoopNest, RowStationaryTimeAndEnergy) {
  ParsedModule module(programWith(""));
  auto cost = module.cost<loopnest::LoopNestProvider>("nest", "eyeriss");
  ASSERT_TRUE(cost) << module.messages();
  EXPECT_EQ(cost->cycles->central(), 1204224);
  EXPECT_DOUBLE_EQ(cost->latency.central(), 6.02112e-3);
  EXPECT_EQ(cost->macs, 118013952);
  EXPECT_EQ(cost->flops, 236027904);
  EXPECT_NEAR(cost->utilization.central(), 98.0 / 168, 1e-12);
  EXPECT_EQ(cost->bottleneck(), "compute MAC");
  ASSERT_EQ(cost->traffic.size(), 5u);
  EXPECT_DOUBLE_EQ(cost->traffic[0].bytes(), 3484880);
  EXPECT_DOUBLE_EQ(cost->traffic[0].latency.central(), 435610 / 200e6);
  EXPECT_DOUBLE_EQ(cost->traffic[1].bytes(), 16217040);
  EXPECT_DOUBLE_EQ(cost->traffic[1].latency.central(), 506783 / 200e6);
  ASSERT_TRUE(cost->energy.isGiven());
  EXPECT_NEAR(cost->energy.known.central(), 1023563900.8e-12, 1e-15);
  EXPECT_EQ(cost->provenance.mapping, "row_stationary");
}

TEST(LoopNest, RowStationaryAccesses) {
  ParsedModule module(programWith(""));
  auto cost = module.cost<loopnest::LoopNestProvider>("nest", "eyeriss");
  ASSERT_TRUE(cost) << module.messages();
  EXPECT_EQ(row(*cost, "WSpad", "W").fills, 1843968);
  EXPECT_EQ(row(*cost, "ISpad", "I").fills, 7375872);
  EXPECT_EQ(row(*cost, "GLB", "I").fills, 807912);
  EXPECT_EQ(row(*cost, "GLB", "I").reads, 2483712);
  EXPECT_EQ(row(*cost, "PSpad", "O").fills, 1605632);
  EXPECT_EQ(row(*cost, "PSpad", "O").reads, 102760448);
  EXPECT_EQ(row(*cost, "PSpad", "O").writebacks, 16859136);
  EXPECT_EQ(row(*cost, "PSpad", "O").updates, 118013952);
  EXPECT_EQ(row(*cost, "GLB", "O").writebacks, 802816);
}

TEST(LoopNest, HopsAreALineOfTheirOwn) {
  ParsedModule without(programWith("")), with(programWith(", hop_energy = 1pJ/B"));
  auto plain = without.cost<loopnest::LoopNestProvider>("nest", "eyeriss");
  auto hops = with.cost<loopnest::LoopNestProvider>("nest", "eyeriss");
  ASSERT_TRUE(plain && hops);
  double network = 0;
  for (const CostPart &part : hops->breakdown.children)
    if (part.kind == PartKind::Network)
      network += part.energy.known.central();
  EXPECT_GT(network, 0);
  EXPECT_NEAR(hops->energy.known.central(), plain->energy.known.central() + network, 1e-15);
}

TEST(LoopNest, TileTooLargeIsAnError) {
  ParsedModule module(programWith("", "30"));
  EXPECT_FALSE(module.cost<loopnest::LoopNestProvider>("nest", "eyeriss"));
  EXPECT_EQ(module.messages(), "`PSpad` holds 30.00 B; this tile needs 32.00 B: O 32.00 B\n");
}

TEST(LoopNest, NestThatCannotBeCountedIsAnError) {
  ParsedModule module(replaced(programWith(""), "axis = \"PE.y\"", "axis = \"PE.z\""));
  EXPECT_FALSE(module.cost<loopnest::LoopNestProvider>("nest", "eyeriss"));
  ASSERT_EQ(module.diagnostics.all().size(), 1u);
  EXPECT_EQ(module.diagnostics.all()[0].kind->code, diag::NestNotCounted.code);
}
