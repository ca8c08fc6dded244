// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chip of 10 units of 100 MACs/us each, a memory of 1000 B/us of which 800 are reached, and a
// cache of 10000 B. Times in us are written as seconds.
#include "backends/gpu/ProductPrice.h"
#include "gtest/gtest.h"
#include <chrono>
#include <cmath>
#include <limits>

using namespace perfc;
using namespace perfc::gpu;

static Design plainDesign() {
  Design design;
  design.units = 10;
  design.bandwidth = 1000;
  design.reached = 0.8;
  design.cache = 10000;
  design.launch = 5;
  return design;
}

static ProductWork product(double m, double n, double k) {
  ProductWork work;
  work.m = m;
  work.n = n;
  work.k = k;
  work.leftBytes = 2 * m * k;
  work.rightBytes = 2 * n * k;
  work.resultBytes = 2 * m * n;
  work.rate = 1000;
  work.isCold = true;
  return work;
}

/// One tile shape with these splits of the sum.
static TileList tilesOf(double rows, double columns, std::vector<double> splits = {1}) {
  TileList list;
  for (double split : splits) {
    list.rows.push_back(rows);
    list.columns.push_back(columns);
    list.splits.push_back(split);
  }
  return list;
}

static double timeOf(const Design &design, const FamilyFigures &family, const ProductWork &work,
                     const Tile &tile) {
  return ProductPricer(design, family, {}).price(work, tile).total;
}

TEST(ProductPrice, PaddingAndWaves) {
  // 15 x 16 in tiles of 8 x 8: four blocks of 8 * 8 * 64 MACs, one wave of 40.96.
  Design design = plainDesign();
  design.bandwidth = 0;
  ProductPrice price = ProductPricer(design, {}, {}).price(product(15, 16, 64), {8, 8, 1});
  EXPECT_DOUBLE_EQ(price.total, 5 + 40.96);
  EXPECT_DOUBLE_EQ(price.products, 15 * 16 * 64 / 1000.0);
  EXPECT_DOUBLE_EQ(price.products + price.tail, price.units);
  // 88 rows in tiles of 8 are 11 blocks: two waves, of which the last costs half of its idle units.
  ProductWork eleven = product(88, 8, 64);
  EXPECT_DOUBLE_EQ(timeOf(design, {}, eleven, {8, 8, 1}), 5 + 2 * 40.96);
  FamilyFigures half;
  half.lastWave = 0.5;
  EXPECT_DOUBLE_EQ(timeOf(design, half, eleven, {8, 8, 1}), 5 + (0.5 * 2 + 0.5 * 1.1) * 40.96);
  EXPECT_DOUBLE_EQ(timeOf(design, half, product(8, 8, 64), {8, 8, 1}), 5 + 40.96);
}

TEST(ProductPrice, StepsAndEpilogue) {
  // 100 products are two steps of 64: 128 are computed.
  Design design = plainDesign();
  FamilyFigures family;
  family.stepTime = 3;
  family.epilogue = 0.5;
  ProductPrice price = ProductPricer(design, family, {}).price(product(8, 8, 100), {8, 8, 1});
  double products = 8 * 8 * 128 / 100.0, steps = 2 * 3, epilogue = 0.5 * 64 * 2 / 100;
  EXPECT_DOUBLE_EQ(price.units, products + steps + epilogue);
  EXPECT_NEAR(price.blocks, steps + epilogue, 1e-12);
  design.overlap = 2;
  family.overlapsSteps = true;
  family.stepTime = 30;
  price = ProductPricer(design, family, {}).price(product(8, 8, 100), {8, 8, 1});
  EXPECT_DOUBLE_EQ(price.units, std::hypot(products, 60) + epilogue);
}

TEST(ProductPrice, MemoryAndWhatTheCacheHolds) {
  Design design = plainDesign();
  ProductWork work = product(1, 64, 64); // 128 + 8192 + 128 bytes
  EXPECT_DOUBLE_EQ(ProductPricer(design, {}, {}).price(work, {16, 64, 1}).memory, 8448 / 800.0);
  work.isCold = false;
  work.copies = std::numeric_limits<double>::infinity(); // weights alone come from memory
  double held = 1 / (1 + std::pow(0.8448, 8));
  EXPECT_NEAR(ProductPricer(design, {}, {}).price(work, {16, 64, 1}).memory,
              (8192 + 256 * (1 - held)) / 800, 1e-9);
  work.copies = 0;
  EXPECT_NEAR(ProductPricer(design, {}, {}).price(work, {16, 64, 1}).memory,
              8448 * (1 - held) / 800, 1e-9);
}

TEST(ProductPrice, LimitsAddUpByTheirNorm) {
  Design design = plainDesign();
  design.overlap = 2;
  design.power = 10;
  ProductWork work = product(16, 64, 64);
  work.energy = 0.01;
  ProductPrice price = ProductPricer(design, {}, {}).price(work, {16, 64, 1});
  EXPECT_DOUBLE_EQ(price.power, 16 * 64 * 64 * 0.01 / 10);
  EXPECT_NEAR(price.body,
              std::sqrt(price.units * price.units + price.memory * price.memory +
                        price.power * price.power),
              1e-9);
  // Operands: (16 + 64) * 2 bytes * 64 products, which arrive at core / edge bytes in a us.
  design.core = 100;
  FamilyFigures family;
  family.edge = 50;
  EXPECT_DOUBLE_EQ(ProductPricer(design, family, {}).price(work, {16, 64, 1}).loads,
                   80 * 2 * 64 / 2.0);
}

TEST(ProductPrice, LongSumsAreSplit) {
  Design design = plainDesign();
  design.split = 4;
  ProductPricer pricer(design, {}, tilesOf(16, 64, {1, 2, 4, 8, 64}));
  EXPECT_EQ(pricer.fastest(product(16, 64, 64))->split, 1); // one step
  auto tile = pricer.fastest(product(16, 64, 64 * 64));
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->split, 8); // 64 parts would be more than four for each unit
  EXPECT_LT(timeOf(design, {}, product(16, 64, 64 * 64), *tile),
            timeOf(design, {}, product(16, 64, 64 * 64), {16, 64, 1}));
}

TEST(ProductPrice, RulesByRows) {
  Design design = plainDesign();
  TileList list = tilesOf(16, 64);
  list.rules.push_back({0, 1, 16});
  list.rows.push_back(128);
  list.columns.push_back(128);
  list.splits.push_back(1);
  ProductPricer pricer(design, {}, list);
  EXPECT_EQ(pricer.fastest(product(16, 128, 64))->rows, 16);
  EXPECT_EQ(pricer.fastest(product(17, 128, 64))->rows, 128);
}

TEST(ProductPrice, TilesForWholeWords) {
  Design design = plainDesign();
  TileList list = tilesOf(32, 32);
  list.words.push_back({0, 1, 8});
  ProductWork work = product(64, 64, 64);
  work.alignment = 4;
  EXPECT_FALSE(ProductPricer(design, {}, list).fastest(work));
  list.rows.push_back(64);
  list.columns.push_back(64);
  list.splits.push_back(1);
  EXPECT_EQ(ProductPricer(design, {}, list).fastest(work)->rows, 64);
  work.alignment = 8;
  EXPECT_EQ(ProductPricer(design, {}, list).fastest(work)->rows, 32); // four units work, not one
}

TEST(ProductPrice, TilesThatFitNoUnit) {
  Design design = plainDesign();
  design.staging = 1024;
  EXPECT_FALSE(ProductPricer(design, {}, tilesOf(64, 64)).fastest(product(64, 64, 64)));
  design.staging = 64 * 2 * 128;
  EXPECT_TRUE(ProductPricer(design, {}, tilesOf(64, 64)).fastest(product(64, 64, 64)));
}

TEST(ProductPrice, Quantisation) {
  // 25 rows of 64 elements on 10 units: three rounds of 2 + 64 * 0.5, or 3 bytes of each element.
  Design design = plainDesign();
  design.overlap = 2;
  FamilyFigures family;
  family.quantises = true;
  family.quantiseLaunch = 7;
  family.quantiseRow = 2;
  family.quantiseElement = 0.5;
  ProductWork work = product(25, 64, 64);
  work.leftSize = work.rightSize = 1;
  ProductPrice price = ProductPricer(design, family, {}).price(work, {16, 64, 1});
  EXPECT_DOUBLE_EQ(price.launch, 5 + 7);
  EXPECT_DOUBLE_EQ(price.quantise, std::hypot(3 * (2 + 32.0), 3 * 25 * 64 / 800.0));
}

TEST(ProductPrice, MorePowerBandwidthOrUnitsAreNotSlower) {
  FamilyFigures family;
  family.stepTime = 1;
  family.epilogue = 0.5;
  family.edge = 50;
  TileList list = tilesOf(16, 64, {1, 2, 4});
  for (double rows : {64.0, 128.0}) {
    list.rows.push_back(rows);
    list.columns.push_back(64);
    list.splits.push_back(1);
  }
  for (double m : {1, 16, 100, 1000})
    for (double k : {64, 640, 6400}) {
      Design design = plainDesign();
      design.overlap = 4;
      design.power = 10;
      design.core = 1000;
      design.split = 2;
      ProductWork work = product(m, 300, k);
      work.energy = 0.01;
      auto fastest = [&](const Design &changed) {
        ProductPricer pricer(changed, family, list);
        return pricer.price(work, *pricer.fastest(work)).total;
      };
      double time = fastest(design);
      Design better = design;
      better.power *= 2;
      EXPECT_LE(fastest(better), time);
      better = design;
      better.bandwidth *= 2;
      EXPECT_LE(fastest(better), time);
      better = design;
      better.cache *= 2;
      EXPECT_LE(fastest(better), time);
    }
}

TEST(ProductPrice, FactorsAreReadAgainForTilesThatRunAtATime) {
  // 4 x 8 tiles of 128 x 256 on 10 units: ten at a time are one row of 8 and 1.25 of another.
  Design design = plainDesign();
  FamilyFigures family;
  family.raster = 0.5;
  ProductWork work = product(512, 2048, 128);
  double once = work.leftBytes + work.rightBytes;
  double again = 32 / (8 * 1.25) * 128 * 2 * (8 * 256 + 1.25 * 128);
  ProductPrice price = ProductPricer(design, family, {}).price(work, {128, 256, 1});
  EXPECT_GT(again, once);
  EXPECT_NEAR(price.readBytes, again, again * 1e-3); // nothing of them fits the cache
  design.cache = 1e9;
  EXPECT_NEAR(ProductPricer(design, family, {}).price(work, {128, 256, 1}).readBytes, once, 1);
}

TEST(ProductPrice, OwnOverlapPowerAndSplits) {
  Design design = plainDesign();
  design.overlap = 2;
  design.power = 100;
  FamilyFigures family;
  family.powerOverlap = 4;
  family.powerShare = 0.9;
  family.board = 10;
  family.split = 3;
  family.splitWrites = true;
  family.host = 7;
  ProductWork work = product(16, 64, 256);
  work.energy = 0.1;
  ProductPrice price = ProductPricer(design, family, {}).price(work, {16, 64, 2});
  EXPECT_DOUBLE_EQ(price.power, 16 * 64 * 256 * 0.1 / 80);
  double others = std::hypot(price.units, price.memory);
  EXPECT_NEAR(price.body, std::pow(std::pow(others, 4) + std::pow(price.power, 4), 0.25), 1e-9);
  EXPECT_DOUBLE_EQ(price.split, 3 + 2 * 16 * 64 * 2 / 800.0);
  EXPECT_DOUBLE_EQ(price.launch, 5 + 7);
}

TEST(ProductPrice, NarrowRowsLoadNarrowly) {
  // Nothing limits but the arrival of 16 columns and rows of 64 elements of two bytes.
  Design design = plainDesign();
  design.bandwidth = 0;
  design.launch = 0;
  design.core = 4;
  FamilyFigures family;
  family.edge = 8;
  family.overlap = 100; // the largest alone
  ProductWork work = product(8, 8, 64);
  work.rate = 1e9;
  auto time = [&](double alignment) {
    work.alignment = alignment;
    return timeOf(design, family, work, {8, 8, 1});
  };
  double wide = 16 * 64 * 2 * 8 / 4.0;
  EXPECT_NEAR(time(16), wide, 1e-6 * wide);
  EXPECT_NEAR(time(8), 4 * wide, 1e-6 * wide);
  EXPECT_NEAR(time(4), 4 * wide, 1e-6 * wide);
  EXPECT_NEAR(time(2), 16 * wide, 1e-6 * wide);
  family.narrowCopies = 2;
  EXPECT_NEAR(time(16), wide, 1e-6 * wide);
  EXPECT_NEAR(time(8), 8 * wide, 1e-6 * wide);
  EXPECT_NEAR(time(2), 16 * wide, 1e-6 * wide);
  // Vector lanes load elements of four bytes one by one, matrix units in tf32 do not.
  work.leftSize = work.rightSize = 4;
  EXPECT_NEAR(time(4), 2 * wide, 1e-6 * wide);
  work.isTf32 = true;
  EXPECT_NEAR(time(4), 16 * wide, 1e-6 * wide);
}
