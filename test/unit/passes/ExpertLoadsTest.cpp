// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/ExpertLoads.h"
#include "gtest/gtest.h"

using namespace perfc;

TEST(ExpertLoads, AddUpToAllRows) {
  for (const char *spread : {"uniform", "balanced", "zipf", "power_law"})
    for (double rows : {1.0, 7.0, 64.0, 1000.0, 65536.0}) {
      double sum = 0, active = 0;
      for (const passes::ExpertRows &load :
           passes::expertLoads({spread, 1.2, 0.8 * rows}, rows, 64, rows)) {
        sum += load.experts * load.rows;
        active += load.experts;
      }
      EXPECT_NEAR(sum, rows, 1e-9 * rows) << spread << " " << rows;
      EXPECT_LE(active, 64.0) << spread;
      EXPECT_GT(active, 0.0);
    }
}

TEST(ExpertLoads, ManyExpertsAreGroups) {
  double sum = 0, active = 0;
  auto loads = passes::expertLoads({"power_law", 1.2, 1000}, 4e9, 1000000000, 0);
  EXPECT_LE(loads.size(), 65536U);
  for (const passes::ExpertRows &load : loads) {
    sum += load.experts * load.rows;
    active += load.experts;
  }
  EXPECT_GE(sum, 4e9 * (1 - 1e-9));
  EXPECT_LE(active, 1e9);
}
