// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/Affine.h"
#include "ir/common/DType.h"

#include <gtest/gtest.h>
#include <random>

using namespace perfc;

TEST(Affine, TextIsReadBack) {
  for (llvm::StringRef text :
       {"0", "-3", "p", "-p", "2*p + r - 3", "-2*p - r", "n + 9223372036854775807"}) {
    auto expr = AffineExpr::parse(text);
    ASSERT_TRUE(expr.hasValue()) << text.str();
    EXPECT_EQ(expr->text(), text.str());
  }
}

TEST(Affine, EqualTermsAreCollected) {
  EXPECT_EQ(AffineExpr::parse("p + 2*p - 3*p + 1")->text(), "1");
  EXPECT_EQ(AffineExpr::parse("p + r + p")->coefficient("p"), 2);
  EXPECT_EQ(AffineExpr::parse("p")->asVariable(), "p");
  EXPECT_EQ(AffineExpr::parse("2*p")->asVariable(), "");
  EXPECT_EQ(AffineExpr::parse("p + 1")->asVariable(), "");
}

TEST(Affine, WhatIsNotAffineIsRefused) {
  for (llvm::StringRef text : {"", "-", "p +", "p q", "2*", "2*3", "p*2", "+ p", "1.5", "2p",
                               "9223372036854775808", "9223372036854775807 + 1"})
    EXPECT_FALSE(AffineExpr::parse(text).hasValue()) << text.str();
}

TEST(Affine, BoundsAreReached) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int64_t> coefficient(-4, 4), size(1, 5);
  for (int i = 0; i < 300; ++i) {
    int64_t a = coefficient(random), b = coefficient(random), c = coefficient(random);
    int64_t extents[] = {size(random), size(random)};
    AffineExpr expr = *add(*add(AffineExpr::variable("x", a), AffineExpr::variable("y", b)), c);
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int64_t x = 0; x < extents[0]; ++x)
      for (int64_t y = 0; y < extents[1]; ++y) {
        low = std::min(low, a * x + b * y + c);
        high = std::max(high, a * x + b * y + c);
      }
    auto range = bounds(expr, [&](llvm::StringRef name) { return extents[name == "y"]; });
    ASSERT_TRUE(range.hasValue());
    EXPECT_EQ(range->low, low);
    EXPECT_EQ(range->high, high);
  }
}

TEST(Affine, OverflowGivesNothing) {
  AffineExpr large = AffineExpr::variable("p", INT64_MAX);
  EXPECT_FALSE(add(large, large).hasValue());
  EXPECT_FALSE(scale(large, 2).hasValue());
  EXPECT_EQ(*scale(large, 0), AffineExpr(0));
  EXPECT_FALSE(bounds(large, [](llvm::StringRef) { return int64_t(3); }).hasValue());
}

TEST(DType, NamesAreReadBack) {
  for (llvm::StringRef name : dtypeNames()) {
    auto dtype = parseDType(name);
    ASSERT_TRUE(dtype.hasValue()) << name.str();
    EXPECT_EQ(dtypeName(*dtype), name);
  }
  EXPECT_FALSE(parseDType("float").hasValue());
  EXPECT_EQ(bitsOf(DType::TF32), 32u);
  EXPECT_EQ(bitsOf(DType::Int4), 4u);
  EXPECT_EQ(bitsOf(DType::BF16), 16u);
}

TEST(DType, BlocksHaveScales) {
  EXPECT_EQ(*storedBits(DType::FP4, 100), 400);
  EXPECT_EQ(*storedBits(DType::NVFP4, 16), 4 * 16 + 8);
  EXPECT_EQ(*storedBits(DType::NVFP4, 17), 4 * 17 + 16); // a part of a block has a scale, too
  EXPECT_EQ(*storedBits(DType::MXFP8, 64), 8 * 64 + 16);
  EXPECT_DOUBLE_EQ(storedBytes(DType::NVFP4), 4.5 / 8);
  EXPECT_DOUBLE_EQ(storedBytes(DType::BF16), 2);
  EXPECT_EQ(*storedBits(DType::Int6, 100), 600);
  EXPECT_EQ(*storedBits(DType::Q4K, 256), 144 * 8); // as a block of ggml has
  EXPECT_EQ(*storedBits(DType::Q5K, 256), 176 * 8);
  EXPECT_EQ(*storedBits(DType::Q80, 32), 34 * 8);
  EXPECT_EQ(*storedBits(DType::Q6K, 256), 210 * 8);
  EXPECT_EQ(*storedBits(DType::Q3K, 256), 110 * 8);
  EXPECT_EQ(*storedBits(DType::Q2K, 256), 84 * 8);
  EXPECT_FALSE(storedBits(DType::NVFP4, int64_t(1) << 62).hasValue());
  EXPECT_TRUE(isFloating(DType::NVFP4));
  EXPECT_FALSE(isFloating(DType::Int4));
}
