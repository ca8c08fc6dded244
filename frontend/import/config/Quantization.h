// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ways to quantise a model, as configurations of different libraries name them.
#ifndef PERFC_FRONTEND_IMPORT_CONFIG_QUANTIZATION_H
#define PERFC_FRONTEND_IMPORT_CONFIG_QUANTIZATION_H

#include "llvm/Support/JSON.h"
#include <string>

namespace perfc::config {

/// The method of the object `quantization_config`, "gptq", and behind a space how it stores weights
/// where it has several ways, "modelopt NVFP4" or "torchao int4_weight_only"; "" where it says
/// none. Of a mixture by layers that is what most of them have.
std::string quantizationMethod(const llvm::json::Object &object);

} // namespace perfc::config

#endif // PERFC_FRONTEND_IMPORT_CONFIG_QUANTIZATION_H
