// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/exact/SetCount.h"
#include "backends/loopnest/analysis/Checked.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <isl/mat.h>
#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>
#include <map>

using namespace perfc;
using namespace perfc::loopnest;

static llvm::Optional<int64_t> wholeOf(isl_val *value) {
  llvm::Optional<int64_t> number;
  isl_val *most = value ? isl_val_int_from_si(isl_val_get_ctx(value), INT64_MAX) : nullptr;
  if (value && isl_val_is_int(value) == isl_bool_true && isl_val_le(value, most) == isl_bool_true)
    number = isl_val_get_num_si(value);
  isl_val_free(most);
  isl_val_free(value);
  return number;
}

namespace {

using IslBasicSet = IslHandle<isl_basic_set, isl_basic_set_copy, isl_basic_set_free>;
using IslMatrix = IslHandle<isl_mat, isl_mat_copy, isl_mat_free>;

/// The constraints of a basic set as rows over its variables (coordinates, then divs) and 1.
class Rows {
public:
  explicit Rows(const IslBasicSet &set);

  bool isValid() const { return equalities && inequalities; }
  llvm::Optional<int64_t> count() const;

private:
  using Members = llvm::SmallVector<unsigned, 8>;
  void tie(const IslMatrix &rows);
  IslMatrix select(const IslMatrix &rows, const Members &members) const;
  bool mentions(const IslMatrix &rows, unsigned row, const Members &members) const;
  llvm::Optional<int64_t> countGroup(const Members &members) const;

  unsigned coordinates = 0, variables = 0;
  IslMatrix equalities, inequalities;
  llvm::EquivalenceClasses<unsigned> tied;
};

} // namespace

Rows::Rows(const IslBasicSet &set)
    : coordinates(unsigned(isl_basic_set_dim(set.get(), isl_dim_set))),
      variables(coordinates + unsigned(isl_basic_set_dim(set.get(), isl_dim_div))),
      equalities(isl_basic_set_equalities_matrix(set.get(), isl_dim_set, isl_dim_div, isl_dim_param,
                                                 isl_dim_cst)),
      inequalities(isl_basic_set_inequalities_matrix(set.get(), isl_dim_set, isl_dim_div,
                                                     isl_dim_param, isl_dim_cst)) {
  for (unsigned v = 0; v < variables; ++v)
    tied.insert(v);
  tie(equalities);
  tie(inequalities);
}

static bool isZero(const IslMatrix &rows, unsigned row, unsigned column) {
  isl_val *value = isl_mat_get_element_val(rows.get(), int(row), int(column));
  bool result = isl_val_is_zero(value) == isl_bool_true;
  isl_val_free(value);
  return result;
}

void Rows::tie(const IslMatrix &rows) {
  for (int row = 0; row < isl_mat_rows(rows.get()); ++row) {
    unsigned first = variables;
    for (unsigned v = 0; v < variables; ++v) {
      if (isZero(rows, unsigned(row), v))
        continue;
      if (first == variables)
        first = v;
      tied.unionSets(first, v);
    }
  }
}

bool Rows::mentions(const IslMatrix &rows, unsigned row, const Members &members) const {
  return llvm::any_of(members, [&](unsigned v) { return !isZero(rows, row, v); });
}

/// The rows over `members`, with their constants.
IslMatrix Rows::select(const IslMatrix &rows, const Members &members) const {
  Members kept;
  for (int row = 0; row < isl_mat_rows(rows.get()); ++row)
    if (mentions(rows, unsigned(row), members))
      kept.push_back(unsigned(row));
  isl_mat *result = isl_mat_alloc(isl_mat_get_ctx(rows.get()), unsigned(kept.size()),
                                  unsigned(members.size() + 1));
  for (int row = 0; row < int(kept.size()); ++row)
    for (int column = 0; column <= int(members.size()); ++column) {
      unsigned from = column < int(members.size()) ? members[unsigned(column)] : variables;
      isl_val *value = isl_mat_get_element_val(rows.get(), int(kept[unsigned(row)]), int(from));
      result = isl_mat_set_element_val(result, row, column, value);
    }
  return result;
}

/// Points of one group: settings of its coordinates for which there are divs.
llvm::Optional<int64_t> Rows::countGroup(const Members &members) const {
  unsigned divs = llvm::count_if(members, [&](unsigned v) { return v >= coordinates; });
  unsigned kept = members.size() - divs;
  isl_space *space =
      isl_space_set_alloc(isl_mat_get_ctx(equalities.get()), 0, unsigned(members.size()));
  IslSet group = isl_set_from_basic_set(isl_basic_set_from_constraint_matrices(
      space, select(equalities, members).take(), select(inequalities, members).take(), isl_dim_set,
      isl_dim_div, isl_dim_param, isl_dim_cst));
  return wholeOf(isl_set_count_val(
      IslSet(isl_set_project_out(std::move(group).take(), isl_dim_set, kept, divs)).get()));
}

llvm::Optional<int64_t> Rows::count() const {
  Checked product = 1;
  for (auto it = tied.begin(); it != tied.end(); ++it) {
    if (!it->isLeader())
      continue;
    Members members(tied.member_begin(it), tied.member_end());
    llvm::sort(members);
    llvm::Optional<int64_t> number = countGroup(members);
    if (!number)
      return llvm::None;
    product *= *number;
  }
  return product.overflowed() ? llvm::None : llvm::Optional<int64_t>(product.value());
}

namespace {

struct Sum {
  Checked points = 0;
  bool isKnown = true;
};

} // namespace

static isl_stat addBasicSet(isl_basic_set *object, void *user) {
  auto &sum = *static_cast<Sum *>(user);
  IslBasicSet set(object);
  isl_bool isEmpty = isl_basic_set_is_empty(set.get());
  if (isEmpty == isl_bool_true)
    return isl_stat_ok;
  Rows rows(set);
  llvm::Optional<int64_t> number;
  if (isEmpty == isl_bool_false && rows.isValid())
    number = rows.count();
  sum.isKnown &= number.hasValue();
  sum.points += number.getValueOr(0);
  return number ? isl_stat_ok : isl_stat_error;
}

llvm::Optional<int64_t> loopnest::countPoints(const IslSet &set) {
  Sum sum;
  IslSet disjoint = isl_set_make_disjoint(set.take());
  if (isl_set_foreach_basic_set(disjoint.get(), addBasicSet, &sum) != isl_stat_ok || !sum.isKnown ||
      sum.points.overflowed())
    return llvm::None;
  return sum.points.value();
}

namespace {

/// Points by their first coordinates.
struct Tally {
  unsigned prefix;
  int64_t weight, left;
  std::map<std::vector<int64_t>, int64_t> points;
};

} // namespace

static isl_stat addPoint(isl_point *point, void *user) {
  auto &tally = *static_cast<Tally *>(user);
  std::vector<int64_t> key(tally.prefix);
  for (unsigned i = 0; i < tally.prefix; ++i) {
    isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, int(i));
    key[i] = isl_val_get_num_si(value);
    isl_val_free(value);
  }
  isl_point_free(point);
  tally.points[std::move(key)] += tally.weight;
  return --tally.left >= 0 ? isl_stat_ok : isl_stat_error;
}

llvm::Optional<int64_t> loopnest::mostInFibre(const std::vector<IslSet> &sets,
                                              const std::vector<int64_t> &weights, unsigned prefix,
                                              int64_t limit) {
  Tally tally{prefix, 0, limit, {}};
  for (size_t i = 0; i < sets.size(); ++i) {
    tally.weight = weights[i];
    if (isl_set_foreach_point(sets[i].get(), addPoint, &tally) != isl_stat_ok)
      return llvm::None;
  }
  int64_t most = 0;
  for (const auto &entry : tally.points)
    most = std::max(most, entry.second);
  return most;
}
