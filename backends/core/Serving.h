// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a `serve` comes to: a stream of requests that one model has answered, and the batches that
// it took. Figures are in SI units; docs/serving.md has the rules and formulas.
#ifndef PERFC_BACKENDS_CORE_SERVING_H
#define PERFC_BACKENDS_CORE_SERVING_H

#include "ir/common/Metrics.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace perfc {

/// Values in order of size, and what is said of them. Percentiles are interpolated linearly between
/// the two nearest values: that of q among n stands at (n - 1) * q, counted from 0.
struct Distribution {
  double mean = 0, least = 0, most = 0;
  double p50 = 0, p90 = 0, p95 = 0, p99 = 0, p999 = 0;
  int64_t count = 0;
  /// Half of the 90 % interval of the mean and of percentiles, from the same of 20 batches of
  /// values that follow each other (batch means); below 0 where a batch has too few.
  double meanHalf = -1, p50Half = -1, p90Half = -1, p99Half = -1;

  /// One of `distributionMembers`; nothing where there are too few values for it.
  llvm::Optional<double> member(llvm::StringRef name) const;
  /// Of values in the order in which they came.
  static Distribution of(std::vector<double> values);
};

/// A request as it was served; times are in s from the start.
struct ServedRequest {
  double arrival = 0, scheduled = 0, first = 0, done = 0;
  int64_t prompt = 0, answer = 0; ///< tokens
  int64_t restarts = 0;
};

/// What one iteration runs.
struct ServedBatch {
  llvm::SmallVector<double, 1> seconds; ///< by stage, with the message to the next one
  llvm::SmallVector<double, 1> starts;  ///< by stage, s from the start of the run
  int64_t requests = 0;
  int64_t promptTokens = 0;
  int64_t decodes = 0; ///< requests of which it makes the next tokens
  int64_t guesses = 0; ///< tokens of theirs that it verifies
  int64_t outputs = 0; ///< tokens that come out
  int64_t copy = 0;    ///< of the model, that runs it
};

/// A stretch of kernels or a communication of a rank; `kind` "" for kernels.
struct ServedNode {
  std::string name, kind;
  double seconds = 0, flops = 0, bytes = 0;
};

/// Copies of the model that serve a stream, or one phase of it.
struct ServedPool {
  std::string phase;    ///< "prefill" or "decode"; "" where there are no pools
  std::string strategy; ///< in words
  int64_t tensor = 1, stages = 1;
  int64_t copies = 1;    ///< of the model
  int64_t firstCopy = 0; ///< among those of all pools
  int64_t chips = 1;     ///< of all copies
  int64_t batches = 0;
  double busy = 0;          ///< share of the run in which a stage works, mean of the stages
  double copiesOn = 1;      ///< mean over the run
  double usage = 0;         ///< share of the blocks that requests hold, mean over the run
  double peakUsage = 0;     ///< the same at the worst time
  int64_t peakBlocks = 0;   ///< of one copy
  int64_t blocks = 0;       ///< of the cache of one copy; 0 for no limit
  int64_t blockTokens = 0;  ///< tokens of a block
  bool holdsStates = false; ///< a block is all that a request holds, however many tokens it has
  double prefixHits = -1;   ///< share of the tokens of prompts that the prefix cache had; below 0
                            ///< without one
  double tierHits = 0;      ///< the same that its tier at the host had
  int64_t guessed = 0, held = 0; ///< tokens, and those that the model would have made as well
  int64_t steps = 0;             ///< of requests, in which guesses were verified
  int64_t faults = 0;            ///< of copies
  double cacheBytes = 0; ///< of a token on a rank of the fullest stage; `holdsStates`: of a request
  double weightBytes = 0;     ///< on a rank of the fullest stage
  double activationBytes = 0; ///< on a rank, at the largest batch
  double logitBytes = 0;      ///< on a rank of the last stage, of the most that come out
  double reservedBytes = 0;   ///< of driver and libraries
  double peak = 0;            ///< FLOP/s of all chips
  double capacity = 0;        ///< B of a chip; 0 when not given
  double boundaryBytes = 0;   ///< of a token, from one stage to the next

  /// B of the fullest rank at the worst time.
  double memoryBytes() const {
    return weightBytes + activationBytes + logitBytes + reservedBytes +
           cacheBytes * static_cast<double>(peakBlocks * blockTokens);
  }
};

struct ServingSummary {
  std::string strategy; ///< in words
  /// The tool that has told of the requests, and of nothing else; "" where perfc served them.
  std::string toldBy;
  Distribution ttft, tpot, tbt, latency, queueDelay, batchSize, batchTokens;
  double runTime = 0;
  int64_t requestCount = 0;
  int64_t promptTokens = 0, outputTokens = 0;
  int64_t preemptions = 0;
  int64_t reroutes = 0;     ///< of requests whose copy broke
  int64_t meeting = -1;     ///< requests that meet what is asked of each; below 0 for nothing asked
  int64_t transfers = 0;    ///< of caches between pools
  double transferBytes = 0; ///< of all of them
  double transferSeconds = 0, transferWaiting = 0; ///< of all; waiting for others to end
  double flops = 0;                                ///< of all chips
  std::vector<ServedPool> pools;                   ///< one, or that of prompts and that of tokens
  /// In order of arrival; none where there are too many to keep.
  std::vector<ServedRequest> requests;
  int64_t batchCount = 0;
  std::vector<ServedBatch> batches; ///< none where there are too many to keep
  /// What a rank of a stage runs for a batch, both by number; made when it is asked for.
  std::function<std::vector<ServedNode>(size_t batch, size_t stage)> nodesOf;

  double tokensPerSecond() const { return static_cast<double>(outputTokens) / runTime; }
  double requestsPerSecond() const { return static_cast<double>(requestCount) / runTime; }
  /// The mean of `part` of the pools, each as often as it has chips.
  double meanOf(double ServedPool::*part) const;
  /// The pool that copy `copy` is of.
  const ServedPool &poolOf(int64_t copy) const {
    return pools.size() > 1 && copy >= pools[1].firstCopy ? pools[1] : pools[0];
  }
  /// The pool whose ranks are the fullest.
  const ServedPool &fullest() const;
};

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_SERVING_H
