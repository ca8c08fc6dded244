// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop nest on its chip as Timeloop would be told of it: places become levels (a memory and the
// array below it), loops become factors, quantities become words, cycles and pJ. Used to count as
// that tool does and to write its inputs.
#ifndef PERFC_PASSES_TIMELOOPINPUT_H
#define PERFC_PASSES_TIMELOOPINPUT_H

#include "ir/loopnest/LoopnestOps.h"
#include "ir/target/TargetOps.h"
#include "ir/timeloop/Input.h"

namespace perfc {
namespace passes {

/// Nothing, with the reason, when Timeloop has no way to say it: data-dependent accesses, a
/// parallel loop that drives two indices, an index stepped twice at one place, arrays of three
/// axes. Energies that are not given are 0 there.
llvm::Optional<timeloop::Input> timeloopInput(loopnest::NestOp nest, target::ChipOp chip,
                                              std::string &reason);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TIMELOOPINPUT_H
