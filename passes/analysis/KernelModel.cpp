// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/KernelModel.h"

#include "ir/common/Rational.h"
#include "ir/op/Points.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

//===-- Reading
//--------------------------------------------------------------------------------===//

static Subscript readSubscript(const Attribute &attr, const Statement &statement) {
  Subscript subscript;
  if (attr.is(AttrKind::String)) {
    subscript.dataDependent = true;
    return subscript;
  }
  const AffineExpr *expr = attr.affine();
  subscript.constant = expr ? expr->constant() : attr.asInt();
  if (!expr)
    return subscript;
  for (const AffineExpr::Term &term : expr->terms())
    subscript.terms.push_back({*statement.find(term.name), term.coefficient});
  return subscript;
}

static Access readAccess(const AttrDict &dict, const Statement &statement, op::KernelOp kernel) {
  llvm::StringRef tensor = dict.find("tensor")->asString();
  Access access{tensor, op::OperandOp(kernel->body().find(tensor)), &dict.find("map")->asList()};
  access.shape = access.operand.shape();
  access.format = *parseDType(access.operand.dtype());
  access.ranks.reserve(access.map->size());
  for (const Attribute &subscript : *access.map)
    access.ranks.push_back(readSubscript(subscript, statement));
  return access;
}

static bool sameAccess(const Access &a, const Access &b) {
  return a.tensor == b.tensor && *a.map == *b.map;
}

static Statement readStatement(op::StatementOp op, unsigned number, op::KernelOp kernel) {
  Statement statement{op, number, {}, {}, {}, {}};
  for (const AttrDict::Entry &index : op.domain().entries()) {
    statement.names.push_back(index.first);
    statement.extents.push_back(index.second.asInt());
  }
  statement.write = readAccess(op.write(), statement, kernel);
  for (const Attribute &read : op.reads()) {
    Access access = readAccess(read.asDict(), statement, kernel);
    auto same = [&](const Access &other) { return sameAccess(access, other); };
    if (!same(statement.write) && llvm::none_of(statement.reads, same))
      statement.reads.push_back(std::move(access));
  }
  return statement;
}

Kernel::Kernel(op::KernelOp kernel) : op(kernel) {
  for (Operation &part : kernel->body()) {
    if (auto operand = as<op::OperandOp>(part))
      operands.push_back(operand);
    else
      statements.push_back(
          readStatement(op::StatementOp(&part), static_cast<unsigned>(statements.size()), kernel));
  }
}

//===-- Tensors
//--------------------------------------------------------------------------------===//

std::vector<op::OperandOp> passes::inputsOf(op::KernelOp kernel) {
  std::vector<op::OperandOp> list;
  for (Operation &part : kernel->body())
    if (auto operand = as<op::OperandOp>(part))
      if (operand.role() != "intermediate" && operand.role() != "output")
        list.push_back(operand);
  return list;
}

std::vector<op::OperandOp> passes::outputsOf(op::KernelOp kernel) {
  std::vector<op::OperandOp> list;
  for (Operation &part : kernel->body())
    if (auto operand = as<op::OperandOp>(part))
      if (operand.role() == "output" || operand.isInPlace())
        list.push_back(operand);
  return list;
}

std::vector<op::OperandOp> Kernel::inputs() const { return inputsOf(op); }
std::vector<op::OperandOp> Kernel::outputs() const { return outputsOf(op); }

Type passes::typeOf(op::OperandOp operand) {
  return Type::tensor(operand.shape(), *parseDType(operand.dtype()));
}

//===-- Tiles
//----------------------------------------------------------------------------------===//

bool Access::uses(unsigned i) const {
  for (const Subscript &rank : ranks)
    for (const auto &term : rank.terms)
      if (term.first == i)
        return true;
  return false;
}

/// Product that stops at the largest number instead of wrapping.
static int64_t saturatingProduct(int64_t a, int64_t b) {
  return checkedMultiply(a, b).getValueOr(INT64_MAX);
}

/// Different values of `rank`; at most `bound` matter.
static int64_t subscriptValues(const Subscript &rank, llvm::ArrayRef<int64_t> extents) {
  if (rank.terms.empty())
    return 1;
  if (rank.terms.size() == 1)
    return extents[rank.terms[0].first];
  int64_t gcd = 0;
  for (const auto &term : rank.terms)
    gcd = std::gcd(gcd, term.second);
  if (rank.terms.size() == 2) {
    int64_t p = extents[rank.terms[0].first], r = extents[rank.terms[1].first];
    int64_t a = std::abs(rank.terms[0].second / gcd), b = std::abs(rank.terms[1].second / gcd);
    int64_t holes = saturatingProduct(std::max<int64_t>(0, p - b), std::max<int64_t>(0, r - a));
    return saturatingProduct(p, r) - holes;
  }
  int64_t range = 1;
  for (const auto &term : rank.terms)
    range += saturatingProduct(std::abs(term.second / gcd), extents[term.first] - 1);
  return range;
}

int64_t Access::elements(llvm::ArrayRef<int64_t> extents) const {
  int64_t count = 1;
  for (size_t i = 0; i < ranks.size(); ++i) {
    int64_t values;
    if (ranks[i].dataDependent) {
      // At most one value per iteration of the indices that no other rank shows.
      values = 1;
      for (unsigned index = 0; index < extents.size(); ++index)
        if (!uses(index))
          values = saturatingProduct(values, extents[index]);
    } else {
      values = subscriptValues(ranks[i], extents);
    }
    count = saturatingProduct(count, std::min(values, shape[i]));
  }
  return count;
}

/// Most tiles along an index that are looked at for one that padding leaves whole.
static constexpr int64_t mostTiles = 4096;

/// True when padding outside of 0 .. size - 1 takes nothing from the values of one of the tiles.
static bool isWhole(const Subscript &rank, int64_t size, llvm::ArrayRef<int64_t> extents,
                    llvm::ArrayRef<int64_t> tile) {
  struct {
    __int128 step = 0;
    int64_t last = 0; ///< number of the last full tile
  } along[2];
  __int128 low = rank.constant, high = rank.constant; // of the first tile
  for (size_t k = 0; k < rank.terms.size(); ++k) {
    auto [index, coefficient] = rank.terms[k];
    __int128 reach = __int128(coefficient) * (tile[index] - 1);
    (reach < 0 ? low : high) += reach;
    along[k] = {__int128(coefficient) * tile[index], extents[index] / tile[index] - 1};
  }
  if (low <= 0 && high >= size - 1 && subscriptValues(rank, tile) == high - low + 1)
    return true;
  auto inside = [&](__int128 shift) { return low + shift >= 0 && high + shift < size; };
  for (int64_t first = 0; first <= std::min(along[0].last, mostTiles); ++first)
    for (int64_t second = 0; second <= std::min(along[1].last, mostTiles / (first + 1)); ++second)
      if (inside(first * along[0].step + second * along[1].step))
        return true;
  return false;
}

bool Statement::countsElements(const Access &access, llvm::ArrayRef<int64_t> tile) const {
  llvm::SmallVector<bool, 8> seen(extents.size(), false);
  for (size_t r = 0; r < access.ranks.size(); ++r) {
    const Subscript &rank = access.ranks[r];
    for (const auto &term : rank.terms)
      if (std::exchange(seen[term.first], true))
        return false;
    if (rank.dataDependent)
      continue;
    if (rank.terms.size() > 2 || !isWhole(rank, access.shape[r], extents, tile))
      return false;
  }
  return true;
}

//===-- Domains
//--------------------------------------------------------------------------------===//

llvm::Optional<unsigned> Statement::find(llvm::StringRef index) const {
  for (unsigned i = 0; i < names.size(); ++i)
    if (names[i] == index)
      return i;
  return llvm::None;
}

std::string Statement::writtenName(unsigned index) const {
  const Attribute *written =
      op->hasAttr("written") ? op->dictAttr("written").find(names[index]) : nullptr;
  return written ? written->asString().str() : names[index];
}

/// Whether two points may have the same place: in `64i + j` not, as long as j is less than 64.
static bool mayCoincide(const Subscript &rank, llvm::ArrayRef<int64_t> extents) {
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> steps; // how far, and how many
  for (auto [index, factor] : rank.terms)
    if (extents[index] > 1)
      steps.emplace_back(std::abs(factor), extents[index] - 1);
  llvm::sort(steps);
  llvm::Optional<int64_t> reached = 0; // by the smaller steps
  for (auto [step, count] : steps) {
    if (step <= *reached)
      return true;
    llvm::Optional<int64_t> far = checkedMultiply(step, count);
    reached = far ? checkedAdd(*reached, *far) : llvm::None;
    if (!reached)
      return true;
  }
  return false;
}

bool Statement::reduces() const {
  for (unsigned i = 0; i < extents.size(); ++i)
    if (extents[i] > 1 && isReduction(i))
      return true;
  return llvm::any_of(write.ranks, [&](const Subscript &rank) {
    return rank.dataDependent || mayCoincide(rank, extents);
  });
}

bool Statement::isElementwise() const {
  auto isOwn = [&](const Access &read) { return read.tensor == write.tensor; };
  if (!op.reduce().empty() || !op.constraints().empty() || llvm::any_of(reads, isOwn))
    return false;
  llvm::SmallVector<bool, 8> seen(names.size(), false);
  for (const Subscript &rank : write.ranks) {
    if (rank.terms.empty() && !rank.dataDependent && rank.constant == 0)
      continue;
    if (rank.dataDependent || rank.terms.size() != 1 || rank.terms[0].second != 1 ||
        rank.constant != 0 || seen[rank.terms[0].first])
      return false;
    seen[rank.terms[0].first] = true;
  }
  return llvm::all_of(seen, [](bool alone) { return alone; });
}

llvm::Optional<int64_t> Statement::points() const { return op::pointsOf(op); }

int64_t Kernel::macs() const {
  int64_t sum = 0;
  for (const Statement &statement : statements)
    if (statement.op.isMac())
      sum += statement.points().getValueOr(0);
  return sum;
}

const Statement *Kernel::main() const {
  const Statement *best = nullptr;
  std::pair<int64_t, int64_t> most;
  for (const Statement &statement : statements) {
    int64_t points = statement.points().getValueOr(INT64_MAX);
    std::pair<int64_t, int64_t> work{
        statement.op.isMac() ? points : 0,
        saturatingProduct(points, std::max<int64_t>(1, statement.op.flops()))};
    if (!best || work > most) {
      best = &statement;
      most = work;
    }
  }
  return best;
}
