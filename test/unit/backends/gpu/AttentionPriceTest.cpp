// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices of attention: by hand, and against a table of prices that another program made with the
// same formulas. Its columns are the members of what is priced, in SI units.
#include "backends/gpu/AttentionPrice.h"
#include "gtest/gtest.h"
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

using namespace perfc;
using namespace perfc::gpu;

namespace {

struct Case {
  Design design;
  AttentionFigures figures;
  AttentionWork work;
  TileList tiles;
  std::string name;
  double microseconds = 0;
};

using Setter = void (*)(Case &, double);
#define MEMBER(part, name)                                                                         \
  {                                                                                                \
#part "." #name,                                                                               \
        [](Case & one,                                                                             \
           double value) { one.part.name = static_cast<decltype(one.part.name)>(value); }          \
  }
const std::map<std::string, Setter> setters = {MEMBER(design, units),
                                               MEMBER(design, bandwidth),
                                               MEMBER(design, reached),
                                               MEMBER(design, cache),
                                               MEMBER(design, staging),
                                               MEMBER(design, core),
                                               MEMBER(design, power),
                                               MEMBER(work, sequences),
                                               MEMBER(work, heads),
                                               MEMBER(work, group),
                                               MEMBER(work, queries),
                                               MEMBER(work, keys),
                                               MEMBER(work, scoreFeatures),
                                               MEMBER(work, valueFeatures),
                                               MEMBER(work, window),
                                               MEMBER(work, isCausal),
                                               MEMBER(work, sharesValues),
                                               MEMBER(work, querySize),
                                               MEMBER(work, cacheSize),
                                               MEMBER(work, appendedBytes),
                                               MEMBER(work, rate),
                                               MEMBER(work, macsPerCore),
                                               MEMBER(work, energy),
                                               MEMBER(work, exponentials),
                                               MEMBER(figures, isDecode),
                                               MEMBER(figures, launch),
                                               MEMBER(figures, appendLaunch),
                                               MEMBER(figures, overlap),
                                               MEMBER(figures, block),
                                               MEMBER(figures, fill),
                                               MEMBER(figures, products),
                                               MEMBER(figures, hasOwnCore),
                                               MEMBER(figures, exponentials),
                                               MEMBER(figures, softmaxOverlap),
                                               MEMBER(figures, tail),
                                               MEMBER(figures, chain),
                                               MEMBER(figures, dequantise),
                                               MEMBER(figures, isSynchronous),
                                               MEMBER(figures, packs),
                                               MEMBER(figures, wideRows),
                                               MEMBER(figures, pad),
                                               MEMBER(figures, stepElements),
                                               MEMBER(figures, unitBytes),
                                               MEMBER(figures, queryPasses),
                                               MEMBER(figures, cacheReads),
                                               MEMBER(figures, cached),
                                               MEMBER(figures, quantiseRow),
                                               MEMBER(figures, quantiseElement),
                                               MEMBER(figures, split),
                                               MEMBER(figures, splitEach)};
#undef MEMBER

} // namespace

static std::vector<std::string> cellsOf(const std::string &line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');)
    cells.push_back(cell);
  return cells;
}

/// "16x64:16 64x64:64 128x64/1/2/3": rows, keys, the rows that it is for at most, and splits.
static TileList tilesOf(const std::string &text) {
  TileList list;
  std::stringstream shapes(text);
  for (std::string shape; shapes >> shape;) {
    size_t by = shape.find('x'), rule = shape.find(':'), at = shape.find('/');
    std::vector<double> splits =
        at == std::string::npos ? std::vector<double>{1.0} : std::vector<double>();
    for (; at != std::string::npos; at = shape.find('/', at + 1))
      splits.push_back(std::stod(shape.substr(at + 1)));
    size_t begin = list.size();
    for (double split : splits) {
      list.rows.push_back(std::stod(shape));
      list.columns.push_back(std::stod(shape.substr(by + 1)));
      list.splits.push_back(split);
    }
    if (rule != std::string::npos)
      list.rules.push_back({begin, list.size(), std::stod(shape.substr(rule + 1))});
  }
  return list;
}

static std::vector<Case> casesOf(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<std::string> titles = cellsOf(line);
  std::vector<Case> cases;
  while (std::getline(file, line)) {
    Case one;
    std::vector<std::string> cells = cellsOf(line);
    for (size_t i = 0; i < cells.size(); ++i) {
      if (auto setter = setters.find(titles[i]); setter != setters.end() && !cells[i].empty())
        setter->second(one, std::stod(cells[i]));
      else if (titles[i] == "tiles")
        one.tiles = tilesOf(cells[i]);
      else if (titles[i] == "microseconds")
        one.microseconds = std::stod(cells[i]);
      else if (titles[i] == "row")
        one.name = cells[i];
      else
        EXPECT_TRUE(cells[i].empty()) << titles[i];
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

TEST(AttentionPrice, AgreesWithTheTable) {
  std::vector<Case> cases =
      casesOf(PERFC_TEST_DIR "/unit/backends/gpu/Inputs/attention_prices.csv");
  EXPECT_GT(cases.size(), 50U);
  for (const Case &one : cases) {
    auto tile = fastestAttention(one.design, one.figures, one.tiles, one.work);
    ASSERT_TRUE(tile) << one.name;
    double price = attentionPrice(one.design, one.figures, one.work, *tile).total;
    EXPECT_NEAR(price * 1e6, one.microseconds, 1e-6 * one.microseconds) << one.name;
  }
}

/// One unit of 1000 multiply-accumulates a second, and nothing else that limits.
static AttentionWork workOf(double queries, double keys) {
  AttentionWork work;
  work.queries = queries;
  work.keys = keys;
  work.scoreFeatures = work.valueFeatures = 1;
  work.rate = 1000;
  return work;
}

TEST(AttentionPrice, CausalBlocksSeeFewerKeys) {
  // Two blocks of 64 queries, each with two steps of 64 keys: 64 * 64 * 2 MACs a step. Causal, a
  // block has one step and a half on average.
  AttentionWork work = workOf(128, 128);
  work.isCausal = false;
  AttentionPrice all = attentionPrice({}, {}, work, {64, 64, 1});
  EXPECT_DOUBLE_EQ(all.total, 2 * 2 * 8.192);
  EXPECT_DOUBLE_EQ(all.products, all.units);
  work.isCausal = true;
  EXPECT_DOUBLE_EQ(attentionPrice({}, {}, work, {64, 64, 1}).total, 2 * 1.5 * 8.192);
  // As many queries after 1024 keys see most of these: 18 steps less half of one.
  work.keys = 1152;
  EXPECT_DOUBLE_EQ(attentionPrice({}, {}, work, {64, 64, 1}).total, 2 * 17.5 * 8.192);
  work.window = 64; // of 128 keys that a block sees at most, in steps that begin anywhere
  EXPECT_DOUBLE_EQ(attentionPrice({}, {}, work, {64, 64, 1}).total, 2 * 2.5 * 8.192);
}

TEST(AttentionPrice, QueriesInStripesSpanMoreKeys) {
  // Each second of 256 queries: two blocks of 64, one over 128 positions, the other over all.
  AttentionWork work = workOf(128, 256);
  work.isCausal = true;
  work.stride = 2;
  EXPECT_DOUBLE_EQ(attentionPrice({}, {}, work, {64, 64, 1}).total, (2 + 4) * 8.192);
  EXPECT_DOUBLE_EQ(work.macs(), 128 * 128 * 2);
}

TEST(AttentionPrice, ExponentialsAddUpWithProducts) {
  AttentionWork work = workOf(64, 64);
  work.exponentials = 500; // 64 * 64 of them take as long as the products
  AttentionFigures figures;
  EXPECT_DOUBLE_EQ(attentionPrice({}, figures, work, {64, 64, 1}).units, 2 * 8.192); // a lone chain
  figures.chain = 0.5;
  EXPECT_DOUBLE_EQ(attentionPrice({}, figures, work, {64, 64, 1}).units, 8.192);
  figures.softmaxOverlap = 2;
  EXPECT_NEAR(attentionPrice({}, figures, work, {64, 64, 1}).units, 8.192 * std::sqrt(2.0), 1e-9);
}

TEST(AttentionPrice, KeysAreSplitWhileThatIsFaster) {
  Design design;
  design.units = 10;
  AttentionWork work = workOf(1, 640); // ten steps of 64 keys, 256 bytes each
  work.rate = 0;
  AttentionFigures figures;
  figures.isDecode = true;
  figures.block = 0.5;
  figures.unitBytes = 256;
  figures.split = 1;
  figures.splitEach = 0.1;
  TileList tiles = tilesOf("64x64/1/5/10/20");
  auto tile = fastestAttention(design, figures, tiles, work);
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->split, 10);
  AttentionPrice price = attentionPrice(design, figures, work, *tile);
  EXPECT_DOUBLE_EQ(price.total, 0.5 + 1 + 1 * (1 + 1));
  EXPECT_DOUBLE_EQ(price.count, 10);
  // Each head by itself: as many blocks as heads.
  work.group = 4;
  EXPECT_DOUBLE_EQ(attentionPrice(design, figures, work, {64, 64, 1}).count, 1);
  EXPECT_DOUBLE_EQ(attentionPrice(design, figures, work, {1, 64, 1}).count, 4);
  // More sequences than units leave nothing to split.
  work.sequences = 100;
  EXPECT_EQ(fastestAttention(design, figures, tiles, work)->split, 1);
}

TEST(AttentionPrice, NothingFitsTooSmallAMemory) {
  Design design;
  design.staging = 64 * 2 + 64 * 2;
  EXPECT_TRUE(fastestAttention(design, {}, tilesOf("64x64"), workOf(64, 64)));
  EXPECT_FALSE(fastestAttention(design, {}, tilesOf("128x64"), workOf(128, 64)));
}
