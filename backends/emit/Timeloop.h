// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of Timeloop: one YAML document per loop nest, in the subtree form that the tool itself
// reads, with a complete ERT.
#ifndef PERFC_BACKENDS_EMIT_TIMELOOP_H
#define PERFC_BACKENDS_EMIT_TIMELOOP_H

#include "ir/timeloop/Input.h"
#include "llvm/Support/raw_ostream.h"

namespace perfc::emit {

void writeTimeloopInput(const timeloop::Input &input, llvm::raw_ostream &os);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_TIMELOOP_H
