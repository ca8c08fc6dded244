// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of PyTorch as tools/torch/export_torch.py writes them: operators of ATen with the names of
// their arguments, and the shapes and types of all tensors.
#ifndef PERFC_FRONTEND_IMPORT_TORCH_TORCH_H
#define PERFC_FRONTEND_IMPORT_TORCH_TORCH_H

#include "frontend/import/graph/Model.h"

namespace perfc::torch {

/// The domain of nodes that are operators of ATen.
inline constexpr llvm::StringLiteral domain = "aten";
/// What the text of an argument that is a tensor, or a list of them, says: its integers are indices
/// of the node's inputs.
inline constexpr llvm::StringLiteral tensorMark = "tensor";

/// What the text of an argument says that is computed from sizes.
inline constexpr llvm::StringLiteral openMark = "open";

/// See graph::FileFormat.
bool readModel(llvm::StringRef bytes, graph::Model &model, WireError &error);

inline constexpr graph::FileFormat format = {"PyTorch", ".pt.json", readModel};

std::vector<llvm::ArrayRef<graph::ExpansionEntry>> expansions();

} // namespace perfc::torch

#endif // PERFC_FRONTEND_IMPORT_TORCH_TORCH_H
