// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of an operator of ATen: its arguments by their names, and what it stands for.
#ifndef PERFC_FRONTEND_IMPORT_TORCH_CALL_H
#define PERFC_FRONTEND_IMPORT_TORCH_CALL_H

#include "frontend/import/graph/Expander.h"
#include "frontend/import/torch/Torch.h"

namespace perfc::torch {

class Call {
public:
  explicit Call(graph::Expander &expander) : expander(expander), dims(expander.dims) {}

  graph::Expander &expander;
  graph::Dims &dims;

  /// The tensor argument `name`; -1 where it is none, or left out.
  int tensor(llvm::StringRef name) const;
  std::vector<int> tensors(llvm::StringRef name) const;
  /// The same of a tensor or a number.
  int operand(llvm::StringRef name);
  bool has(llvm::StringRef name) const { return expander.node.find(name) != nullptr; }
  std::vector<int64_t> list(llvm::StringRef name) const;
  /// The list `name` of `count` numbers, where a single one stands for all; `otherwise` each where
  /// it is left out.
  std::vector<int64_t> list(llvm::StringRef name, size_t count, int64_t otherwise) const;
  int64_t whole(llvm::StringRef name, int64_t otherwise) const;
  double real(llvm::StringRef name, double otherwise) const {
    return expander.real(name, otherwise);
  }
  bool isSet(llvm::StringRef name) const { return whole(name, 0) != 0; }
  /// Dimension `dim` of `rank`, which may count from the end; nothing with a report.
  llvm::Optional<size_t> place(int64_t dim, size_t rank);
  /// The shape that the file says of result `index`; nothing where extents are no numbers or names.
  llvm::Optional<graph::Shape> resultShape(size_t index = 0) const;

  int op(llvm::StringRef type, std::vector<int> operands,
         llvm::ArrayRef<graph::Expander::Given> given = {}) {
    return expander.op(type, std::move(operands), given);
  }
  void result(int value) { expander.resultAs(value); }
};

llvm::ArrayRef<graph::ExpansionEntry> layerExpansions();
llvm::ArrayRef<graph::ExpansionEntry> layoutExpansions();
llvm::ArrayRef<graph::ExpansionEntry> otherExpansions();

} // namespace perfc::torch

#endif // PERFC_FRONTEND_IMPORT_TORCH_CALL_H
