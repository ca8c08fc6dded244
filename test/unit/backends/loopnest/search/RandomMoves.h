// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small steps through a space of mappings: a prime factor of a dimension goes from one slot to
// another. Walks of such steps are what tests and benchmarks of the evaluator compare and time.
#ifndef PERFC_TEST_UNIT_BACKENDS_LOOPNEST_SEARCH_RANDOMMOVES_H
#define PERFC_TEST_UNIT_BACKENDS_LOOPNEST_SEARCH_RANDOMMOVES_H

#include "backends/loopnest/search/Search.h"

namespace perfc::loopnest {

/// Moves the smallest prime in the factor of dimension `d` at slot `from` to slot `to`, if that has
/// room; false when the factor is 1 (its primes are at most 13 here).
inline bool movePrime(const MapSpace &space, Mapping &mapping, unsigned d, unsigned from,
                      unsigned to) {
  for (int64_t prime : {2, 3, 5, 7, 11, 13}) {
    if (mapping.factor[from][d] % prime != 0)
      continue;
    int64_t used = prime;
    for (unsigned e = 0; e < space.dims(); ++e)
      used *= mapping.factor[to][e];
    if (!space.slots[to].isAxis || used <= space.slots[to].size) {
      mapping.factor[from][d] /= prime;
      mapping.factor[to][d] *= prime;
    }
    return true;
  }
  return false;
}

} // namespace perfc::loopnest

#endif // PERFC_TEST_UNIT_BACKENDS_LOOPNEST_SEARCH_RANDOMMOVES_H
