// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speculative decoding: before each step of a request something cheap guesses its next tokens, and
// the model reads them all at once, as a piece of several tokens. It keeps those before the first
// that is wrong, and makes one more itself (Leviathan et al., ICML 2023): with a guesses that each
// hold with a chance p, a step makes (1 - p^(a + 1)) / (1 - p) tokens in the mean.
#ifndef PERFC_BACKENDS_SERVING_SPECULATION_H
#define PERFC_BACKENDS_SERVING_SPECULATION_H

#include <cstdint>
#include <vector>

namespace perfc::serving {

struct Speculation {
  int64_t guesses = 0; ///< tokens of each step; 0 without speculation
  /// The chance that a guess holds whose predecessors do, by its place; the last one is that of all
  /// further ones.
  std::vector<double> chances;
  /// Guesses that held in steps that were recorded, of which each step draws one; instead of
  /// chances where there are any.
  std::vector<int64_t> recorded;
  uint64_t seed = 0;

  /// How many guesses hold in the step of request `id` that begins behind `processed` tokens. It
  /// depends on nothing else, so that it is the same in any schedule.
  int64_t held(uint64_t id, int64_t processed) const;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SPECULATION_H
