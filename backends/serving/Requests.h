// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stream of requests of a `serve`: when they arrive, how long their prompts are and how many
// tokens each answer has. All of it follows from the statement and its seeds (docs/serving.md).
#ifndef PERFC_BACKENDS_SERVING_REQUESTS_H
#define PERFC_BACKENDS_SERVING_REQUESTS_H

#include "ir/study/ServeOps.h"
#include <random>

namespace perfc::serving {

/// Numbers in [0, 1): a Mersenne Twister (MT19937, seeded with one word), two outputs a and b of
/// which make ((a >> 5) * 2^26 + (b >> 6)) / 2^53.
class Random {
public:
  explicit Random(uint32_t seed) : engine(seed) {}
  double next();

private:
  std::mt19937 engine;
};

struct Request {
  double arrival = 0;             ///< s
  int64_t prompt = 0, answer = 0; ///< tokens still to be read and made; a restart changes them
  int64_t processed = 0;          ///< tokens of both, of which the last one is not in the cache
  bool isPrefilled = false;       ///< the prompt has been read
  double scheduled = -1, first = -1, last = -1, done = -1; ///< s; below 0 for not yet
  int64_t restarts = 0;
  int64_t blocks = 0; ///< of the cache that it holds

  int64_t total() const { return prompt + answer; }
  bool isDone() const { return done >= 0; }
};

/// The requests that the arrivals, lengths and number of `serve` describe, in order of
/// arrival.
std::vector<Request> makeRequests(study::ServeOp serve);

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_REQUESTS_H
