// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/SetCount.h"

#include "ir/common/Affine.h"
#include "ir/common/Rational.h"
#include "ir/op/Points.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/mat.h>
#include <isl/point.h>
#include <isl/space.h>
#include <isl/val.h>
#include <map>

using namespace perfc;

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

/// A row that is not negative: coefficients, then the constant.
using RowValues = llvm::SmallVector<int64_t, 8>;

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
  std::vector<RowValues> valuesOf(const Members &members) const;

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

/// The constraints on a group without divs, equalities as two.
std::vector<RowValues> Rows::valuesOf(const Members &members) const {
  std::vector<RowValues> result;
  auto append = [&](const IslMatrix &rows, bool isEquality) {
    IslMatrix own = select(rows, members);
    for (int row = 0; row < isl_mat_rows(own.get()); ++row) {
      RowValues values, negative;
      for (int column = 0; column < isl_mat_cols(own.get()); ++column) {
        isl_val *value = isl_mat_get_element_val(own.get(), row, column);
        values.push_back(isl_val_get_num_si(value));
        negative.push_back(-values.back());
        isl_val_free(value);
      }
      result.push_back(std::move(values));
      if (isEquality)
        result.push_back(std::move(negative));
    }
  };
  append(equalities, true);
  append(inequalities, false);
  return result;
}

/// Most slices that are counted one after another.
static constexpr int64_t mostSlices = int64_t(1) << 22;

/// Points of `group`, which `rows` describe: slices along its longest coordinates.
static llvm::Optional<int64_t> countSlices(const IslSet &group, llvm::ArrayRef<RowValues> rows) {
  auto dims = unsigned(isl_set_dim(group.get(), isl_dim_set));
  auto extreme = [&](unsigned d, auto function) {
    isl_local_space *space = isl_local_space_from_space(isl_set_get_space(group.get()));
    isl_aff *coordinate = isl_aff_var_on_domain(space, isl_dim_set, d);
    llvm::Optional<int64_t> value = wholeOf(function(group.get(), coordinate));
    isl_aff_free(coordinate);
    return value;
  };
  std::vector<std::string> names;
  std::vector<int64_t> lows, extents;
  for (unsigned d = 0; d < dims; ++d) {
    llvm::Optional<int64_t> low = extreme(d, isl_set_min_val);
    llvm::Optional<int64_t> high = extreme(d, isl_set_max_val);
    llvm::Optional<int64_t> length = low && high ? checkedAdd(*high, -*low) : llvm::None;
    if (!length || *length == INT64_MAX)
      return llvm::None;
    names.push_back("x" + std::to_string(d));
    lows.push_back(*low);
    extents.push_back(*length + 1);
  }
  std::vector<AffineExpr> conditions;
  for (const RowValues &row : rows) {
    llvm::Optional<AffineExpr> sum = AffineExpr(row[dims]);
    for (unsigned d = 0; d < dims && sum; ++d) { // coordinates from 0 on
      llvm::Optional<int64_t> shift = checkedMultiply(row[d], lows[d]);
      sum = shift ? add(*sum, AffineExpr(*shift)) : llvm::None;
      if (sum && row[d] != 0)
        sum = add(*sum, AffineExpr::variable(names[d], row[d]));
    }
    if (!sum)
      return llvm::None;
    conditions.push_back(std::move(*sum));
  }
  std::vector<op::BoxIndex> box;
  for (unsigned d = 0; d < dims; ++d)
    box.push_back({names[d], extents[d]});
  llvm::sort(extents);
  llvm::Optional<int64_t> slices = 1;
  for (unsigned d = 0; d + 1 < dims && slices; ++d)
    slices = checkedMultiply(*slices, extents[d]);
  bool isShort = dims <= 2 || (slices && *slices <= mostSlices);
  return isShort ? op::pointsIn(box, conditions) : llvm::None;
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
  if (divs == 0)
    return countSlices(group, valuesOf(members));
  return wholeOf(isl_set_count_val(
      IslSet(isl_set_project_out(std::move(group).take(), isl_dim_set, kept, divs)).get()));
}

llvm::Optional<int64_t> Rows::count() const {
  llvm::Optional<int64_t> product = 1;
  for (auto it = tied.begin(); it != tied.end(); ++it) {
    if (!it->isLeader())
      continue;
    Members members(tied.member_begin(it), tied.member_end());
    llvm::sort(members);
    llvm::Optional<int64_t> number = countGroup(members);
    product = number ? checkedMultiply(*product, *number) : llvm::None;
    if (!product)
      return llvm::None;
  }
  return product;
}

namespace {

struct Sum {
  llvm::Optional<int64_t> points = 0; ///< nothing where they are not known
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
  sum.points = number ? checkedAdd(*sum.points, *number) : llvm::None;
  return sum.points ? isl_stat_ok : isl_stat_error;
}

llvm::Optional<int64_t> perfc::countPoints(const IslSet &set) {
  Sum sum;
  IslSet disjoint = isl_set_make_disjoint(set.take());
  bool isCounted = isl_set_foreach_basic_set(disjoint.get(), addBasicSet, &sum) == isl_stat_ok;
  return isCounted ? sum.points : llvm::None;
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

llvm::Optional<int64_t> perfc::mostInFibre(const std::vector<IslSet> &sets,
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
