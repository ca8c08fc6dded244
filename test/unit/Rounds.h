// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many random cases a long property test looks at, and how many of a kind it must have met.
#ifndef PERFC_TEST_UNIT_ROUNDS_H
#define PERFC_TEST_UNIT_ROUNDS_H

namespace perfc {

#ifdef PERFC_SANITIZE
inline constexpr bool AllRounds = false;
#else
inline constexpr bool AllRounds = true;
#endif

/// `cases`, or an eighth of them under AddressSanitizer, which takes ten times as long and finds
/// what it looks for in fewer.
constexpr unsigned rounds(unsigned cases) { return AllRounds ? cases : (cases + 7) / 8; }

/// How many cases of one kind a long test must have met: none under AddressSanitizer, whose few
/// may hold none.
constexpr unsigned least(unsigned cases) { return AllRounds ? cases : 0; }

} // namespace perfc

#endif // PERFC_TEST_UNIT_ROUNDS_H
