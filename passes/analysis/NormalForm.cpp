// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/NormalForm.h"

#include "passes/analysis/IslHandle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <isl/constraint.h>
#include <isl/ilp.h>
#include <fmt/format.h>
#include <isl/val.h>
#include <mutex>

using namespace perfc;
using namespace perfc::passes;

/// Operations of isl that one text may take.
static constexpr uint64_t mostOperations = 10000000;

/// Texts that are remembered: those of a program, not of each point of a long sweep.
static constexpr unsigned mostTexts = 4096;

struct NormalForms::Context {
  std::mutex mutex;
  IslContext isl{mostOperations};
  llvm::StringMap<llvm::Optional<NormalDomain>> domains;
  llvm::StringMap<llvm::Optional<std::vector<NormalRank>>> accesses;
};

NormalForms::NormalForms() : context(std::make_unique<Context>()) {}
NormalForms::~NormalForms() = default;

namespace {

/// A row of a set or relation: `inputs` and `outputs` times their coefficients and a constant are
/// 0, or not negative.
struct Row {
  bool isEquality;
  AffineRow inputs;
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> outputs;
};

/// The rows of a relation that has no variables of its own.
struct Rows {
  std::vector<Row> list;
  bool isPlain = true;
};

} // namespace

static int64_t takeNumber(__isl_take isl_val *value, bool &isPlain) {
  int64_t number = value && isl_val_is_int(value) == isl_bool_true ? isl_val_get_num_si(value) : 0;
  isPlain &= value && isl_val_is_int(value) == isl_bool_true &&
             isl_val_cmp_si(value, number) == 0;
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
  Rows &rows = *static_cast<Rows *>(user);
  Row next;
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
static llvm::Optional<Rows> rowsOf(const IslMap &map) {
  if (!map || isl_map_n_basic_map(map.get()) != 1)
    return llvm::None;
  Rows rows;
  isl_basic_map *basic = isl_map_simple_hull(map.take());
  bool isGood = isl_basic_map_foreach_constraint(basic, addRow, &rows) == isl_stat_ok;
  isl_basic_map_free(basic);
  return isGood && rows.isPlain ? llvm::Optional<Rows>(std::move(rows)) : llvm::None;
}

//===-- Domains -----------------------------------------------------------------------------===//

/// c - i >= 0 gives index i the extent c + 1; i >= 0 says nothing. False for other rows.
static bool isBound(const Row &row, std::vector<llvm::Optional<int64_t>> &extents) {
  if (row.outputs.size() != 1)
    return false;
  auto [index, coefficient] = row.outputs.front();
  int64_t constant = row.inputs.constant;
  if (row.isEquality && constant == 0)
    extents[index] = 1;
  else if (!row.isEquality && coefficient == -1)
    extents[index] = std::min(extents[index].getValueOr(constant + 1), constant + 1);
  else
    return !row.isEquality && coefficient == 1 && constant == 0;
  return true;
}

static AffineRow negated(const AffineRow &row) {
  AffineRow result = row;
  result.constant = -row.constant;
  for (auto &term : result.terms)
    term.second = -term.second;
  return result;
}

static llvm::Optional<NormalDomain> readDomain(isl_ctx *isl, llvm::StringRef text) {
  isl_set *set = isl_set_read_from_str(isl, text.str().c_str());
  NormalDomain domain;
  isl_size count = set ? isl_set_dim(set, isl_dim_set) : 0;
  for (int i = 0; i < count; ++i) {
    const char *name = isl_set_get_dim_name(set, isl_dim_set, static_cast<unsigned>(i));
    domain.indices.push_back(name ? name : "");
  }
  if (isl_set_is_empty(set) == isl_bool_true) {
    isl_set_free(set);
    domain.extents.assign(domain.indices.size(), 1);
    domain.conditions.push_back({{}, -1});
    return domain;
  }
  IslSet points = set;
  llvm::Optional<Rows> rows = rowsOf(points ? isl_map_from_range(points.take()) : nullptr);
  if (!rows)
    return llvm::None;
  std::vector<llvm::Optional<int64_t>> extents(domain.indices.size());
  for (const Row &row : rows->list) {
    if (isBound(row, extents))
      continue;
    AffineRow condition{row.outputs, row.inputs.constant};
    domain.conditions.push_back(condition);
    if (!row.isEquality)
      continue;
    domain.conditions.push_back(negated(condition));
    if (auto [index, coefficient] = row.outputs.front(); row.outputs.size() == 1)
      extents[index] = -row.inputs.constant / coefficient + 1;
  }
  for (unsigned i = 0; i < extents.size(); ++i) {
    // Bounds that follow from conditions are no rows of their own.
    bool isBounded = true;
    if (!extents[i])
      extents[i] =
          takeNumber(isl_set_dim_max_val(points.take(), static_cast<int>(i)), isBounded) + 1;
    if (!isBounded)
      return llvm::None;
    domain.extents.push_back(*extents[i]);
  }
  return domain;
}

llvm::Optional<NormalDomain> NormalForms::domain(llvm::StringRef text) {
  std::lock_guard<std::mutex> lock(context->mutex);
  if (context->domains.size() >= mostTexts)
    context->domains.clear();
  auto [known, isNew] = context->domains.try_emplace(text);
  if (isNew) {
    isl_ctx_reset_operations(context->isl.get());
    known->second = readDomain(context->isl.get(), text);
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
static AffineRow subscriptOf(const Row &row, int64_t &scale) {
  scale = std::abs(row.outputs.front().second);
  return row.outputs.front().second < 0 ? row.inputs : negated(row.inputs);
}

/// Where the elements of a rank end, of those that the relation leaves, for a position that counts
/// them `scale` apart.
static llvm::Optional<int64_t> extentOf(const IslMap &map, unsigned rank, const AffineRow &position,
                                        int64_t scale, llvm::ArrayRef<int64_t> extents) {
  isl_set *image = isl_map_range(map.take());
  isl_val *low = isl_set_dim_min_val(isl_set_copy(image), static_cast<int>(rank));
  isl_val *high = isl_set_dim_max_val(image, static_cast<int>(rank));
  llvm::Optional<int64_t> extent;
  if (high && isl_val_is_int(high) == isl_bool_true)
    extent = scale * isl_val_get_num_si(high) + 1;
  else if (low && isl_val_is_int(low) == isl_bool_true) // only negative positions are padding
    extent = range(position, extents).second + 1;
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
  llvm::Optional<Rows> rows = rowsOf(map);
  if (!rows)
    return llvm::None;
  for (NormalRank &rank : ranks)
    rank.dependsOnData = true; // as far as no row is known
  std::vector<NormalRank> tied;
  std::vector<int64_t> scales(ranks.size(), 1);
  bool isCut = false;
  for (const Row &row : rows->list) {
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
  std::string key = text.str();
  for (int64_t extent : extents)
    key += fmt::format("|{}", extent);
  std::lock_guard<std::mutex> lock(context->mutex);
  if (context->accesses.size() >= mostTexts)
    context->accesses.clear();
  auto [known, isNew] = context->accesses.try_emplace(key);
  if (isNew) {
    isl_ctx_reset_operations(context->isl.get());
    known->second = readAccess(context->isl.get(), text, extents);
  }
  return known->second;
}
