// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spaces with kernels that one value brings, or two values of different names together: all points
// come out of those that were looked at.
#include "api/Separation.h"

#include <gtest/gtest.h>
#include <random>

using namespace perfc;
using namespace perfc::api;
using Choice = Separation::Choice;

namespace {

/// Kernels that run where some names have some values.
struct Rule {
  std::vector<std::pair<unsigned, unsigned>> where; ///< name and value
  StructuralHash kernel;
  int64_t runs;
};

struct Space {
  std::vector<unsigned> sizes;
  std::vector<Rule> rules;

  KernelRuns at(const Choice &choice) const {
    KernelRuns all;
    for (const Rule &rule : rules)
      if (llvm::all_of(rule.where, [&](auto entry) { return choice[entry.first] == entry.second; }))
        all[rule.kernel] += rule.runs;
    return all;
  }
  std::vector<Choice> points() const {
    std::vector<Choice> all{{}};
    for (unsigned size : sizes) {
      std::vector<Choice> longer;
      for (const Choice &choice : all)
        for (unsigned value = 0; value < size; ++value) {
          longer.push_back(choice);
          longer.back().push_back(value);
        }
      all = std::move(longer);
    }
    return all;
  }
  llvm::Optional<Separation> separate(size_t most) const {
    return Separation::find(
        sizes, [&](const Choice &choice) { return llvm::Optional<KernelRuns>(at(choice)); }, most);
  }
};

KernelRuns sumOf(const Separation &found, const Choice &choice) {
  KernelRuns all = found.common();
  for (const Separation::Group &group : found.groups())
    for (const auto &[kernel, runs] : group.parts[found.partOf(group, choice)])
      all[kernel] += runs;
  return all;
}

/// Six names of five values as in NAS-Bench-201, each with kernels of its own and some shared.
Space independent() {
  Space space{{5, 5, 5, 5, 5, 5}, {{{}, {1, 0}, 3}}};
  for (unsigned name = 0; name < 6; ++name)
    for (unsigned value = 0; value < 5; ++value)
      space.rules.push_back({{{name, value}}, {2 + value, 0}, 1 + name});
  return space;
}

void expectAllPoints(const Space &space, const Separation &found) {
  for (const Choice &choice : space.points()) {
    EXPECT_EQ(sumOf(found, choice), space.at(choice));
    for (const Separation::Group &group : found.groups())
      for (const auto &[kernel, runs] : group.parts[found.partOf(group, choice)])
        EXPECT_GT(runs, 0);
  }
}

TEST(Separation, IndependentNames) {
  Space space = independent();
  llvm::Optional<Separation> found = space.separate(100);
  ASSERT_TRUE(found.hasValue());
  EXPECT_EQ(found->groups().size(), 6U);
  EXPECT_LE(found->evaluated().size(), 60U); // 25 are each value by itself
  expectAllPoints(space, *found);
}

TEST(Separation, EveryPairIsLookedAt) {
  llvm::Optional<Separation> found = independent().separate(100);
  ASSERT_TRUE(found.hasValue());
  for (unsigned i = 0; i < 6; ++i)
    for (unsigned j = 0; j < i; ++j)
      for (unsigned a = 0; a < 5; ++a)
        for (unsigned b = 0; b < 5; ++b)
          EXPECT_TRUE(llvm::any_of(found->evaluated(), [&](const Choice &choice) {
            return choice[i] == a && choice[j] == b;
          }));
}

TEST(Separation, TwoNamesThatActTogether) {
  Space space = independent();
  space.rules.push_back({{{1, 3}, {4, 2}}, {9, 0}, 7});
  llvm::Optional<Separation> found = space.separate(200);
  ASSERT_TRUE(found.hasValue());
  EXPECT_EQ(found->groups().size(), 5U);
  EXPECT_TRUE(llvm::any_of(found->groups(), [](const Separation::Group &group) {
    return group.names == std::vector<unsigned>{1, 4};
  }));
  expectAllPoints(space, *found);
}

TEST(Separation, RandomPairs) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 30; ++round) {
    Space space;
    for (unsigned name = 0; name < 6; ++name)
      space.sizes.push_back(1 + random() % 4);
    auto entry = [&](unsigned name) {
      return std::pair(name, unsigned(random() % space.sizes[name]));
    };
    for (unsigned i = 0; i < 30; ++i)
      space.rules.push_back({{entry(random() % 6)}, {random() % 8, 0}, int64_t(1 + random() % 5)});
    for (unsigned i = 0; i < round % 4U; ++i) { // kernels of their own, so that none hide others
      unsigned first = random() % 6, second = (first + 1 + random() % 5) % 6;
      space.rules.push_back({{entry(first), entry(second)}, {100 + i, 0}, 1});
    }
    llvm::Optional<Separation> found = space.separate(SIZE_MAX);
    ASSERT_TRUE(found.hasValue());
    expectAllPoints(space, *found);
  }
}

TEST(Separation, GivesUpBeforeHalfOfAllPoints) {
  Space space{{8, 8}, {}};
  for (unsigned a = 0; a < 8; ++a)
    for (unsigned b = 0; b < 8; ++b)
      space.rules.push_back({{{0, a}, {1, b}}, {a * 8 + b, 0}, 1});
  EXPECT_FALSE(space.separate(32).hasValue());
}

TEST(Separation, EndsWithAPointThatIsNone) {
  size_t asked = 0;
  auto found = Separation::find(
      {3, 3},
      [&](const Choice &) {
        return ++asked == 3 ? llvm::None : llvm::Optional<KernelRuns>(KernelRuns());
      },
      100);
  EXPECT_FALSE(found.hasValue());
  EXPECT_EQ(asked, 3U);
}

} // namespace
