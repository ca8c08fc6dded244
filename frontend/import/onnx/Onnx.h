// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of ONNX (onnx.proto of github.com/onnx/onnx), operator sets 7 to 21.
#ifndef PERFC_FRONTEND_IMPORT_ONNX_ONNX_H
#define PERFC_FRONTEND_IMPORT_ONNX_ONNX_H

#include "frontend/import/graph/Model.h"

namespace perfc::onnx {

/// See graph::FileFormat.
bool readModel(llvm::StringRef bytes, graph::Model &model, WireError &error);

inline constexpr graph::FileFormat format = {"ONNX", ".onnx", readModel};

} // namespace perfc::onnx

#endif // PERFC_FRONTEND_IMPORT_ONNX_ONNX_H
