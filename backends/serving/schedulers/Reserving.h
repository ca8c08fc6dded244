// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What schedulers share that give a request room for its greatest length from the start, so that
// none ever gives way.
#ifndef PERFC_BACKENDS_SERVING_SCHEDULERS_RESERVING_H
#define PERFC_BACKENDS_SERVING_SCHEDULERS_RESERVING_H

#include "backends/serving/Scheduler.h"

namespace perfc::serving {

class Reserving : public Scheduler {
public:
  using Scheduler::Scheduler;

protected:
  int64_t blocksToReceive(const Request &) const override { return limits.reserved; }
  /// The next iteration of a request: its whole prompt, or one token.
  BatchEntry step(uint32_t number) const {
    return {number, requests[number].isPrefilled ? stepTokens() : requests[number].prompt};
  }
  /// Takes requests in, as many as `maxBatch` and the cache allow.
  void admit(Batch &batch);
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SCHEDULERS_RESERVING_H
