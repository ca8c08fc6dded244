// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel in the form that passes compute with: indices as numbers, accesses as rows of
// coefficients. The elements that a tile touches follow from the extents of its indices; for one
// subscript a*p + b*r with P and R iterations, a' = a/g, b' = b/g, g = gcd(a, b), these are
//     P*R - max(0, P - b') * max(0, R - a')
// values, exactly, holes left out; longer subscripts count their range in steps of the gcd.
#ifndef PERFC_PASSES_ANALYSIS_KERNELMODEL_H
#define PERFC_PASSES_ANALYSIS_KERNELMODEL_H

#include "ir/op/OpOps.h"

namespace perfc {
namespace passes {

/// One subscript: sum of coefficient * index + constant, or `dataDependent`.
struct Subscript {
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> terms; ///< index, coefficient
  int64_t constant = 0;
  bool dataDependent = false;
};

/// One access of a statement.
struct Access {
  llvm::StringRef tensor;
  op::OperandOp operand;
  const ir::AttrList *map;
  std::vector<Subscript> ranks;
  std::vector<int64_t> shape;
  DType format;

  /// True when index `i` occurs in a subscript.
  bool uses(unsigned i) const;
  /// Elements that a tile with `extents` iterations per index touches, at most those of the tensor.
  int64_t elements(llvm::ArrayRef<int64_t> extents) const;
};

/// One statement. `reads` holds each tensor and map once, without what `write` already is.
struct Statement {
  op::StatementOp op;
  unsigned number;
  std::vector<std::string> names;
  std::vector<int64_t> extents;
  Access write;
  std::vector<Access> reads;

  bool isReduction(unsigned index) const { return !write.uses(index); }
  /// True when several points add to one element.
  bool reduces() const;
  llvm::Optional<unsigned> find(llvm::StringRef index) const;
  /// The name of an index as a mapping writes it.
  std::string writtenName(unsigned index) const;
  /// True when `access.elements(tile)` is the most that one of the tiles into which `tile` cuts the
  /// domain touches, rather than a bound of it: subscripts share no index and have at most two, and
  /// padding leaves some tile whole or the rank all that it has.
  bool countsElements(const Access &access, llvm::ArrayRef<int64_t> tile) const;
  /// Points of the domain, its conditions included; nothing when that does not fit 64 bits.
  llvm::Optional<int64_t> points() const;
  /// True when each point writes an element of its own and depends on no other (no reduction, no
  /// condition, each index alone in one rank of the write).
  bool isElementwise() const;
};

struct Kernel {
  op::KernelOp op;
  std::vector<op::OperandOp> operands;
  std::vector<Statement> statements;

  explicit Kernel(op::KernelOp kernel);
  /// The tensors that an application passes, and those that it yields, in order.
  std::vector<op::OperandOp> inputs() const;
  std::vector<op::OperandOp> outputs() const;
  /// Multiply-accumulates of all statements.
  int64_t macs() const;
  /// The statement with most multiply-accumulates, else most operations; null when there is none.
  const Statement *main() const;
};

/// The tensors that an application of `kernel` passes, and those that it yields, in order.
std::vector<op::OperandOp> inputsOf(op::KernelOp kernel);
std::vector<op::OperandOp> outputsOf(op::KernelOp kernel);
/// The type of values that stand for `operand`.
ir::Type typeOf(op::OperandOp operand);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_KERNELMODEL_H
