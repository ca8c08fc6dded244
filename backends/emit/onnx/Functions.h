// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nodes of domain `perfc` compute, in operators of ONNX.
#ifndef PERFC_BACKENDS_EMIT_ONNX_FUNCTIONS_H
#define PERFC_BACKENDS_EMIT_ONNX_FUNCTIONS_H

#include "backends/emit/onnx/Model.h"
#include "llvm/ADT/Optional.h"

namespace perfc::emit::onnx {

/// Of an op of the library, for operands that all have one format of real numbers; nothing where
/// that is not written down.
llvm::Optional<Function> functionOf(llvm::StringRef module, llvm::StringRef op);

} // namespace perfc::emit::onnx

#endif // PERFC_BACKENDS_EMIT_ONNX_FUNCTIONS_H
