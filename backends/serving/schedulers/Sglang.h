// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SGLang. A batch is prompts alone where one can be taken in, at most `chunk` tokens, of which the
// last prompt may be cut; what is left of it comes first in the next batch. Else it is a token of
// each that runs. A request is taken in if the cache has room for its prompt and a share of what it
// and all that run may still make: 0.7 at first, 0.098 after 600 iterations of tokens. Where a
// token finds no room requests give way, those with the fewest tokens made and of these the longest
// prompts first, and the share becomes that which the others have made of what they may make, with
// 20 tokens more each. New requests are looked for after a batch of prompts and after each `poll`
// batches of tokens; until then those that have come wait unseen (its --scheduler-recv-interval).
#ifndef PERFC_BACKENDS_SERVING_SCHEDULERS_SGLANG_H
#define PERFC_BACKENDS_SERVING_SCHEDULERS_SGLANG_H

#include "backends/serving/schedulers/Paged.h"

namespace perfc::serving {

class Sglang : public Paged {
public:
  using Paged::Paged;

protected:
  Batch next() override;

private:
  Batch prompts();
  void retract();
  /// The first of the queue that it knows of.
  std::deque<uint32_t>::iterator nextSeen();
  /// Tokens that are kept for what a request still makes.
  double reserveFor(const Request &request) const;

  static constexpr double firstShare = 0.7, lastShare = 0.098, shareSteps = 600;
  double share = firstShare;
  double lastPoll = 0;   ///< when it last looked for new requests
  int64_t untilPoll = 0; ///< batches of tokens until it looks again
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SCHEDULERS_SGLANG_H
