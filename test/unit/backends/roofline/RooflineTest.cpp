// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of 64 x 32 by 32 x 16 on a chip of 4 units: 32768 MACs, 4096 + 1024 + 2048 bytes.
#include "backends/roofline/Roofline.h"
#include "test/unit/ProviderTest.h"

using namespace perfc;

static std::string program(llvm::StringRef bandwidth, llvm::StringRef dtype = "fp16") {
  return fmt::format(R"(
target.chip @chip (dtype = "fp16", clock = 1GHz, launch = 1us) {{
  target.memory @DRAM (off_chip, bandwidth = {0}, read_energy = 10pJ/B, write_energy = 20pJ/B)
  target.array @core (axes = {{x = 2, y = 2}}) {{
    target.compute @mac (rate = {{fp16 = 8GHz, fp32 = 1GHz}}, energy = {{fp16 = 2pJ}})
    target.compute @vector (rate = {{any = 2GHz}}, ops = ["exp"])
  }}
}}
op.kernel @mm (op = "matmul", parameters = {{}}) {{
  op.operand @A (role = "input", shape = [64, 32], dtype = "{1}")
  op.operand @B (role = "weight", shape = [32, 16], dtype = "{1}")
  op.operand @C (role = "output", shape = [64, 16], dtype = "{1}")
  op.statement (write = {{tensor = "C", map = [m, n]}}, reads = [{{tensor = "A", map = [m, k]}}, {{tensor = "B", map = [k, n]}}], domain = {{m = 64, n = 16, k = 32}}, reduce = "+", mac, flops = 2, text = "")
}}
op.kernel @lookup (op = "embedding", parameters = {{}}) {{
  op.operand @ids (role = "input", shape = [10], dtype = "int32")
  op.operand @table (role = "weight", shape = [1000, 8], dtype = "fp16")
  op.operand @y (role = "output", shape = [10, 8], dtype = "fp16")
  op.statement (write = {{tensor = "y", map = [t, d]}}, reads = [{{tensor = "ids", map = [t]}}, {{tensor = "table", map = ["any", d]}}], domain = {{t = 10, d = 8}}, flops = 0, functions = {{}}, text = "")
}}
op.kernel @exp (op = "exp", parameters = {{}}) {{
  op.operand @x (role = "input", shape = [8000], dtype = "fp16")
  op.operand @y (role = "output", shape = [8000], dtype = "fp16")
  op.statement (write = {{tensor = "y", map = [i]}}, reads = [{{tensor = "x", map = [i]}}], domain = {{i = 8000}}, flops = 1, functions = {{exp = 1}}, text = "")
}}
)",
                     bandwidth, dtype);
}

TEST(Roofline, ComputeBound) {
  ParsedModule module(program("100GB/s"));
  auto cost = module.cost<roofline::RooflineProvider>("mm", "chip");
  ASSERT_TRUE(cost) << module.messages();
  // 32768 / (4 * 8e9) = 1.024 us against 7168 B / 100 GB/s = 0.07168 us.
  EXPECT_NEAR(cost->latency.central(), 1.024e-6 + 1e-6, 1e-15);
  EXPECT_EQ(cost->bottleneck(), "compute mac");
  EXPECT_NEAR(cost->utilization.central(), 1.024 / 2.024, 1e-12);
  EXPECT_NEAR(cost->energy.known.central(), (32768 * 2 + 5120 * 10 + 2048 * 20) * 1e-12, 1e-20);
  EXPECT_NEAR(cost->cycles->central(), 2024, 1e-9);
}

TEST(Roofline, MemoryBound) {
  ParsedModule module(program("1GB/s"));
  auto cost = module.cost<roofline::RooflineProvider>("mm", "chip");
  EXPECT_NEAR(cost->latency.central(), 7.168e-6 + 1e-6, 1e-15);
  EXPECT_EQ(cost->bottleneck(), "memory DRAM");
}

TEST(Roofline, UncertaintyKeepsItsSource) {
  ParsedModule module(program("~1000000000B/s +- 100000000@1"));
  auto cost = module.cost<roofline::RooflineProvider>("mm", "chip");
  ASSERT_TRUE(cost) << module.messages();
  // 7.168 us of transfer, 10 % slower or faster.
  ASSERT_EQ(cost->latency.contributions().size(), 1u);
  EXPECT_NEAR(cost->latency.halfWidth(), 0.7168e-6, 1e-15);
}

TEST(Roofline, FormatsFallBackWithoutError) {
  // int8 fits in fp16, the fastest format that holds it; 64-bit integers fit in none.
  ParsedModule module(program("100GB/s", "int8"));
  auto cost = module.cost<roofline::RooflineProvider>("mm", "chip");
  EXPECT_NEAR(cost->latency.central(), 1.024e-6 + 1e-6, 1e-15);
  ASSERT_EQ(cost->notes.size(), 1u);
  EXPECT_EQ(cost->notes[0], "multiply-accumulate in int8 runs as fp16 on `mac`");
  ParsedModule wide(program("100GB/s", "int64"));
  EXPECT_FALSE(wide.cost<roofline::RooflineProvider>("mm", "chip"));
  EXPECT_EQ(wide.messages(), "chip `chip` has no compute unit for multiply-accumulates in int64\n");
}

TEST(Roofline, DataDependentReadsCostWhatTheyTouch) {
  ParsedModule module(program("1GB/s"));
  auto cost = module.cost<roofline::RooflineProvider>("lookup", "chip");
  // 10 keys of 4 B, 10 rows of 16 B read and written.
  EXPECT_DOUBLE_EQ(cost->traffic[0].readBytes, 40 + 160);
  EXPECT_DOUBLE_EQ(cost->traffic[0].writeBytes, 160);
}

TEST(Roofline, FunctionsRunWhereTheyAreListed) {
  ParsedModule module(program("1000GB/s"));
  auto cost = module.cost<roofline::RooflineProvider>("exp", "chip");
  EXPECT_NEAR(cost->latency.central(), 8000 / 8e9 + 1e-6, 1e-15);
  EXPECT_EQ(cost->bounds[0].resource, "compute vector");
  EXPECT_FALSE(cost->energy.isGiven());
  EXPECT_EQ(cost->energy.missing[0], "compute `vector`");
}
