// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Streams.h"

#include "ir/common/Rational.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

llvm::StringRef passes::streamKindName(StreamKind kind) {
  static constexpr llvm::StringLiteral names[] = {"elementwise", "softmax", "norm", "append",
                                                  "latent_append"};
  return names[static_cast<unsigned>(kind)];
}

/// The tensor that a row is of: the input that the rows come from, over however many equations.
static const op::OperandOp *source(const Kernel &kernel) {
  const op::OperandOp *largest = nullptr;
  int64_t most = -1;
  for (const op::OperandOp &operand : kernel.operands) {
    bool isRead = operand.role() != "output" && operand.role() != "intermediate" &&
                  operand.role() != "weight";
    llvm::Optional<int64_t> elements = 1;
    for (int64_t extent : operand.shape())
      elements = elements ? checkedMultiply(*elements, extent) : llvm::None;
    if (isRead && elements && *elements > most) {
      largest = &operand;
      most = *elements;
    }
  }
  return largest;
}

/// The product of the extents of what `statement` sums up, or of the others.
static llvm::Optional<int64_t> extentOf(const Statement &statement, bool ofSums) {
  llvm::Optional<int64_t> product = 1;
  for (unsigned i = 0; i < statement.extents.size(); ++i)
    if (product && statement.isReduction(i) == ofSums)
      product = checkedMultiply(*product, statement.extents[i]);
  return product;
}

/// True when an equation after the sums writes a result for each of the elements that are summed.
static bool writesRows(const Kernel &kernel, int64_t elements) {
  return llvm::any_of(kernel.statements, [&](const Statement &statement) {
    auto points = statement.reduces() ? llvm::None : extentOf(statement, /*ofSums=*/false);
    return points && *points >= elements && statement.write.operand.role() == "output";
  });
}

/// One tensor, copied into another in place.
static bool appends(const Kernel &kernel) {
  return kernel.statements.size() == 1 && !kernel.statements[0].reduces() &&
         kernel.statements[0].write.operand.isInPlace() && kernel.statements[0].reads.size() == 1 &&
         kernel.statements[0].op.flops() == 0;
}

/// Sums up a window that moves over what is read, so that there is no row to hold.
static bool slides(const Statement &statement) {
  return llvm::any_of(statement.reads, [&](const Access &read) {
    return llvm::any_of(read.ranks, [&](const Subscript &rank) {
      return rank.terms.size() > 1 && llvm::any_of(rank.terms, [&](const auto &term) {
               return statement.isReduction(term.first);
             });
    });
  });
}

llvm::Optional<Stream> passes::streamOf(const Kernel &kernel) {
  Stream stream;
  const Statement *first = nullptr;
  bool sumsAfterMaximum = false, hasMaximum = false;
  for (const Statement &statement : kernel.statements) {
    if (statement.op.isMac())
      return llvm::None;
    if (!statement.reduces() || slides(statement))
      continue;
    first = first ? first : &statement;
    bool isMaximum = statement.op.reduce() == "max" || statement.op.reduce() == "min";
    sumsAfterMaximum |= hasMaximum && !isMaximum;
    hasMaximum |= isMaximum;
  }
  for (op::OperandOp operand : kernel.inputs())
    stream.inputs += operand.role() != "weight";
  constexpr size_t ranksWithHeads = 4;
  if (appends(kernel))
    stream.kind = kernel.statements[0].write.ranks.size() >= ranksWithHeads
                      ? StreamKind::Append
                      : StreamKind::LatentAppend;
  const op::OperandOp *tensor = first ? source(kernel) : nullptr;
  if (!tensor)
    return stream;
  auto rows = extentOf(*first, false), length = extentOf(*first, true);
  auto elements = rows && length ? checkedMultiply(*rows, *length) : llvm::None;
  auto bits = elements ? storedBits(*parseDType(tensor->dtype()), *length) : llvm::None;
  auto all = bits ? checkedMultiply(*rows, ceilDivide(*bits, 8)) : llvm::None;
  if (!all)
    return llvm::None;
  if (!writesRows(kernel, *elements)) // each row becomes one value, and many share a block
    return stream;
  stream.kind = sumsAfterMaximum ? StreamKind::Softmax : StreamKind::Norm;
  stream.rows = *rows;
  stream.rowLength = *length;
  stream.rowBytes = ceilDivide(*bits, 8);
  stream.passBytes = sumsAfterMaximum ? 2 * *all : *all;
  return stream;
}
