// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both forms of the analysis against isl: the tile of an epoch is the image of its iterations under
// the access relation, and what moves when the epochs of a memory follow one another is the
// difference between the images, counted as a set. Nests without arrays, where one instance of a
// memory sees all epochs.
#include "Nests.h"
#include "backends/loopnest/analysis/Enumeration.h"
#include <gtest/gtest.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/val.h>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// Reads and counts sets.
class Isl {
public:
  Isl() : ctx(isl_ctx_alloc()) { isl_options_set_on_error(ctx, ISL_ON_ERROR_ABORT); }
  ~Isl() { isl_ctx_free(ctx); }
  Isl(const Isl &) = delete;
  Isl &operator=(const Isl &) = delete;

  /// Pairs of an epoch and an element that its tile has and the one before has not. `iterations`
  /// are by epoch, `elements` those that they touch; padding touches none.
  int64_t newElements(const std::string &iterations, const std::string &elements) {
    isl_map *all = isl_map_read_from_str(ctx, iterations.c_str());
    isl_set *epochs = isl_map_domain(isl_map_copy(all));
    isl_map *access = isl_map_read_from_str(ctx, elements.c_str());
    isl_map *images = isl_map_apply_range(all, access);
    isl_map *before = isl_set_lex_gt_set(isl_set_copy(epochs), epochs); // from an epoch to earlier
    isl_map *held = isl_map_apply_range(isl_map_lexmax(before), isl_map_copy(images));
    isl_set *fresh = isl_map_wrap(isl_map_subtract(images, held));
    isl_val *count = isl_set_count_val(fresh);
    int64_t number = isl_val_get_num_si(count);
    isl_val_free(count);
    isl_set_free(fresh);
    return number;
  }

private:
  isl_ctx *ctx;
};

} // namespace

static std::string join(const std::vector<std::string> &parts, const char *between) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : between) + part;
  return text;
}

/// Sum of step * loop over the loops of `dim`.
static std::string indexOf(const FlatNest &flat, unsigned dim) {
  std::string text = "0";
  for (unsigned i = 0; i < flat.temporal.size(); ++i)
    if (flat.temporal[i].drives.front().dim == dim)
      text +=
          " + " + std::to_string(flat.temporal[i].drives.front().step) + "t" + std::to_string(i);
  return text;
}

/// From the loops outside of `level` to the indices that run there.
static std::string iterationsOf(const FlatNest &flat, unsigned level) {
  std::vector<std::string> outside, inside, indices, conditions;
  for (unsigned i = 0; i < flat.temporal.size(); ++i) {
    std::string name = "t" + std::to_string(i);
    (i < flat.levels[level].temporal ? outside : inside).push_back(name);
    conditions.push_back("0 <= " + name + " < " + std::to_string(flat.temporal[i].factor));
  }
  for (unsigned d = 0; d < flat.nest->dims.size(); ++d) {
    indices.push_back("i" + std::to_string(d));
    conditions.push_back(indices.back() + " = " + indexOf(flat, d));
    conditions.push_back(indices.back() + " < " + std::to_string(flat.nest->dims[d].size));
  }
  std::string text = "{ [" + join(outside, ", ") + "] -> [" + join(indices, ", ") + "] : ";
  if (!inside.empty())
    text += "exists " + join(inside, ", ") + " : ";
  return text + join(conditions, " and ") + " }";
}

/// The access relation: from indices to the element of `tensor`.
static std::string accessOf(const Nest &nest, const Tensor &tensor) {
  std::vector<std::string> indices, elements, conditions;
  for (unsigned d = 0; d < nest.dims.size(); ++d)
    indices.push_back("i" + std::to_string(d));
  for (const Subscript &rank : tensor.ranks) {
    std::string name = "e" + std::to_string(elements.size());
    std::string value = std::to_string(rank.constant);
    for (const Term &one : rank.terms)
      value += (one.coefficient < 0 ? " - " : " + ") + std::to_string(std::abs(one.coefficient)) +
               indices[one.dim];
    elements.push_back(name);
    conditions.push_back(name + " = " + value);
    if (rank.extent)
      conditions.push_back("0 <= " + name + " < " + std::to_string(*rank.extent));
  }
  return "{ [" + join(indices, ", ") + "] -> [" + join(elements, ", ") +
         "] : " + join(conditions, " and ") + " }";
}

static bool hasLanes(const FlatNest &flat) { return !flat.parallel.empty(); }

/// Compares what enters each memory for each tensor; returns how many windows there are among them.
static unsigned check(Isl &isl, const Nest &nest, const FlatNest &flat, const Counts &counts) {
  unsigned windows = 0;
  for (unsigned m = 1; m < flat.memories.size(); ++m)
    for (unsigned t = 0; t < nest.tensors.size(); ++t) {
      if (!flat.levels[m].keeps[t])
        continue;
      const TensorCounts &actual = *counts.memories[m].tensors[t];
      // Each partial sum that enters, or starts there, goes up once.
      EXPECT_EQ(t == flat.output ? actual.writebacks : actual.fills,
                isl.newElements(iterationsOf(flat, m), accessOf(nest, nest.tensors[t])))
          << nest.tensors[t].name << " in " << flat.memories[m]->name;
      windows += llvm::any_of(nest.tensors[t].ranks,
                              [](const Subscript &rank) { return rank.terms.size() > 1; });
    }
  return windows;
}

TEST(Isl, DifferencesOfImagesAreWhatMoves) {
  Isl isl;
  std::mt19937 random(1913);
  unsigned compared = 0, windows = 0;
  while (compared < 300) {
    Nest nest = compared % 3 == 0 ? randomCoupledNest(random) : randomNest(random);
    std::vector<AnalysisError> errors;
    llvm::Optional<FlatNest> flat = flatten(nest, errors);
    ASSERT_TRUE(flat) << errors.front().message();
    if (hasLanes(*flat) || enumerationWork(*flat) > 1000)
      continue;
    AnalysisOptions options;
    AnalysisResult closed = analyse(nest, options);
    options.enumerate = true;
    AnalysisResult executed = analyse(nest, options);
    ASSERT_TRUE(closed.counts && executed.counts);
    windows += check(isl, nest, *flat, *closed.counts);
    check(isl, nest, *flat, *executed.counts);
    ASSERT_FALSE(HasFailure()) << "nest " << compared;
    ++compared;
  }
  EXPECT_GT(windows, 100u);
}
