// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What came of counting the nests of a result a second time.
#ifndef PERFC_BACKENDS_CORE_VERIFIEDNESTS_H
#define PERFC_BACKENDS_CORE_VERIFIEDNESTS_H

#include <cstdint>

namespace perfc {

struct VerifiedNests {
  int64_t nests = 0;    ///< that were counted
  int64_t equal = 0;    ///< and came out the same
  int64_t tooLarge = 0; ///< and were given up; all others differ
};

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_VERIFIEDNESTS_H
