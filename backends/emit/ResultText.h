// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of results as people read them, in the block of a result and in the page.
#ifndef PERFC_BACKENDS_EMIT_RESULTTEXT_H
#define PERFC_BACKENDS_EMIT_RESULTTEXT_H

#include "backends/emit/Result.h"
#include "llvm/ADT/Twine.h"

namespace perfc::emit {

/// "12.5 %".
std::string percent(double share);
std::string latencyText(const Uncertain &latency);
/// The metric `name`, which `of` has, with its interval, or why it has no value.
std::string metricText(const Outcome &of, const llvm::Twine &name);
/// What is used of the memory, of what there is where that is known.
std::string memoryText(const Cost &cost);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_RESULTTEXT_H
