// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How batches are made: each scheduler takes requests from a queue, gives them blocks of the cache
// and says what the next iteration runs. The rules are those of the systems that they are named
// after (docs/serving.md): static batches as in FasterTransformer, Orca (Yu et al., OSDI 2022),
// vLLM (Kwon et al., SOSP 2023), Sarathi (Agrawal et al., OSDI 2024).
#ifndef PERFC_BACKENDS_SERVING_SCHEDULER_H
#define PERFC_BACKENDS_SERVING_SCHEDULER_H

#include "backends/serving/Requests.h"
#include "llvm/ADT/StringRef.h"
#include <deque>
#include <memory>

namespace perfc::serving {

/// A request in a batch, and how many of its tokens run.
struct BatchEntry {
  uint32_t request;
  int64_t tokens;
};
using Batch = std::vector<BatchEntry>;

/// What bounds a batch.
struct Limits {
  int64_t blocks = 0; ///< of the cache
  int64_t blockTokens = 16;
  int64_t maxBatch = 128;   ///< requests
  int64_t maxTokens = 8192; ///< vllm: of a batch of prompts, padded to the longest
  int64_t chunk = 512;      ///< sarathi: tokens of a batch
  int64_t reserved = 0;     ///< static, orca: blocks that each request holds from its start
  int64_t stages = 1;       ///< batches that are under way at the same time

  int64_t blocksFor(int64_t tokens) const { return (tokens + blockTokens - 1) / blockTokens; }
  /// Blocks that paged schedulers keep free when they take a request in: 1 % of all.
  int64_t watermark() const { return blocks / 100; }
};

class Scheduler {
public:
  Scheduler(std::vector<Request> &requests, const Limits &limits)
      : requests(requests), limits(limits) {}
  virtual ~Scheduler() = default;

  void arrive(uint32_t request) { queue.push_back(request); }
  /// The next batch; empty when there is nothing to run now.
  virtual Batch next() = 0;
  /// Takes a batch back whose requests have advanced.
  virtual void end(const Batch &batch);

  int64_t usedBlocks() const { return used; }
  int64_t peakBlocks() const { return peak; }

protected:
  bool fits(int64_t blocks) const { return limits.blocks - used >= blocks; }
  void allocate(Request &request, int64_t blocks);
  void free(Request &request);

  std::vector<Request> &requests;
  Limits limits;
  std::deque<uint32_t> queue;
  std::vector<uint32_t> running; ///< taken in, and not in a batch that is under way
  int64_t resident = 0;          ///< requests with blocks
  int64_t used = 0, peak = 0;
};

/// The scheduler `kind`: static, orca, vllm or sarathi.
std::unique_ptr<Scheduler> makeScheduler(llvm::StringRef kind, std::vector<Request> &requests,
                                         const Limits &limits);

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SCHEDULER_H
