// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of 256 x 64 by 64 x 320 in tiles of 128 x 128 on 4 units of 64 MACs/ns: a grid of 2 by
// 3, 6 blocks in 2 waves, each of 128 * 128 * 64 MACs = 16.384 us.
#include "backends/gpu/Tile.h"
#include "test/unit/ProviderTest.h"

using namespace perfc;

static std::string program(llvm::StringRef cache) {
  return fmt::format(R"(
target.chip @gpu (dtype = "fp16", launch = 2us) {{
  target.memory @HBM (off_chip, bandwidth = 100GB/s)
  target.memory @L2 (bandwidth = {})
  target.array @SM (axes = {{x = 4}}, dispatch) {{ target.compute @tensor (rate = {{fp16 = 64GHz}}) }}
}}
op.kernel @mm (op = "matmul", parameters = {{}}) {{
  op.operand @A (role = "input", shape = [256, 64], dtype = "fp16")
  op.operand @B (role = "weight", shape = [64, 320], dtype = "fp16")
  op.operand @C (role = "output", shape = [256, 320], dtype = "fp16")
  op.statement (write = {{tensor = "C", map = [m, n]}}, reads = [{{tensor = "A", map = [m, k]}}, {{tensor = "B", map = [k, n]}}], domain = {{m = 256, n = 320, k = 64}}, reduce = "+", mac, flops = 2, text = "")
}}
tile.kernel @tiled (run = @mm, target = @gpu, grid = {{m = 2, n = 3}}, tile = {{m = 128, n = 128}}, blocks = 6, units = 4, waves = 2) {{
  tile.load (tensor = "A", bytes = 16384, from = "L2")
  tile.load (tensor = "B", bytes = 16384, from = "L2")
  tile.compute (macs = 1048576, flops = 2097152, unit = "tensor")
  tile.store (tensor = "C", bytes = 32768, to = "L2")
}}
)",
                     cache);
}

TEST(Tile, WavesOfFullTiles) {
  ParsedModule module(program("1000GB/s"));
  auto cost = module.cost<gpu::TileProvider>("tiled", "gpu");
  ASSERT_TRUE(cost) << module.messages();
  EXPECT_NEAR(cost->latency.central(), 2 * 16.384e-6 + 2e-6, 1e-12);
  EXPECT_EQ(cost->bottleneck(), "compute tensor");
  EXPECT_EQ(cost->macs, 256 * 320 * 64);
}

TEST(Tile, UnitsShareTheBandwidthOfTheirMemory) {
  // 64 KiB a block: 4 blocks at 10 GB/s take 26.2144 us.
  ParsedModule module(program("10GB/s"));
  auto cost = module.cost<gpu::TileProvider>("tiled", "gpu");
  ASSERT_TRUE(cost) << module.messages();
  EXPECT_NEAR(cost->latency.central(), 2 * 26.2144e-6 + 2e-6, 1e-12);
  EXPECT_EQ(cost->bottleneck(), "memory L2");
}
