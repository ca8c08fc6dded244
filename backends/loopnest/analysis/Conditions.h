// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations in which no point meets the conditions of a nest. From the range of each dimension
// that the conditions leave, the outermost loop of the dimension keeps the iterations that reach
// into the range, and so does the next loop where only one is left. Conditions that then always
// hold are gone: a window that is whole tiles becomes a smaller nest without any.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_CONDITIONS_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_CONDITIONS_H

#include "backends/loopnest/analysis/Nest.h"

namespace perfc {
namespace loopnest {

/// `nest` with shorter loops and the conditions that still cut it; as it is where its loops drive
/// several dimensions, or no point meets the conditions.
Nest trimmed(const Nest &nest);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_CONDITIONS_H
