// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Products.h"

#include "ir/common/Rational.h"
#include "ir/op/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::passes;

ProductIndex passes::productIndex(const Statement &statement, unsigned i) {
  if (statement.isReduction(i))
    return ProductIndex::Sum;
  bool isLeft = statement.reads[0].uses(i), isRight = statement.reads[1].uses(i);
  if (isLeft == isRight)
    return ProductIndex::Batch;
  return isLeft ? ProductIndex::Row : ProductIndex::Column;
}

/// The one equation that multiplies two tensors, where the others are elementwise; else null.
static const Statement *multiplication(const Kernel &kernel) {
  const Statement *found = nullptr;
  for (const Statement &statement : kernel.statements) {
    if (statement.op.isMac() ? found != nullptr : !statement.isElementwise())
      return nullptr;
    if (statement.op.isMac())
      found = &statement;
  }
  bool isData =
      found && llvm::any_of(found->reads, [](const Access &read) {
        return llvm::any_of(read.ranks, [](const Subscript &rank) { return rank.dataDependent; });
      });
  bool isPlain = found && found->reads.size() == 2 && !isData && found->op.constraints().empty();
  return isPlain ? found : nullptr;
}

static int64_t bytesOfWhole(const Statement &statement, const Access &access) {
  int64_t elements = access.elements(statement.extents);
  return ceilDivide(storedBits(access.format, elements).getValueOr(INT64_MAX), 8);
}

/// Bytes that the equations beside `main` move.
static int64_t bytesBeside(const Kernel &kernel, const Statement &main) {
  llvm::StringSet<> counted;
  for (const Access &read : main.reads)
    counted.insert(read.tensor);
  counted.insert(main.write.tensor);
  int64_t bytes = 0;
  auto add = [&](const Statement &statement, const Access &access) {
    if (access.operand.role() != "intermediate" && counted.insert(access.tensor).second)
      bytes += bytesOfWhole(statement, access);
  };
  for (const Statement &statement : kernel.statements) {
    if (&statement == &main)
      continue;
    for (const Access &read : statement.reads)
      add(statement, read);
    add(statement, statement.write);
  }
  return bytes;
}

llvm::Optional<Product> passes::productOf(const Kernel &kernel) {
  const Statement *statement = multiplication(kernel);
  if (!statement)
    return llvm::None;
  const Access *left = &statement->reads[0], *right = &statement->reads[1];
  bool isSwapped = left->operand.role() == "weight" && right->operand.role() != "weight";
  int64_t extents[] = {1, 1, 1, 1};
  unsigned found[] = {0, 0, 0, 0};
  for (unsigned i = 0; i < statement->extents.size(); ++i) {
    ProductIndex kind = productIndex(*statement, i);
    if (isSwapped && (kind == ProductIndex::Row || kind == ProductIndex::Column))
      kind = kind == ProductIndex::Row ? ProductIndex::Column : ProductIndex::Row;
    auto all = checkedMultiply(extents[static_cast<unsigned>(kind)], statement->extents[i]);
    if (!all || *all < 1)
      return llvm::None;
    extents[static_cast<unsigned>(kind)] = *all;
    ++found[static_cast<unsigned>(kind)];
  }
  for (ProductIndex kind : {ProductIndex::Row, ProductIndex::Column, ProductIndex::Sum})
    if (found[static_cast<unsigned>(kind)] == 0)
      return llvm::None;
  if (isSwapped)
    std::swap(left, right);
  auto factor = [&](const Access &access) { // one that stays on the chip moves nothing
    bool isKept = access.operand.role() == "intermediate";
    return Factor{&access, isKept ? 0 : bytesOfWhole(*statement, access)};
  };
  return Product{statement,
                 extents[0],
                 extents[1],
                 extents[2],
                 extents[3],
                 op::computeFormat(statement->op),
                 factor(*left),
                 factor(*right),
                 factor(statement->write),
                 bytesBeside(kernel, *statement)};
}
