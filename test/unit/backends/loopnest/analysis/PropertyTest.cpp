// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The closed form and the enumeration give the same integers on random nests.
#include "Nests.h"
#include "backends/loopnest/analysis/ClosedForm.h"
#include "backends/loopnest/analysis/Enumeration.h"
#include "backends/loopnest/analysis/RankSums.h"
#include "test/unit/Rounds.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

/// Some rank of the output has several dimensions.
static bool isWindowed(const Nest &nest) {
  return llvm::any_of(nest.tensors, [&](const Tensor &tensor) {
    return tensor.isOutput && llvm::any_of(tensor.ranks, [&](const Subscript &rank) {
             return normalise(nest, rank).terms.size() > 1;
           });
  });
}

/// What the closed form gives, and what an execution of the same nest gives.
static std::pair<AnalysisResult, AnalysisResult> bothForms(const Nest &nest) {
  AnalysisOptions options;
  options.hopWorkLimit = 0;
  options.transfers.assign(nest.places.size(), true);
  AnalysisResult closed = analyse(nest, options);
  options.enumerate = true;
  return {std::move(closed), analyse(nest, options)};
}

/// Tensors and memories whose transfers are known.
static unsigned countsWithTransfers(const Counts &counts) {
  unsigned number = 0;
  for (const MemoryCounts &memory : counts.memories)
    for (const llvm::Optional<TensorCounts> &tensor : memory.tensors)
      number += tensor && tensor->transfers;
  return number;
}

/// Tensors that take links of an array.
static unsigned countsWithHops(const Counts &counts) {
  unsigned number = 0;
  for (const ArrayCounts &array : counts.arrays)
    for (const llvm::Optional<NetworkCount> &hops : array.hops)
      number += hops && hops->separate > 0;
  return number;
}

TEST(Property, ClosedFormEqualsEnumeration) {
  std::mt19937 random(20240611), apart(7);
  unsigned compared = 0, withHops = 0, withTransfers = 0;
  while (compared < rounds(1500)) {
    Nest nest = randomNest(random);
    setApart(nest, apart);
    std::vector<AnalysisError> errors;
    llvm::Optional<FlatNest> flat = flatten(nest, errors);
    ASSERT_TRUE(flat) << errors.front().message();
    if (enumerationWork(*flat) > 12000)
      continue;
    auto [closed, executed] = bothForms(nest);
    ASSERT_TRUE(closed.counts && executed.counts);
    ASSERT_EQ(closed.counts->form, AnalysisForm::Closed);
    ASSERT_EQ(compare(nest, *closed.counts, *executed.counts), "") << "nest " << compared;
    withHops += countsWithHops(*closed.counts);
    withTransfers += countsWithTransfers(*closed.counts);
    ++compared;
  }
  EXPECT_GE(withHops, least(1000));
  EXPECT_GE(withTransfers, least(5000));
}

TEST(Property, CoupledSubscriptsEqualEnumeration) {
  std::mt19937 random(20250301), apart(11);
  unsigned compared = 0, joint = 0, windowed = 0, stretched = 0, withHops = 0;
  while (compared < rounds(3000)) {
    Nest nest = randomCoupledNest(random);
    setApart(nest, apart);
    if (compared % 3 == 0)
      for (Place &place : nest.places)
        if (place.kind == PlaceKind::Memory)
          place.partialBits = 48;
    std::vector<AnalysisError> errors;
    llvm::Optional<FlatNest> flat = flatten(nest, errors);
    ASSERT_TRUE(flat) << errors.front().message();
    if (enumerationWork(*flat) > 3000)
      continue;
    auto [closed, executed] = bothForms(nest);
    ASSERT_TRUE(closed.counts && executed.counts);
    ++compared;
    if (closed.isExecuted)
      continue;
    joint += !closed.coupled.empty();
    stretched += closed.isStretched;
    windowed += isWindowed(nest);
    ASSERT_EQ(compare(nest, *closed.counts, *executed.counts), "") << "nest " << compared;
    withHops += countsWithHops(*closed.counts);
  }
  EXPECT_GE(joint, least(1000));
  EXPECT_GE(windowed, least(500));
  EXPECT_GE(stretched, least(100));
  EXPECT_GE(withHops, least(1000));
}

TEST(Property, StretchedOutputsEqualEnumeration) {
  std::mt19937 random(31);
  unsigned compared = 0, shorter = 0;
  while (compared < rounds(250)) {
    Nest nest = randomScatterNest(random);
    if (compared % 3 == 0)
      for (Place &place : nest.places)
        if (place.kind == PlaceKind::Memory)
          place.partialBits = 48;
    std::vector<AnalysisError> errors;
    llvm::Optional<FlatNest> flat = flatten(nest, errors);
    ASSERT_TRUE(flat) << errors.front().message();
    int64_t work = enumerationWork(*flat);
    if (work < 2000 || work > 40000 || !canStretch(*flat) || hasClosedForm(*flat))
      continue;
    AnalysisOptions options;
    options.hops = false;
    AnalysisResult stretched = analyse(nest, options);
    options.enumerate = true;
    AnalysisResult executed = analyse(nest, options);
    ASSERT_TRUE(stretched.counts && executed.counts && stretched.isStretched);
    ASSERT_EQ(compare(nest, *stretched.counts, *executed.counts), "") << "nest " << compared;
    shorter += stretchedOutput(*flat, work / 4).hasValue();
    ++compared;
  }
  EXPECT_GE(shorter, least(50));
}
