// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/vidur/Stream.h"

#include <cmath>

using namespace perfc;
using namespace perfc::serving;

namespace {

/// Fills the state of MT19937 as Python's `random.seed` of a number below 2^32 does: Matsumoto and
/// Nishimura's initialization by an array, which has that one word.
struct SeedOfOneWord {
  using result_type = uint32_t;
  uint32_t word;

  template <typename Iterator> void generate(Iterator begin, Iterator end) const {
    auto count = static_cast<size_t>(end - begin);
    std::vector<uint32_t> state(count);
    state[0] = 19650218;
    for (size_t i = 1; i < count; ++i)
      state[i] = 1812433253U * (state[i - 1] ^ (state[i - 1] >> 30)) + static_cast<uint32_t>(i);
    size_t at = 1;
    auto mix = [&](uint32_t factor, uint32_t add) {
      uint32_t last = state[at - 1];
      state[at] = (state[at] ^ ((last ^ (last >> 30)) * factor)) + add;
      if (++at == count) {
        state[0] = state[count - 1];
        at = 1;
      }
    };
    for (size_t i = 0; i < count; ++i)
      mix(1664525U, word);
    for (size_t i = 0; i + 1 < count; ++i)
      mix(1566083941U, 0U - static_cast<uint32_t>(at));
    state[0] = 0x80000000U;
    std::copy(state.begin(), state.end(), begin);
  }
};

} // namespace

static Random pythonRandom(int64_t seed) {
  SeedOfOneWord sequence{static_cast<uint32_t>(seed)};
  return Random(std::mt19937(sequence));
}

std::vector<RequestSpec> vidur::makeStream(const StreamSpec &spec) {
  Random random = pythonRandom(spec.seed);
  Random gaps(static_cast<uint32_t>(spec.seed)), sizes(static_cast<uint32_t>(spec.seed));
  std::function<double()> next;
  if (spec.lengths == "zipf")
    next = zipf(spec.least, spec.most, spec.theta, sizes);
  double shape = 1 / (spec.deviation * spec.deviation), now = 0;
  std::vector<RequestSpec> requests(static_cast<size_t>(spec.count));
  for (RequestSpec &request : requests) {
    if (spec.arrival == "poisson")
      now += std::min(-std::log(1.0 - random.next()) / spec.rate, 3.0 * (1.0 / spec.rate));
    else if (spec.arrival == "gamma")
      now += gaps.gamma(shape) * (1.0 / (spec.rate * shape));
    request.arrival = now;
    if (spec.lengths == "fixed") {
      request.prompt = spec.prompt;
      request.answer = spec.answer;
    } else if (spec.lengths == "zipf") {
      shareOut(request, next(), spec.promptToAnswer, false);
    } else {
      auto least = static_cast<double>(spec.least), most = static_cast<double>(spec.most);
      shareOut(request, least + (most - least) * random.next(), spec.promptToAnswer, true);
    }
  }
  return requests;
}
