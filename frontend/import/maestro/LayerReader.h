// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One layer of a mapping file: `name { Type … Stride … Dimensions … Dataflow … }`.
#ifndef PERFC_FRONTEND_IMPORT_MAESTRO_LAYERREADER_H
#define PERFC_FRONTEND_IMPORT_MAESTRO_LAYERREADER_H

#include "frontend/import/maestro/Tokens.h"
#include "ir/loopnest/Dataflow.h"
#include "llvm/ADT/StringMap.h"

namespace perfc::maestro {

using Constants = llvm::StringMap<int64_t>;

/// A number of at least 1 or the name of a constant; nothing when it is neither (reported).
llvm::Optional<int64_t> readSize(TokenReader &reader, const Constants &constants);

/// Reads what follows the word `Layer`, to the end of its block even if something is wrong; then
/// nothing (reported). `previous` gives its dataflow to a layer that has none; may be null.
llvm::Optional<dataflow::Layer> readLayer(TokenReader &reader, const Constants &constants,
                                          const dataflow::Layer *previous);

} // namespace perfc::maestro

#endif // PERFC_FRONTEND_IMPORT_MAESTRO_LAYERREADER_H
