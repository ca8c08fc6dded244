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

/// False of an object that names nothing which is quantised: an empty one, or one of
/// compressed-tensors without groups (only pruned).
bool isQuantised(const llvm::json::Object &object);

/// `object` with what the functions of std.families.quantization read of it: of several groups of
/// compressed-tensors the one of all layers, else of feed-forward layers, as `group_0`; of several
/// steps of Quark the first.
llvm::json::Object withOneGroup(const llvm::json::Object &object);

/// True where attention keeps the model's own format: an entry of the lists of what is left as it
/// is names it in all layers, or entries do in at least half of `layers`.
bool leavesAttention(const llvm::json::Object &object, int64_t layers);
/// True where such an entry names what sees images.
bool leavesVision(const llvm::json::Object &object);

} // namespace perfc::config

#endif // PERFC_FRONTEND_IMPORT_CONFIG_QUANTIZATION_H
