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

bool passes::isProduct(const Statement &statement) {
  if (!statement.op.isMac() || statement.reads.size() != 2 || !statement.op.constraints().empty())
    return false;
  return llvm::none_of(statement.reads, [](const Access &read) {
    return llvm::any_of(read.ranks, [](const Subscript &rank) { return rank.dataDependent; });
  });
}

/// The equations that multiply two tensors, where the others are elementwise; else none.
static llvm::SmallVector<const Statement *, 3> multiplications(const Kernel &kernel) {
  llvm::SmallVector<const Statement *, 3> found;
  for (const Statement &statement : kernel.statements) {
    if (statement.op.isMac() ? !isProduct(statement) : !statement.isElementwise())
      return {};
    if (statement.op.isMac())
      found.push_back(&statement);
  }
  return found;
}

static int64_t bytesOfWhole(const Statement &statement, const Access &access) {
  int64_t elements = access.elements(statement.extents);
  return ceilDivide(storedBits(access.format, elements).getValueOr(INT64_MAX), 8);
}

int64_t passes::bytesBeside(const Kernel &kernel) {
  llvm::StringSet<> counted;
  int64_t bytes = 0;
  for (bool isMac : {true, false})
    for (const Statement &statement : kernel.statements) {
      if (statement.op.isMac() != isMac)
        continue;
      auto add = [&](const Access &access) {
        if (access.operand.role() != "intermediate" && counted.insert(access.tensor).second &&
            !isMac)
          bytes += bytesOfWhole(statement, access);
      };
      llvm::for_each(statement.reads, add);
      add(statement.write);
    }
  return bytes;
}

/// `statement` as a product; nothing when it is none, or when an extent does not fit 64 bits.
static llvm::Optional<Product> productOf(const Statement &statement, IsWeight isWeight) {
  const Access *left = &statement.reads[0], *right = &statement.reads[1];
  bool isSwapped = isWeight(*left) && !isWeight(*right);
  int64_t extents[] = {1, 1, 1, 1};
  unsigned found[] = {0, 0, 0, 0};
  for (unsigned i = 0; i < statement.extents.size(); ++i) {
    ProductIndex kind = productIndex(statement, i);
    if (isSwapped && (kind == ProductIndex::Row || kind == ProductIndex::Column))
      kind = kind == ProductIndex::Row ? ProductIndex::Column : ProductIndex::Row;
    auto all = checkedMultiply(extents[static_cast<unsigned>(kind)], statement.extents[i]);
    if (!all || *all < 1)
      return llvm::None;
    extents[static_cast<unsigned>(kind)] = *all;
    ++found[static_cast<unsigned>(kind)];
  }
  auto has = [&](ProductIndex kind) { return found[static_cast<unsigned>(kind)] > 0; };
  bool isOfVector = extents[static_cast<unsigned>(ProductIndex::Batch)] == 1 &&
                    (has(ProductIndex::Row) || has(ProductIndex::Column));
  bool isOfMatrices = has(ProductIndex::Row) && has(ProductIndex::Column);
  if (!has(ProductIndex::Sum) || (!isOfVector && !isOfMatrices))
    return llvm::None;
  if (isSwapped)
    std::swap(left, right);
  auto factor = [&](const Access &access) { // one that stays on the chip moves nothing
    bool isKept = access.operand.role() == "intermediate";
    return Factor{&access, isKept ? 0 : bytesOfWhole(statement, access)};
  };
  return Product{&statement,    extents[0],     extents[1],
                 extents[2],    extents[3],     op::computeFormat(statement.op),
                 factor(*left), factor(*right), factor(statement.write)};
}

/// Puts the columns of `more` beside those of `product`; false where they have not one left factor.
static bool append(Product &product, const Product &more) {
  bool isBeside = product.left.access->tensor == more.left.access->tensor && product.batch == 1 &&
                  more.batch == 1 && product.m == more.m && product.k == more.k &&
                  product.format == more.format &&
                  product.right.access->format == more.right.access->format;
  if (!isBeside || product.n > INT64_MAX - more.n)
    return false;
  product.n += more.n;
  product.right.bytes += more.right.bytes;
  product.result.bytes += more.result.bytes;
  return true;
}

llvm::Optional<Product> passes::productOf(const Kernel &kernel) {
  return productOf(kernel, [](const Access &read) { return read.operand.role() == "weight"; });
}

llvm::Optional<Product> passes::productOf(const Kernel &kernel, IsWeight isWeight) {
  llvm::Optional<Product> all;
  for (const Statement *statement : multiplications(kernel)) {
    llvm::Optional<Product> one = ::productOf(*statement, isWeight);
    if (!one || (all && !append(*all, *one)))
      return llvm::None;
    all = all ? all : one;
  }
  if (all)
    all->otherBytes = bytesBeside(kernel);
  return all;
}
