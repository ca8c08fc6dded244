// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/NormalForm.h"

#include "passes/analysis/IslHandle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <fmt/format.h>
#include <isl/constraint.h>
#include <isl/ilp.h>
#include <isl/val.h>
#include <mutex>

using namespace perfc;
using namespace perfc::passes;

/// Operations of isl that one text may take.
static constexpr uint64_t operationsPerText = 10000000;

/// Texts that are remembered: those of a program, not of each point of a long sweep.
static constexpr unsigned mostTexts = 4096;

struct NormalForms::Context {
  std::mutex mutex;
  IslContext isl{operationsPerText};
  llvm::StringMap<llvm::Optional<NormalDomain>> domains;
  llvm::StringMap<llvm::Optional<std::vector<NormalRank>>> accesses;
};

NormalForms::NormalForms() : context(std::make_unique<Context>()) {}
NormalForms::~NormalForms() = default;

namespace {

/// A row of a set or relation: `inputs` and `outputs` times their coefficients and a constant are
/// 0, or not negative.
struct RelationRow {
  bool isEquality;
  AffineRow inputs;
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> outputs;
};

/// The rows of a relation that has no variables of its own.
struct RelationRows {
  std::vector<RelationRow> list;
  bool isPlain = true;
};

} // namespace

static int64_t takeNumber(__isl_take isl_val *value, bool &isPlain) {
  int64_t number = value && isl_val_is_int(value) == isl_bool_true ? isl_val_get_num_si(value) : 0;
  isPlain &= value && isl_val_is_int(value) == isl_bool_true && isl_val_cmp_si(value, number) == 0;
  isl_val_free(value);
  return number;
}

static llvm::SmallVector<std::pair<unsigned, int64_t>, 2>
termsOf(isl_constraint *row, isl_dim_type type, bool &isPlain) {
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> terms;
  isl_size count = isl_constraint_dim(row, type);
  for (int i = 0; i < count; ++i)
    if (int64_t c = takeNumber(isl_constraint_get_coefficient_val(row, type, i), isPlain))
      terms.push_back({static_cast<unsigned>(i), c});
  return terms;
}

static isl_stat addRow(__isl_take isl_constraint *row, void *user) {
  RelationRows &rows = *static_cast<RelationRows *>(user);
  RelationRow next;
  next.isEquality = isl_constraint_is_equality(row) == isl_bool_true;
  next.inputs.constant = takeNumber(isl_constraint_get_constant_val(row), rows.isPlain);
  next.inputs.terms = termsOf(row, isl_dim_in, rows.isPlain);
  next.outputs = termsOf(row, isl_dim_out, rows.isPlain);
  rows.isPlain &= isl_constraint_dim(row, isl_dim_div) == 0;
  rows.list.push_back(std::move(next));
  isl_constraint_free(row);
  return isl_stat_ok;
}

/// Nothing where the relation is no single conjunction.
static llvm::Optional<RelationRows> rowsOf(const IslMap &map) {
  if (!map || isl_map_n_basic_map(map.get()) != 1)
    return llvm::None;
  RelationRows rows;
  isl_basic_map *basic = isl_map_simple_hull(map.take());
  bool isGood = isl_basic_map_foreach_constraint(basic, addRow, &rows) == isl_stat_ok;
  isl_basic_map_free(basic);
  return isGood && rows.isPlain ? llvm::Optional<RelationRows>(std::move(rows)) : llvm::None;
}

//===-- Domains -----------------------------------------------------------------------------===//

/// Whether all of the box meets `row`.
static bool isOfBox(const RelationRow &row, llvm::ArrayRef<int64_t> extents) {
  int64_t low = row.inputs.constant, high = low;
  for (auto [index, coefficient] : row.outputs)
    (coefficient < 0 ? low : high) += coefficient * (extents[index] - 1);
  return low >= 0 && (!row.isEquality || (low == 0 && high == 0));
}

static AffineRow negated(const AffineRow &row) {
  AffineRow result = row;
  result.constant = -row.constant;
  for (auto &term : result.terms)
    term.second = -term.second;
  return result;
}

static llvm::Optional<NormalDomain> readDomain(isl_ctx *isl, llvm::StringRef text,
                                               llvm::ArrayRef<int64_t> extents) {
  IslSet set = isl_set_read_from_str(isl, text.str().c_str());
  if (!set || isl_set_dim(set.get(), isl_dim_set) != isl_size(extents.size()))
    return llvm::None;
  NormalDomain domain;
  for (unsigned i = 0; i < extents.size(); ++i) {
    const char *name = isl_set_get_dim_name(set.get(), isl_dim_set, i);
    domain.indices.push_back(name ? name : "");
  }
  if (isl_set_is_empty(set.get()) == isl_bool_true) {
    domain.conditions.push_back({{}, -1});
    return domain;
  }
  llvm::Optional<RelationRows> rows = rowsOf(isl_map_from_range(std::move(set).take()));
  if (!rows)
    return llvm::None;
  for (const RelationRow &row : rows->list) {
    if (isOfBox(row, extents))
      continue;
    domain.conditions.push_back({row.outputs, row.inputs.constant});
    if (row.isEquality)
      domain.conditions.push_back(negated(domain.conditions.back()));
  }
  return domain;
}

/// A text with the box that it is read for.
static std::string keyOf(llvm::StringRef text, llvm::ArrayRef<int64_t> extents) {
  return fmt::format("{}|{}", fmt::string_view(text.data(), text.size()), fmt::join(extents, ","));
}

llvm::Optional<NormalDomain> NormalForms::domain(llvm::StringRef text,
                                                 llvm::ArrayRef<int64_t> extents) {
  std::lock_guard<std::mutex> lock(context->mutex);
  if (context->domains.size() >= mostTexts)
    context->domains.clear();
  auto [known, isNew] = context->domains.try_emplace(keyOf(text, extents));
  if (isNew) {
    isl_ctx_reset_operations(context->isl.get());
    known->second = readDomain(context->isl.get(), text, extents);
  }
  return known->second;
}

//===-- Accesses ----------------------------------------------------------------------------===//

/// Smallest and largest value of a subscript over the box.
static std::pair<int64_t, int64_t> range(const AffineRow &row, llvm::ArrayRef<int64_t> extents) {
  int64_t low = row.constant, high = row.constant;
  for (auto [index, coefficient] : row.terms)
    (coefficient < 0 ? low : high) += coefficient * (extents[index] - 1);
  return {low, high};
}

/// The subscript that `row` gives the output of which it has the only one, times `scale`.
static AffineRow subscriptOf(const RelationRow &row, int64_t &scale) {
  scale = std::abs(row.outputs.front().second);
  return row.outputs.front().second < 0 ? row.inputs : negated(row.inputs);
}

/// Where the elements of a rank end, of those that the relation leaves, for a position that counts
/// them `scale` apart; 1 where all positions are negative, which are padding.
static llvm::Optional<int64_t> extentOf(const IslMap &map, unsigned rank, const AffineRow &position,
                                        int64_t scale, llvm::ArrayRef<int64_t> extents) {
  isl_set *image = isl_map_range(map.take());
  isl_val *low = isl_set_dim_min_val(isl_set_copy(image), static_cast<int>(rank));
  isl_val *high = isl_set_dim_max_val(image, static_cast<int>(rank));
  llvm::Optional<int64_t> extent;
  if (high && isl_val_is_int(high) == isl_bool_true)
    extent = std::max<int64_t>(1, scale * isl_val_get_num_si(high) + 1);
  else if (low &&
           isl_val_is_int(low) == isl_bool_true) // only negative positions, maybe all, are padding
    extent = std::max<int64_t>(1, range(position, extents).second + 1);
  isl_val_free(low);
  isl_val_free(high);
  return extent;
}

static llvm::Optional<std::vector<NormalRank>> readAccess(isl_ctx *isl, llvm::StringRef text,
                                                          llvm::ArrayRef<int64_t> extents) {
  IslMap map = isl_map_read_from_str(isl, text.str().c_str());
  if (!map || isl_map_dim(map.get(), isl_dim_in) != isl_size(extents.size()))
    return llvm::None;
  std::vector<NormalRank> ranks(static_cast<size_t>(isl_map_dim(map.get(), isl_dim_out)));
  if (isl_map_is_empty(map.get()) == isl_bool_true) { // nothing but padding
    ranks.assign(ranks.size(), {{{}, -1}, false, 1});
    return ranks;
  }
  llvm::Optional<RelationRows> rows = rowsOf(map);
  if (!rows)
    return llvm::None;
  for (NormalRank &rank : ranks)
    rank.dependsOnData = true; // as far as no row is known
  std::vector<NormalRank> tied;
  std::vector<int64_t> scales(ranks.size(), 1);
  bool isCut = false;
  for (const RelationRow &row : rows->list) {
    isCut |= !row.isEquality;
    if (!row.isEquality)
      continue;
    if (row.outputs.empty()) {
      tied.push_back({row.inputs, false, 1});
      continue;
    }
    if (row.outputs.size() != 1)
      return llvm::None;
    unsigned rank = row.outputs.front().first;
    ranks[rank].position = subscriptOf(row, scales[rank]);
    ranks[rank].dependsOnData = false;
  }
  // Only what ties indices says which positions a scaled subscript skips.
  if (tied.empty() && llvm::any_of(scales, [](int64_t scale) { return scale != 1; }))
    return llvm::None;
  for (unsigned r = 0; r < ranks.size() && isCut; ++r)
    if (!ranks[r].dependsOnData)
      ranks[r].extent = extentOf(map, r, ranks[r].position, scales[r], extents);
  ranks.insert(ranks.end(), tied.begin(), tied.end());
  return ranks;
}

llvm::Optional<std::vector<NormalRank>> NormalForms::access(llvm::StringRef text,
                                                            llvm::ArrayRef<int64_t> extents) {
  std::lock_guard<std::mutex> lock(context->mutex);
  if (context->accesses.size() >= mostTexts)
    context->accesses.clear();
  auto [known, isNew] = context->accesses.try_emplace(keyOf(text, extents));
  if (isNew) {
    isl_ctx_reset_operations(context->isl.get());
    known->second = readAccess(context->isl.get(), text, extents);
  }
  return known->second;
}
