// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected counts against the average of nests that are executed with random zeros.
#include "backends/loopnest/sparse/Sparsity.h"
#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/sparse/TileExtents.h"

#include <gtest/gtest.h>
#include <random>

using namespace perfc;
using namespace perfc::loopnest;

static Tensor matrix(const char *name, unsigned row, unsigned column, bool isOutput = false) {
  Tensor tensor{name, isOutput, 16, {}};
  for (unsigned dim : {row, column})
    tensor.ranks.push_back(Subscript{{Term{dim, 1}}, 0, llvm::None});
  return tensor;
}

static Loop loop(unsigned dim, int64_t factor) {
  Loop result;
  result.drives.push_back({dim, llvm::None});
  result.factor = factor;
  return result;
}

enum { M, N, K };

/// C[m, n] += A[m, k] * B[k, n] with 8 * 6 * 8 points: k2 m2 at DRAM, which alone keeps A; n6 m2 k4
/// at Buf; two lanes along m, which share what they read of B.
static Nest product() {
  Nest nest;
  nest.dims = {{"m", 8}, {"n", 6}, {"k", 8}};
  nest.tensors = {matrix("A", M, K), matrix("B", K, N), matrix("C", M, N, true)};
  Place dram{PlaceKind::Memory, "DRAM", {0, 1, 2}, {}, {loop(K, 2), loop(M, 2)}};
  Place buffer{PlaceKind::Memory, "Buf", {1, 2}, {}, {loop(N, 6), loop(M, 2), loop(K, 4)}};
  Place array{PlaceKind::Array, "PE", {}, {Axis{"x", 2}}, {loop(M, 2)}};
  nest.places = {dram, buffer, array};
  return nest;
}

static Sparsity zerosInA(double density, bool skips) {
  Sparsity sparsity;
  sparsity.tensors = {
      {{8, 8}, Density::uniform(density)}, {{8, 6}, Density()}, {{8, 6}, Density()}};
  sparsity.savings = {{/*B*/ 1, /*when A*/ 0, skips}};
  return sparsity;
}

namespace {
struct Executed {
  double fillsOfB = 0, readsOfB = 0, updatesOfC = 0, readsOfC = 0, macs = 0, steps = 0;
};
} // namespace

/// One run of the nest of product() with A nonzero where `mask` says.
static void execute(const std::vector<bool> &mask, Executed &total) {
  auto isNonzero = [&](int m, int k) { return mask[static_cast<size_t>(m * 8 + k)]; };
  for (int k1 = 0; k1 < 2; ++k1) {
    bool met = false; // B's tile stays while m goes round
    for (int m = 0; m < 8; ++m)
      for (int k = 4 * k1; k < 4 * k1 + 4; ++k)
        met |= isNonzero(m, k);
    total.fillsOfB += met ? 4 * 6 : 0;
    for (int point = 0; point < 2 * 6 * 2 * 4; ++point) {
      int k = 4 * k1 + point % 4, m = (point / 4 % 2) * 2 + (point / 48) * 4;
      int lanes = isNonzero(m, k) + isNonzero(m + 1, k);
      total.readsOfB += lanes > 0;
      total.steps += lanes > 0;
      total.macs += lanes;
      total.updatesOfC += lanes;
      total.readsOfC += lanes;
    }
    // The first thing that is added to a word needs no read; later k find words that came back.
    for (int m = 0; k1 == 0 && m < 8; ++m)
      total.readsOfC -=
          isNonzero(m, 0) || isNonzero(m, 1) || isNonzero(m, 2) || isNonzero(m, 3) ? 6 : 0;
  }
}

class Zeros : public testing::TestWithParam<int> {};

TEST_P(Zeros, AreExpectedAsTheyAreExecuted) {
  int nonzeros = GetParam();
  Nest nest = product();
  AnalysisResult dense = analyse(nest, {});
  ASSERT_TRUE(dense.counts);
  Counts counts = applySparsity(nest, zerosInA(nonzeros / 64.0, true), *dense.counts).timed;
  Executed total;
  std::vector<bool> mask(64);
  std::fill(mask.begin(), mask.begin() + nonzeros, true);
  std::mt19937 random(7);
  const int runs = 20000;
  for (int run = 0; run < runs; ++run) {
    std::shuffle(mask.begin(), mask.end(), random);
    execute(mask, total);
  }
  const TensorCounts &b = *counts.memories[1].tensors[1];
  const TensorCounts &c = *counts.memories[1].tensors[2];
  EXPECT_NEAR(static_cast<double>(b.fills), total.fillsOfB / runs, 0.6);
  EXPECT_NEAR(static_cast<double>(b.reads.shared), total.readsOfB / runs, 1.2);
  EXPECT_NEAR(static_cast<double>(c.updates.shared), total.updatesOfC / runs, 1.2);
  EXPECT_NEAR(static_cast<double>(c.reads.shared), total.readsOfC / runs, 1.2);
  EXPECT_NEAR(static_cast<double>(counts.macs), total.macs / runs, 0.6);
  // The lanes are taken as independent, which exactly r of 64 are not quite.
  EXPECT_NEAR(static_cast<double>(counts.steps), total.steps / runs, 2.5);
}

INSTANTIATE_TEST_SUITE_P(Of64, Zeros, testing::Values(0, 1, 3, 8, 32, 63, 64));

TEST(Zeros, GatingSavesEnergyAndNoTime) {
  Nest nest = product();
  AnalysisResult dense = analyse(nest, {});
  ASSERT_TRUE(dense.counts);
  SparseCounts counts = applySparsity(nest, zerosInA(0.5, false), *dense.counts);
  EXPECT_EQ(counts.powered.macs, dense.counts->macs / 2);
  EXPECT_EQ(counts.timed.macs, dense.counts->macs);
  EXPECT_EQ(counts.powered.steps, dense.counts->steps);
  EXPECT_EQ(counts.timed.memories[1].tensors[1]->reads.shared,
            dense.counts->memories[1].tensors[1]->reads.shared);
  EXPECT_LT(counts.powered.memories[1].tensors[1]->reads.shared,
            dense.counts->memories[1].tensors[1]->reads.shared);
}

TEST(Density, EmptyTiles) {
  // 2 of 4 nonzero, 1 drawn: C(2, 1) / C(4, 1); 2 drawn: 1 / 6; 3 drawn: none.
  EXPECT_NEAR(Density::uniform(0.5).emptyShare({4}, {1}), 0.5, 1e-12);
  EXPECT_NEAR(Density::uniform(0.5).emptyShare({4}, {2}), 1.0 / 6, 1e-12);
  EXPECT_EQ(Density::uniform(0.5).emptyShare({4}, {3}), 0);
  // 2:4 is the same within a group; two rows are independent; a whole group is never empty.
  EXPECT_NEAR(Density::structured(2, 4).emptyShare({8, 8}, {1, 2}), 1.0 / 6, 1e-12);
  EXPECT_NEAR(Density::structured(2, 4).emptyShare({8, 8}, {2, 2}), 1.0 / 36, 1e-12);
  EXPECT_EQ(Density::structured(2, 4).emptyShare({8, 8}, {1, 4}), 0);
}

// All ways in which each group may have its nonzeros, by turns.
TEST(Density, GroupsAreCountedAlongTheirRank) {
  for (size_t rank : {0, 1})
    for (int64_t rows : {1, 2, 4, 6})
      for (int64_t columns : {1, 2, 4}) {
        int64_t along = rank == 0 ? rows : columns, groups = (along + 3) / 4;
        int64_t across = rank == 0 ? columns : rows;
        std::vector<double> expected = {1.0}; // by nonzeros
        for (int64_t group = 0; group < groups * across; ++group) {
          int64_t length = std::min<int64_t>(4, along - group % groups * 4);
          std::vector<double> sums(expected.size() + static_cast<size_t>(length), 0.0);
          for (unsigned kept = 0; kept < 16; ++kept) // the 6 sets of 2 of 4
            if (__builtin_popcount(kept) == 2)
              for (size_t before = 0; before < expected.size(); ++before)
                sums[before +
                     static_cast<size_t>(__builtin_popcount(kept & ((1u << length) - 1)))] +=
                    expected[before] / 6;
          expected = std::move(sums);
        }
        Density density = Density::structured(2, 4, rank);
        std::vector<double> own = density.distribution({8, 8}, {rows, columns});
        ASSERT_EQ(own.size(), expected.size());
        for (size_t k = 0; k < own.size(); ++k)
          EXPECT_NEAR(own[k], expected[k], 1e-12) << rank << " " << rows << "x" << columns;
        EXPECT_NEAR(density.emptyShare({8, 8}, {rows, columns}), expected[0], 1e-12);
        EXPECT_EQ(density.isEven({rows, columns}), along % 4 == 0);
      }
}

TEST(Density, BandsAreCounted) {
  for (int64_t rows : {1, 5, 8})
    for (int64_t columns : {1, 4, 9})
      for (int64_t width : {0, 1, 3, 20})
        for (int64_t height : {1, 2, 5})
          for (int64_t length : {1, 3}) {
            int64_t nonzeros = 0, tiles = 0, empty = 0;
            for (int64_t i = 0; i < rows; i += height)
              for (int64_t j = 0; j < columns; j += length) {
                int64_t inside = 0;
                for (int64_t a = i; a < std::min(i + height, rows); ++a)
                  for (int64_t b = j; b < std::min(j + length, columns); ++b)
                    inside += std::abs(a - b) <= width;
                nonzeros += inside;
                ++tiles;
                empty += inside == 0;
              }
            Density band = Density::banded(width);
            EXPECT_NEAR(band.share({rows, columns}),
                        static_cast<double>(nonzeros) / static_cast<double>(rows * columns), 1e-12)
                << rows << 'x' << columns << " band " << width;
            bool whole = rows % height == 0 && columns % length == 0;
            if (!whole)
              continue; // the last tiles of others are taken as whole
            EXPECT_NEAR(band.emptyShare({rows, columns}, {height, length}),
                        static_cast<double>(empty) / static_cast<double>(tiles), 1e-12)
                << rows << 'x' << columns << " band " << width << " tile " << height << 'x'
                << length;
          }
}

static StoredTile stored(llvm::StringRef format, const Density &density) {
  return storedTile(*parseStorage(format), {4, 8}, {4, 8}, density);
}

TEST(Format, SizesOfTiles) {
  // 4 x 8 elements, 8 nonzeros.
  Density quarter = Density::uniform(0.25);
  EXPECT_EQ(stored("uncompressed", quarter).words, 32);
  EXPECT_EQ(stored("bitmask", quarter).words, 8);
  EXPECT_EQ(stored("bitmask", quarter).metadataBits, 32);
  EXPECT_EQ(stored("coordinate", quarter).metadataBits, 8 * (2 + 3));
  EXPECT_EQ(stored("csr", quarter).metadataBits, 8 * 3 + 5 * 4);
  EXPECT_NEAR(stored("rle", quarter).words, 8 / (1 - std::pow(0.75, 32)), 1e-12);
}

TEST(Format, RanksOfTiles) {
  // Two nonzeros in each row of 8: offsets of rows and coordinates in them are CSR.
  Density rows = Density::structured(2, 8);
  EXPECT_EQ(stored("UOP CP", rows).words, 8);
  EXPECT_EQ(stored("UOP CP", rows).metadataBits, stored("csr", rows).metadataBits);
  // A mask of 4 rows, each with where its elements begin among 8, and one of 8 columns per row.
  EXPECT_EQ(stored("B B", rows).metadataBits, 4 + 4 * 4 + 4 * 8);
  EXPECT_EQ(stored("CP RLE", rows).metadataBits, 4 * 2 + 4 * 4 + 8 * 3);
  // One format stands for both ranks: 8 coordinates among 32.
  EXPECT_EQ(stored("CP", rows).metadataBits, 8 * 5);
  EXPECT_EQ(stored("UB", rows).words, 32);
  EXPECT_EQ(stored("UOP", rows).words, 32); // offsets of single values tell nothing
  // A column: 5 offsets of one bit, unless it is empty.
  StoredTile column = storedTile(*parseStorage("UOP CP"), {4, 8}, {4, 1}, rows);
  EXPECT_EQ(column.words, 1);
  EXPECT_NEAR(column.metadataBits, 5 * (1 - std::pow(0.75, 4)), 1e-12);
  EXPECT_EQ(stored("UB", rows).metadataBits, 32);
}

TEST(Format, EmptyFibersTakeNothing) {
  // Half of the rows are empty, the others full: of a tile that has something, 2 rows of 4 are
  // expected, each with where its 8 of 16 elements begin.
  Density half = Density::measured(8, {{0, 0.5}, {8, 0.5}});
  EXPECT_NEAR(stored("CP CP", half).metadataBits, 15.0 / 16 * 2 * (2 + 5) + 2 * 4 * 3, 1e-12);
}

TEST(Format, NamesAreChecked) {
  EXPECT_FALSE(parseStorage("UOP bitmask"));
  EXPECT_FALSE(parseStorage("none"));
  EXPECT_FALSE(parseStorage("UOP UB")->isCompressed());
  EXPECT_TRUE(parseStorage("UOP CP")->isCompressed());
}

/// Of tensors and tiles of any size, also such as leave a rest.
TEST(LeastShares, NoTileHasLess) {
  std::mt19937 random(9);
  auto below = [&](int64_t end) { return int64_t(random() % uint64_t(end)); };
  const char *names[] = {"uncompressed", "bitmask", "rle", "coordinate",
                         "csr",          "UOP CP",  "B",   "UB"};
  for (int i = 0; i < 20000; ++i) {
    llvm::SmallVector<int64_t, 4> shape, tile;
    for (int64_t rank = below(3); rank >= 0; --rank) {
      shape.push_back(1 + below(12));
      tile.push_back(1 + below(shape.back()));
    }
    Density densities[] = {Density(), Density::uniform(double(below(21)) / 20),
                           Density::structured(below(5), 4), Density::banded(below(4)),
                           Density::measured(8, {{0, 3}, {2, double(below(5))}, {8, 1}})};
    const Density &density = densities[below(5)];
    ASSERT_GE(1 - density.emptyShare(shape, tile), density.leastTouched(shape) - 1e-12);
    Storage storage = *parseStorage(names[below(8)]);
    StoredTile stored = storedTile(storage, shape, tile, density);
    double words = (stored.words + stored.metadataBits / 8) / elements(tile);
    ASSERT_GE(words, leastWords(storage, shape, density, 8) - 1e-12) << i;
  }
}
