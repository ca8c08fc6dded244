// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of ops of the library that have operators in ONNX.
#ifndef PERFC_BACKENDS_EMIT_ONNX_LIBRARYOPS_H
#define PERFC_BACKENDS_EMIT_ONNX_LIBRARYOPS_H

#include "backends/emit/onnx/Lowering.h"

namespace perfc::emit::onnx {

struct LibraryOp {
  llvm::StringLiteral name;
  llvm::Optional<Value> (*lower)(Lowering &lowering);
};

/// Convolutions, pools, and what makes images larger or smaller.
llvm::ArrayRef<LibraryOp> windowOps();

} // namespace perfc::emit::onnx

#endif // PERFC_BACKENDS_EMIT_ONNX_LIBRARYOPS_H
