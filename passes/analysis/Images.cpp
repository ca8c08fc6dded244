// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Images.h"

#include "ir/common/Rational.h"
#include "ir/op/Points.h"
#include "ir/op/Positions.h"
#include "passes/analysis/IslConjunction.h"
#include "passes/analysis/SetCount.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static constexpr uint64_t islOperations = 1000000;

static int64_t saturatedProduct(int64_t a, int64_t b) {
  return checkedMultiply(a, b).getValueOr(INT64_MAX);
}

static int64_t saturatedProduct(llvm::ArrayRef<int64_t> factors) {
  int64_t result = 1;
  for (int64_t factor : factors)
    result = saturatedProduct(result, factor);
  return result;
}

static const AttrList &mapOf(const DomainAccess &access) {
  return access.access->find("map")->asList();
}

static int64_t extentOf(op::StatementOp statement, llvm::StringRef index) {
  const Attribute *extent = statement.domain().find(index);
  return extent ? extent->asInt() : 1;
}

std::vector<AffineExpr> passes::cuttingConditions(op::StatementOp statement) {
  std::vector<AffineExpr> result;
  auto extent = [&](llvm::StringRef index) { return extentOf(statement, index); };
  for (AffineExpr &condition : statement.constraints())
    if (auto range = bounds(condition, extent); !range || range->low < 0)
      result.push_back(std::move(condition));
  return result;
}

//===-- Boxes
//----------------------------------------------------------------------------------===//

/// The product over the ranks of the positions that each takes when indices run over their box.
static int64_t boxElements(llvm::ArrayRef<int64_t> shape, const DomainAccess &access) {
  int64_t elements = 1;
  for (size_t rank = 0; rank < shape.size(); ++rank)
    elements =
        saturatedProduct(elements, op::touchedPositions(mapOf(access)[rank].asAffine(),
                                                        access.statement.domain(), shape[rank]));
  return elements;
}

/// Whether a condition leaves out some of what the subscripts lead to while their indices run over
/// their box. The other indices are free to take the value at which the conditions that they are in
/// hold most easily, where that is one for all of them.
static bool isCut(const DomainAccess &access) {
  std::vector<AffineExpr> conditions = cuttingConditions(access.statement);
  if (conditions.empty())
    return false;
  llvm::StringMap<int64_t> free; // the value of each such index
  for (const AttrDict::Entry &index : access.statement.domain().entries()) {
    auto stands = [&](const AffineExpr &expr) { return expr.coefficient(index.first) != 0; };
    auto raises = [&](const AffineExpr &expr) { return expr.coefficient(index.first) >= 0; };
    auto lowers = [&](const AffineExpr &expr) { return expr.coefficient(index.first) <= 0; };
    bool isSubscript = llvm::any_of(
        mapOf(access), [&](const Attribute &subscript) { return stands(subscript.asAffine()); });
    if (isSubscript || index.second.asInt() < 1)
      continue;
    if (llvm::all_of(conditions, lowers))
      free[index.first] = 0;
    else if (llvm::all_of(conditions, raises))
      free[index.first] = index.second.asInt() - 1;
  }
  return llvm::any_of(conditions, [&](const AffineExpr &condition) {
    AffineExpr left = condition.constant();
    for (const AffineExpr::Term &term : condition.terms()) {
      auto known = free.find(term.name);
      auto part = known == free.end()
                      ? AffineExpr::variable(term.name, term.coefficient)
                      : AffineExpr(saturatedProduct(term.coefficient, known->second));
      auto sum = add(left, part);
      if (!sum)
        return true;
      left = *sum;
    }
    auto range =
        bounds(left, [&](llvm::StringRef index) { return extentOf(access.statement, index); });
    return !range || range->low < 0;
  });
}

/// True where that product is exact: no condition cuts the box, and no index is in two ranks.
static bool isBox(const DomainAccess &access) {
  llvm::SmallVector<llvm::StringRef, 8> seen;
  for (const Attribute &subscript : mapOf(access)) {
    const AffineExpr *expr = subscript.affine();
    for (const AffineExpr::Term &term : expr ? expr->terms() : llvm::None) {
      if (extentOf(access.statement, term.name) > 1 && llvm::is_contained(seen, term.name))
        return false;
      seen.push_back(term.name);
    }
  }
  return !isCut(access);
}

static bool isSameImage(const DomainAccess &a, const DomainAccess &b) {
  return mapOf(a) == mapOf(b) && a.statement.domain() == b.statement.domain() &&
         a.statement.constraints() == b.statement.constraints();
}

//===-- Sets
//-----------------------------------------------------------------------------------===//

namespace {

/// The points of a statement beside what they lead to: a coordinate per index, then one for each
/// tile number, then one for each rank.
class DomainSet {
public:
  DomainSet(isl_ctx *context, op::StatementOp statement, size_t tiles, size_t ranks);

  void addTile(llvm::StringRef index, int64_t extent);
  void addRank(const AffineExpr &subscript, int64_t size);
  /// Tile numbers and elements, without the points.
  IslSet image();

private:
  IslConjunction::Terms termsOf(const AffineExpr &expr) const;

  llvm::StringMap<unsigned> indices;
  unsigned next; ///< coordinate of the next tile number or rank
  IslConjunction rows;
};

} // namespace

DomainSet::DomainSet(isl_ctx *context, op::StatementOp statement, size_t tiles, size_t ranks)
    : next(statement.domain().entries().size()), rows(context, unsigned(next + tiles + ranks)) {
  for (const AttrDict::Entry &index : statement.domain().entries()) {
    unsigned at = indices.size();
    indices[index.first] = at;
    rows.within({{at, 1}}, 0, index.second.asInt());
  }
  for (const AffineExpr &condition : cuttingConditions(statement))
    rows.add(false, termsOf(condition), condition.constant());
}

IslConjunction::Terms DomainSet::termsOf(const AffineExpr &expr) const {
  IslConjunction::Terms terms;
  for (const AffineExpr::Term &term : expr.terms())
    terms.push_back({indices.lookup(term.name), term.coefficient});
  return terms;
}

void DomainSet::addTile(llvm::StringRef index, int64_t extent) {
  rows.within({{indices.lookup(index), 1}, {next++, -extent}}, 0, extent);
}

void DomainSet::addRank(const AffineExpr &subscript, int64_t size) {
  IslConjunction::Terms terms = termsOf(subscript);
  terms.push_back({next, -1});
  rows.add(true, terms, subscript.constant());
  rows.within({{next++, 1}}, 0, size);
}

IslSet DomainSet::image() {
  return isl_set_project_out(rows.take().take(), isl_dim_set, 0, unsigned(indices.size()));
}

/// Tile numbers and elements of `access`; none of a tensor where `shape` is empty.
static IslSet imageOf(isl_ctx *context, llvm::ArrayRef<int64_t> shape, const DomainAccess &access,
                      const TileExtents &tiles) {
  DomainSet set(context, access.statement, tiles.size(), shape.size());
  for (const auto &[index, extent] : tiles)
    set.addTile(index, extent);
  for (size_t rank = 0; rank < shape.size(); ++rank)
    set.addRank(mapOf(access)[rank].asAffine(), shape[rank]);
  return set.image();
}

static IslSet unionOf(isl_ctx *context, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<DomainAccess> accesses, const TileExtents &tiles) {
  IslSet all = imageOf(context, shape, accesses[0], tiles);
  for (const DomainAccess &access : accesses.drop_front())
    all = isl_set_union(std::move(all).take(), imageOf(context, shape, access, tiles).take());
  return all;
}

int64_t passes::touchedElements(llvm::ArrayRef<int64_t> shape,
                                llvm::ArrayRef<DomainAccess> accesses) {
  std::vector<DomainAccess> different;
  int64_t whole = saturatedProduct(shape), bound = 0;
  bool areBoxes = true;
  for (const DomainAccess &access : accesses) {
    if (llvm::any_of(different, [&](const auto &known) { return isSameImage(access, known); }))
      continue;
    different.push_back(access);
    int64_t elements = boxElements(shape, access);
    if (isBox(access)) {
      if (elements == whole)
        return whole;
    } else {
      areBoxes = false;
      elements = std::min(elements, op::pointsOf(access.statement).getValueOr(INT64_MAX));
    }
    bound = checkedAdd(bound, elements).getValueOr(INT64_MAX);
  }
  bound = std::min(bound, whole);
  if (bound == 0 || (areBoxes && different.size() == 1))
    return bound;
  IslContext context(islOperations);
  return countPoints(unionOf(context.get(), shape, different, {})).getValueOr(bound);
}

int64_t passes::tilesWithPoints(op::StatementOp statement, const TileExtents &tiles) {
  int64_t all = 1;
  for (const auto &[index, extent] : tiles)
    all =
        saturatedProduct(all, std::max<int64_t>(1, ceilDivide(extentOf(statement, index), extent)));
  if (cuttingConditions(statement).empty())
    return all;
  IslContext context(islOperations);
  return countPoints(imageOf(context.get(), {}, {statement, nullptr}, tiles)).getValueOr(all);
}

int64_t passes::touchedInTiles(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<DomainAccess> accesses,
                               const TileExtents &tiles) {
  IslContext context(islOperations);
  if (auto count = countPoints(unionOf(context.get(), shape, accesses, tiles)))
    return *count;
  int64_t elements = 0;
  for (const DomainAccess &access : accesses)
    elements = checkedAdd(elements, boxElements(shape, access)).getValueOr(INT64_MAX);
  return saturatedProduct(tilesWithPoints(accesses[0].statement, tiles),
                          std::min(elements, saturatedProduct(shape)));
}
