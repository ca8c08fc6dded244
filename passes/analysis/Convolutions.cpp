// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Convolutions.h"

#include "ir/common/Rational.h"
#include "ir/op/Arithmetic.h"
#include "passes/analysis/Products.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

/// The only product of `kernel`, where the others are elementwise; else null.
static const Statement *onlyProduct(const Kernel &kernel) {
  const Statement *found = nullptr;
  for (const Statement &statement : kernel.statements) {
    bool isMac = statement.op.isMac();
    if (isMac ? found || !isProduct(statement) : !statement.isElementwise())
      return nullptr;
    found = isMac ? &statement : found;
  }
  return found;
}

static int64_t bytesOf(const Statement &statement, const Access &access) {
  int64_t elements = access.elements(statement.extents);
  return ceilDivide(storedBits(access.format, elements).getValueOr(INT64_MAX), 8);
}

/// Of a rank `p * stride + r * step`: the index of the position and that of the window.
static llvm::Optional<std::pair<unsigned, unsigned>> windowOf(const Statement &statement,
                                                              const Subscript &rank) {
  if (rank.dataDependent || rank.terms.size() != 2)
    return llvm::None;
  unsigned a = rank.terms[0].first, b = rank.terms[1].first;
  if (statement.isReduction(a))
    std::swap(a, b);
  if (statement.isReduction(a) || !statement.isReduction(b))
    return llvm::None;
  return std::make_pair(a, b);
}

/// Whether an index of `access` can be outside of its tensor.
static bool hangsOver(const Statement &statement, const Access &access, size_t rank) {
  const Subscript &subscript = access.ranks[rank];
  int64_t low = subscript.constant, high = subscript.constant;
  for (const auto &[index, coefficient] : subscript.terms) {
    int64_t reach = coefficient * (statement.extents[index] - 1);
    (reach < 0 ? low : high) += reach;
  }
  return low < 0 || high >= access.shape[rank];
}

static int64_t coefficientOf(const Subscript &rank, unsigned index) {
  for (const auto &[term, coefficient] : rank.terms)
    if (term == index)
      return coefficient;
  return 0;
}

llvm::Optional<Convolution> passes::convolutionOf(const Kernel &kernel) {
  const Statement *statement = onlyProduct(kernel);
  if (!statement)
    return llvm::None;
  bool isFirst = llvm::any_of(statement->reads[0].ranks, [&](const Subscript &rank) {
    return windowOf(*statement, rank).hasValue();
  });
  const Access &input = statement->reads[isFirst ? 0 : 1];
  const Access &filter = statement->reads[isFirst ? 1 : 0];
  Convolution found;
  std::vector<bool> isWindowed(statement->extents.size(), false);
  for (size_t i = 0; i < input.ranks.size(); ++i) {
    const Subscript &rank = input.ranks[i];
    if (auto window = windowOf(*statement, rank)) {
      if (filter.uses(window->first)) // channels of groups in one rank
        continue;
      if (!filter.uses(window->second))
        return llvm::None;
      found.positions.push_back(statement->extents[window->first]);
      found.window.push_back(statement->extents[window->second]);
      found.strides.push_back(coefficientOf(rank, window->first));
      found.isDilated |= coefficientOf(rank, window->second) != 1;
      found.isPadded |= hangsOver(*statement, input, i);
      isWindowed[window->first] = isWindowed[window->second] = true;
    }
  }
  if (found.positions.empty())
    return llvm::None;
  for (unsigned i = 0; i < statement->extents.size(); ++i) {
    if (isWindowed[i])
      continue;
    bool isInput = input.uses(i), isFilter = filter.uses(i);
    int64_t &into = statement->isReduction(i) ? found.channels
                    : isInput && isFilter     ? found.groups
                    : isInput                 ? found.images
                                              : found.filters;
    auto product = checkedMultiply(into, statement->extents[i]);
    if (!product || *product < 1)
      return llvm::None;
    into = *product;
  }
  found.statement = statement;
  found.format = op::computeFormat(statement->op);
  found.result = statement->write.format;
  found.inputBytes = bytesOf(*statement, input);
  found.filterBytes = bytesOf(*statement, filter);
  found.resultBytes = bytesOf(*statement, statement->write);
  found.otherBytes = bytesBeside(kernel);
  return found;
}
