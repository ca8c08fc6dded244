// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of imported programs: legal, and each given once.
#include "frontend/import/names/ProgramNames.h"
#include <gtest/gtest.h>

using namespace perfc;

TEST(ProgramNamesTest, NamesAreLegal) {
  ProgramNames names;
  EXPECT_EQ(names.add("Conv-1", "layer_"), "Conv_1");
  EXPECT_EQ(names.add("1x1", "layer_"), "layer_1x1");
  EXPECT_EQ(names.add("", "layer_"), "layer_");
  EXPECT_EQ(names.add("if", "layer_"), "layer_if");
  EXPECT_EQ(names.add("int8", "layer_"), "layer_int8");
}

TEST(ProgramNamesTest, EachNameIsGivenOnce) {
  ProgramNames names{"conv2d", "a_2"};
  EXPECT_EQ(names.add("a", "layer_"), "a");
  EXPECT_EQ(names.add("a", "layer_"), "a_3"); // the program has a_2 itself
  EXPECT_EQ(names.add("layer_conv2d", "layer_"), "layer_conv2d");
  EXPECT_EQ(names.add("conv2d", "layer_"), "layer_conv2d_2");
  EXPECT_TRUE(names.isTaken("conv2d"));
  EXPECT_FALSE(names.isTaken("b"));
}
