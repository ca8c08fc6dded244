// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/KernelPower.h"
#include "gtest/gtest.h"

using namespace perfc;
using namespace perfc::gpu;

static PowerDesign board() { return {1000, 0.9, 0.2, 1e-9}; }

TEST(KernelPower, PartsAddUp) {
  // 10 ms at 1000 W: 2 J idle, 0.5 J of issue; 1 J of operations, 1e9 bytes.
  KernelEnergy energy = kernelEnergy(board(), {1, 1e9, 0.05}, 0.01);
  EXPECT_DOUBLE_EQ(energy.idle, 2);
  EXPECT_DOUBLE_EQ(energy.issue, 0.5);
  EXPECT_DOUBLE_EQ(energy.operations, 1);
  EXPECT_DOUBLE_EQ(energy.memory, 1);
  EXPECT_DOUBLE_EQ(energy.total(), 4.5);
}

TEST(KernelPower, LimitTakesFromWhatMoves) {
  KernelEnergy energy = kernelEnergy(board(), {10, 5e9, 0.1}, 0.01);
  EXPECT_DOUBLE_EQ(energy.total(), 9);
  EXPECT_DOUBLE_EQ(energy.idle, 2);
  EXPECT_DOUBLE_EQ(energy.operations, 2 * energy.memory);
}

TEST(KernelPower, NeitherBelowIdleNorAboveTheLimit) {
  for (double operations : {0.0, 1e-3, 1.0, 100.0})
    for (double seconds : {1e-6, 1e-3, 1.0}) {
      double total = kernelEnergy(board(), {operations, 0, 0}, seconds).total();
      EXPECT_GE(total, 200 * seconds * (1 - 1e-12));
      EXPECT_LE(total, 900 * seconds * (1 + 1e-12));
    }
}
