// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of TensorFlow Lite (LiteRT), version 3 of the format (Tflite.fbs).
#ifndef PERFC_FRONTEND_IMPORT_TFLITE_TFLITE_H
#define PERFC_FRONTEND_IMPORT_TFLITE_TFLITE_H

#include "frontend/import/graph/Model.h"

namespace perfc::tflite {

/// See graph::FileFormat.
bool readModel(llvm::StringRef bytes, graph::Model &model, WireError &error);

inline constexpr graph::FileFormat format = {"TFLite", ".tflite", readModel};

} // namespace perfc::tflite

#endif // PERFC_FRONTEND_IMPORT_TFLITE_TFLITE_H
