// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that decide how a system is evaluated, for those who build programs and those who run them.
#ifndef PERFC_IR_TARGET_LIMITS_H
#define PERFC_IR_TARGET_LIMITS_H

#include <cstdint>

namespace perfc::target {

/// Chips of a system whose links are simulated: tables of routes of more would not fit the memory.
inline constexpr int64_t mostSimulatedChips = 1 << 14;

} // namespace perfc::target

#endif // PERFC_IR_TARGET_LIMITS_H
