// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest numbers in nodes of a collective.trace.
#ifndef PERFC_IR_COLLECTIVE_TRACELIMITS_H
#define PERFC_IR_COLLECTIVE_TRACELIMITS_H

#include <cstdint>

namespace perfc::collective {

/// As many ranks as a range has values.
inline constexpr int64_t mostTraceRanks = 1'000'000;
/// Chakra has 32 bits for tags, with a sign.
inline constexpr int64_t mostTraceTag = INT32_MAX;
/// 104 days: 2^63 ns are a thousand of these.
inline constexpr int64_t mostTraceMicros = 9'000'000'000'000;

} // namespace perfc::collective

#endif // PERFC_IR_COLLECTIVE_TRACELIMITS_H
