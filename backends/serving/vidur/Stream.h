// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// VIDUR's streams of requests: one generator, Python's `random` with a seed, from which each
// request draws its gap and then its length. Its defects are kept: gaps of a Poisson process are at
// most three means, so that more requests come than its rate says; a uniform length loses a token
// where both parts are rounded down; answers of short Zipf lengths have no token, for which VIDUR
// divides by zero.
#ifndef PERFC_BACKENDS_SERVING_VIDUR_STREAM_H
#define PERFC_BACKENDS_SERVING_VIDUR_STREAM_H

#include "backends/serving/Requests.h"

namespace perfc::serving::vidur {

struct StreamSpec {
  std::string arrival;            ///< poisson, gamma or static
  double rate = 1;                ///< requests/s
  double deviation = 1;           ///< of the gaps of gamma, over their mean
  std::string lengths;            ///< fixed, uniform or zipf
  int64_t prompt = 0, answer = 0; ///< tokens, of fixed
  int64_t least = 0, most = 0;    ///< tokens, prompt and answer
  double promptToAnswer = 1, theta = 0;
  int64_t seed = 42;
  int64_t count = 0;
};

/// The stream in order of arrival.
std::vector<RequestSpec> makeStream(const StreamSpec &spec);

} // namespace perfc::serving::vidur

#endif // PERFC_BACKENDS_SERVING_VIDUR_STREAM_H
