// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many random cases a long property test looks at.
#ifndef PERFC_TEST_UNIT_ROUNDS_H
#define PERFC_TEST_UNIT_ROUNDS_H

namespace perfc {

/// `cases`, or an eighth of them under AddressSanitizer, which takes ten times as long and finds
/// what it looks for in fewer. Also for what is expected of their number.
constexpr unsigned rounds(unsigned cases) {
#ifdef __SANITIZE_ADDRESS__
  return (cases + 7) / 8;
#else
  return cases;
#endif
}

} // namespace perfc

#endif // PERFC_TEST_UNIT_ROUNDS_H
