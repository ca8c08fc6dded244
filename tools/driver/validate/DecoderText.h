// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for language models given by their architecture: layers, sizes, grouped-query or latent
// attention, dense or gated feed-forward layers, experts.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_DECODERTEXT_H
#define PERFC_TOOLS_DRIVER_VALIDATE_DECODERTEXT_H

#include "llvm/Support/JSON.h"
#include <string>

namespace perfc::driver {

/// `workload model(T, S)`: T new tokens, S in the context; "" with a reason in `problem` when the
/// architecture has something that is not known here.
std::string languageModelText(const llvm::json::Object &arch, std::string &problem);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_DECODERTEXT_H
