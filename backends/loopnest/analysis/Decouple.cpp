// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Decouple.h"
#include "backends/loopnest/analysis/Checked.h"
#include "backends/loopnest/analysis/RankSums.h"
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

std::vector<std::vector<unsigned>>
loopnest::coupledRanks(llvm::ArrayRef<llvm::SmallVector<unsigned, 4>> dimsOfRank) {
  std::vector<unsigned> leader(dimsOfRank.size());
  std::iota(leader.begin(), leader.end(), 0u);
  for (unsigned b = 0; b < leader.size(); ++b)
    for (unsigned a = 0; a < b; ++a)
      if (leader[a] != leader[b] && llvm::any_of(dimsOfRank[b], [&](unsigned dim) {
            return llvm::is_contained(dimsOfRank[a], dim);
          }))
        std::replace(leader.begin(), leader.end(), std::max(leader[a], leader[b]),
                     std::min(leader[a], leader[b]));
  std::vector<std::vector<unsigned>> groups;
  for (unsigned first = 0; first < leader.size(); ++first) {
    std::vector<unsigned> group;
    for (unsigned rank = 0; rank < leader.size(); ++rank)
      if (leader[rank] == first)
        group.push_back(rank);
    if (!group.empty())
      groups.push_back(std::move(group));
  }
  return groups;
}

namespace {

using Row = std::vector<Checked>; ///< a coefficient per dimension

} // namespace

static bool overflowed(const Row &row) {
  return llvm::any_of(row, [](Checked c) { return c.overflowed(); });
}

/// Divides by the greatest common divisor, with the first coefficient positive.
static void makePrimitive(Row &row) {
  int64_t divisor = 0;
  for (Checked c : row)
    divisor = std::gcd(divisor, c.value());
  auto first = llvm::find_if(row, [](Checked c) { return c.value() != 0; });
  if (first != row.end() && first->value() < 0)
    divisor = -divisor;
  for (Checked &c : row)
    c = divisor ? c.value() / divisor : 0;
}

/// The rows of the reduced row echelon form, each with coprime integers; none on overflow.
static std::vector<Row> reduced(std::vector<Row> rows) {
  size_t done = 0;
  for (size_t column = 0; !rows.empty() && column < rows[0].size() && done < rows.size();
       ++column) {
    auto pivot = std::find_if(rows.begin() + static_cast<ptrdiff_t>(done), rows.end(),
                              [&](const Row &row) { return row[column].value() != 0; });
    if (pivot == rows.end())
      continue;
    std::swap(rows[done], *pivot);
    for (size_t r = 0; r < rows.size(); ++r) {
      Checked factor = rows[r][column], scale = rows[done][column];
      if (r == done || factor.value() == 0)
        continue;
      for (size_t d = 0; d < rows[r].size(); ++d)
        rows[r][d] = rows[r][d] * scale - rows[done][d] * factor;
      if (overflowed(rows[r]))
        return {};
      makePrimitive(rows[r]);
    }
    ++done;
  }
  rows.resize(done);
  for (Row &row : rows)
    makePrimitive(row);
  return rows;
}

static std::vector<Subscript> reduce(const Nest &nest, llvm::ArrayRef<Rank> ranks) {
  std::vector<Row> rows;
  for (const Rank &rank : ranks) {
    rows.emplace_back(nest.dims.size(), 0);
    for (const Term &term : rank.terms)
      rows.back()[term.dim] = term.coefficient;
  }
  std::vector<Subscript> result;
  for (const Row &row : reduced(std::move(rows))) {
    result.emplace_back();
    for (unsigned dim = 0; dim < row.size(); ++dim)
      if (row[dim].value())
        result.back().terms.push_back({dim, row[dim].value()});
  }
  return result;
}

/// Puts the ranks of `tensor` into `result`; true when some are reduced.
static bool decouple(const Nest &nest, const Tensor &tensor,
                     llvm::SmallVector<Subscript, 4> &result) {
  std::vector<Rank> ranks;
  std::vector<llvm::SmallVector<unsigned, 4>> dims;
  for (const Subscript &subscript : tensor.ranks) {
    ranks.push_back(normalise(nest, subscript));
    dims.emplace_back();
    for (const Term &term : ranks.back().terms)
      dims.back().push_back(term.dim);
  }
  bool changed = false;
  for (const std::vector<unsigned> &group : coupledRanks(dims)) {
    std::vector<Rank> members;
    for (unsigned rank : group)
      members.push_back(ranks[rank]);
    bool cut = llvm::any_of(members, [](const Rank &rank) { return rank.extent.hasValue(); });
    std::vector<Subscript> simpler;
    if (group.size() > 1 && !cut)
      simpler = reduce(nest, members);
    changed |= !simpler.empty();
    if (simpler.empty())
      for (unsigned rank : group)
        result.push_back(tensor.ranks[rank]);
    result.append(simpler.begin(), simpler.end());
  }
  return changed;
}

llvm::Optional<Nest> loopnest::decoupled(const Nest &nest) {
  llvm::Optional<Nest> result;
  for (size_t t = 0; t < nest.tensors.size(); ++t) {
    llvm::SmallVector<Subscript, 4> ranks;
    if (!decouple(nest, nest.tensors[t], ranks))
      continue;
    if (!result)
      result = nest;
    result->tensors[t].ranks = std::move(ranks);
  }
  return result;
}
