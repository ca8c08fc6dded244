// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How batches are made: each scheduler takes requests from a queue, gives them blocks of the cache
// and says what the next iteration runs. The rules are those of the systems that they are named
// after, a file of `schedulers` for each (docs/serving.md).
#ifndef PERFC_BACKENDS_SERVING_SCHEDULER_H
#define PERFC_BACKENDS_SERVING_SCHEDULER_H

#include "backends/serving/RequestList.h"
#include "backends/serving/SteadyGroup.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace perfc::serving {

/// A request in a batch, and how many of its tokens run.
struct BatchEntry {
  uint32_t request;
  int64_t tokens;
};
using Batch = std::vector<BatchEntry>;
/// `id:tokens` of entries of several tokens, then ids of the others, neighbours as ranges: "3:512
/// 4-7".
std::string textOf(const Batch &batch);

/// In which order requests are taken in.
struct Admission {
  enum class Order : uint8_t {
    Arrival,
    Priority, ///< by priority, then by arrival; who gives way is the last one in that order
    Shortest, ///< the fewest tokens of a prompt first
    Goal      ///< by arrival, but those behind that can no longer have their first token in time
  } order = Order::Arrival;
  double goal = 0; ///< s from arrival to first token
};

/// What bounds a batch.
struct Limits {
  int64_t blocks = 0; ///< of the cache
  int64_t blockTokens = 16;
  /// Tokens whose cache is as large as what a long request holds beside that of its own: windows of
  /// tokens, and states. While windows are not full each token takes as much as `shortToken` do.
  int64_t fixedTokens = 0;
  double shortToken = 1;
  /// 0 where requests hold states or windows alone, and nothing for each token: all that one holds
  /// is a block.
  int64_t perToken = 1;
  int64_t maxBatch = 128; ///< requests
  int64_t maxTokens =
      8192;             ///< vllm: of a batch of prompts, padded to the longest; lightllm: of one
  int64_t chunk = 512;  ///< sarathi, vllm_v1, sglang: tokens of a batch
  int64_t poll = 1;     ///< sglang: batches of tokens after which it looks for new requests
  int64_t reserved = 0; ///< static, orca: blocks that each request holds from its start
  int64_t stages = 1;   ///< batches that are under way at the same time
  Admission admission;
  /// s to move the cache of a token to the host or back, for requests that give way; 0 where they
  /// read it again instead.
  double swapSeconds = 0;
  /// Blocks that beginnings of texts may keep when no request uses them; below 0 for no such cache.
  int64_t prefixBlocks = -1;
  int64_t guesses = 0;     ///< tokens that are guessed for each step of a request (Speculation)
  bool isHandOver = false; ///< requests whose prompts are read go on elsewhere
  int64_t tierBlocks = 0;  ///< that beginnings of texts may keep at the host
  double tierSeconds = 0;  ///< s to bring back the cache of a token from there
  /// Requests that make a token in every batch may be counted together: nobody asks for the content
  /// of batches.
  bool countsSteady = false;

  /// Tokens of a long request that take as much as the cache of one of so many.
  int64_t held(int64_t tokens) const {
    if (fixedTokens == 0)
      return tokens;
    auto few = static_cast<int64_t>(std::ceil(static_cast<double>(tokens) * shortToken));
    return std::min(few, perToken * tokens + fixedTokens);
  }
  int64_t blocksFor(int64_t tokens) const { return (held(tokens) + blockTokens - 1) / blockTokens; }
  /// Blocks that paged schedulers keep free when they take a request in: 1 % of all.
  int64_t watermark() const { return blocks / 100; }
};

class Scheduler {
public:
  Scheduler(RequestList &requests, const Limits &limits);
  virtual ~Scheduler() = default;

  void arrive(uint32_t request);
  /// A request whose prompt has been read elsewhere is to go on here, when there is room for its
  /// cache.
  void expect(uint32_t request);
  /// Those expected that there is room for now, which they hold from here on: first come, first
  /// served.
  std::vector<uint32_t> claimRoom();
  /// The cache of one that holds room is here: it runs.
  void receive(uint32_t request);
  /// Forgets one that was expected, or holds room for its cache.
  void forget(uint32_t request);
  /// Gives back what a request holds that goes on elsewhere.
  void release(uint32_t request);
  /// The next batch at `time`, in s; empty when there is nothing to run.
  Batch makeBatch(double time);
  /// Takes a batch back whose requests have advanced.
  virtual void end(const Batch &batch);

  /// Requests that make a token in the batch at hand beside its entries.
  const SteadyGroup &steadyGroup() const { return steady; }
  /// Ends the batch at hand for these at `now`, before it ends for its entries; those that are
  /// done.
  std::vector<uint32_t> advanceSteady(double now);
  /// Lets requests have their own state again.
  void dissolveSteady() { steady.dissolve(running); }

  /// Requests that are not taken in.
  size_t queued() const { return queue.size(); }
  /// Why it cannot go on, "" while it can.
  virtual std::string failure() const { return ""; }
  /// s that caches have moved to the host or back since it was last asked.
  double takeMoveSeconds() {
    return static_cast<double>(std::exchange(moved, 0)) * limits.swapSeconds +
           static_cast<double>(std::exchange(fetched, 0)) * limits.tierSeconds;
  }
  /// Requests that it has, taken in or not.
  size_t outstanding() const { return open; }
  int64_t usedBlocks() const { return used; }
  /// Tokens of prompts of requests that were taken in, and those of them that the prefix cache had.
  int64_t promptTokens() const { return looked; }
  int64_t prefixTokens() const { return hits; }
  /// The same that the tier of the prefix cache at the host had beside it.
  int64_t tierTokens() const { return tierHits; }
  /// Tokens of a text that the prefix cache has.
  int64_t tokensOf(const Request &request) const { return findPrefix(request).tokens; }
  int64_t peakBlocks() const { return peak; }

protected:
  virtual Batch next() = 0;
  /// True for a request that is to join the steady group.
  virtual bool isSteady(const Request & /*request*/) const { return false; }
  /// Requests of one batch at most, of schedulers that share `maxBatch` out among the stages.
  size_t microbatch() const {
    return static_cast<size_t>(std::max<int64_t>(1, limits.maxBatch / limits.stages));
  }
  /// Tokens of a step of a request that runs: the last one that it made, and guesses.
  int64_t stepTokens() const { return 1 + limits.guesses; }
  /// Blocks that a request holds from the start that comes with its cache.
  virtual int64_t blocksToReceive(const Request &request) const {
    return limits.blocksFor(request.processed + limits.guesses);
  }
  bool fits(int64_t blocks) const { return limits.blocks - used >= blocks; }
  void allocate(Request &request, int64_t blocks);
  void free(Request &request);
  /// Gives back what a request holds that is done.
  void finish(Request &request);
  /// What the prefix cache has of a request that has not started.
  PrefixCache::Match findPrefix(const Request &request) const;
  /// Takes a request in that needs `blocks`, with those of `match`, if `keepFree` stay free then.
  bool takeIn(Request &request, PrefixCache::Match match, int64_t blocks, int64_t keepFree = 0);
  /// True where `a` comes before `b` in the order of admission.
  bool isBefore(uint32_t a, uint32_t b) const;

  RequestList &requests;
  Limits limits;
  std::deque<uint32_t> queue;
  std::vector<uint32_t> running; ///< taken in, and not in a batch that is under way
  SteadyGroup steady;            ///< taken in, and in every batch
  int64_t resident = 0;          ///< requests with blocks
  int64_t used = 0, peak = 0;
  int64_t moved = 0;
  double now = 0; ///< when the batch at hand is made

private:
  void share(Request &request);
  void keep(const Request &request);
  int64_t prefixRoom() const { return std::min(limits.prefixBlocks, limits.blocks - used); }
  void letPass();

  llvm::Optional<PrefixCache> prefixes;
  llvm::Optional<PrefixCache> tier; ///< all that was in `prefixes`, and more
  std::deque<uint32_t> late;        ///< that cannot meet the goal
  std::deque<uint32_t> expected;
  size_t open = 0;
  int64_t looked = 0, hits = 0, tierHits = 0;
  int64_t fetched = 0; ///< tokens from the tier since they were last asked for
};

/// Makes a scheduler of `requests`, which outlive it.
using SchedulerFactory =
    std::function<std::unique_ptr<Scheduler>(RequestList &requests, const Limits &limits)>;

template <typename Kind>
std::unique_ptr<Scheduler> makeScheduler(RequestList &requests, const Limits &limits) {
  return std::make_unique<Kind>(requests, limits);
}

/// That of the scheduler `kind`: static, orca, vllm, vllm_v1, sarathi, lightllm, sglang or
/// tensorrt_llm.
SchedulerFactory schedulerOf(llvm::StringRef kind);

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SCHEDULER_H
