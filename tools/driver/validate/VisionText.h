// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for models other than language models, given by their architecture.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_VISIONTEXT_H
#define PERFC_TOOLS_DRIVER_VALIDATE_VISIONTEXT_H

#include "llvm/Support/JSON.h"
#include <string>

namespace perfc::driver {

/// `workload model()` for one image: a vision transformer (Dosovitskiy et al. 2020).
std::string visionTransformerText(const llvm::json::Object &arch);
/// One denoising step of a diffusion transformer with adaLN-Zero (Peebles and Xie 2023).
std::string diffusionTransformerText(const llvm::json::Object &arch);
/// One sample of a recommendation model (Naumov et al. 2019): two stacks of layers, embedding
/// tables, and the products of all pairs of features.
std::string recommendationText(const llvm::json::Object &arch);
/// The layers [conv|linear|attn, …] of a row; the arguments stand in its `layers_format`.
std::string layerListText(const llvm::json::Array &layers, std::string &problem);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_VISIONTEXT_H
