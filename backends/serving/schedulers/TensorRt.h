// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorRT-LLM's in-flight batching with its guarantee that none gives way: a request is taken in
// when the blocks of its prompt and its whole answer are there. A batch is a token of each that
// runs, and whole prompts beside them while all are at most `maxTokens`; a longer prompt runs
// alone.
#ifndef PERFC_BACKENDS_SERVING_SCHEDULERS_TENSORRT_H
#define PERFC_BACKENDS_SERVING_SCHEDULERS_TENSORRT_H

#include "backends/serving/Scheduler.h"

namespace perfc::serving {

class TensorRt : public Scheduler {
public:
  using Scheduler::Scheduler;

protected:
  Batch next() override;
  int64_t blocksToReceive(const Request &request) const override { return wholeBlocks(request); }

private:
  int64_t wholeBlocks(const Request &request) const {
    return limits.blocksFor(request.total() + limits.guesses);
  }
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SCHEDULERS_TENSORRT_H
