// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping files of MAESTRO: layers with their dataflows.
#ifndef PERFC_BACKENDS_EMIT_MAESTRO_H
#define PERFC_BACKENDS_EMIT_MAESTRO_H

#include "ir/loopnest/Dataflow.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace perfc::emit {

void writeMaestroLayers(llvm::ArrayRef<dataflow::Layer> layers, llvm::raw_ostream &os);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_MAESTRO_H
