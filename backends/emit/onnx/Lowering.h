// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as nodes of ONNX: an op of the library as the operator that computes the same, by a
// table; others equation by equation, as products, reductions and element-wise operators; the rest
// as a node of domain `perfc`.
#ifndef PERFC_BACKENDS_EMIT_ONNX_LOWERING_H
#define PERFC_BACKENDS_EMIT_ONNX_LOWERING_H

#include "backends/emit/onnx/Model.h"
#include "ir/op/OpOps.h"
#include "llvm/ADT/Optional.h"

namespace perfc::emit::onnx {

/// A kernel that is applied to values.
struct Lowering {
  Lowering(Model &model, op::KernelOp kernel, llvm::ArrayRef<Value> operands, Type result);

  Model &model;
  op::KernelOp kernel;
  std::vector<op::StatementOp> statements;
  Type result;
  DType computed; ///< the format that the kernel computes in
  llvm::ArrayRef<Value> given;

  llvm::StringRef name() const { return kernel.declaration(); }
  /// True of an op of the library, which `import onnx` reads back with its conditions.
  bool isOfLibrary() const;
  llvm::ArrayRef<int64_t> shape(size_t operand) const { return given[operand].shape(); }
  /// An operand in the format that the kernel computes in.
  Value operand(size_t index) { return model.cast(given[index], computed); }
  /// A parameter of the kernel that is a whole number, and any number.
  int64_t whole(llvm::StringRef parameter, int64_t otherwise = 0) const;
  llvm::Optional<double> real(llvm::StringRef parameter) const;

  Value number(double value) { return model.real(value, computed); }
  /// A node whose result is the kernel's.
  Value node(llvm::StringRef op, llvm::ArrayRef<Value> inputs,
             llvm::ArrayRef<Attribute> attributes = {}) {
    return model.node(op, inputs, {result.shape, computed}, attributes);
  }
};

/// The result of an op of the library that is an operator of ONNX; nothing for others.
llvm::Optional<Value> lowerLibraryOp(Lowering &lowering);
/// The results of equations that ONNX can say; nothing for others.
llvm::Optional<std::vector<Value>> lowerEquations(Lowering &lowering);

/// The results of any kernel.
std::vector<Value> lower(Model &model, op::KernelOp kernel, llvm::ArrayRef<Value> operands,
                         llvm::ArrayRef<Type> results);

} // namespace perfc::emit::onnx

#endif // PERFC_BACKENDS_EMIT_ONNX_LOWERING_H
