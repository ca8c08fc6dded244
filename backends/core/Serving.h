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
  int64_t decodes = 0; ///< requests of which it makes the next token
  int64_t outputs = 0; ///< tokens that come out
  int64_t copy = 0;    ///< of the model, that runs it
};

/// A stretch of kernels or a communication of a rank; `kind` "" for kernels.
struct ServedNode {
  std::string name, kind;
  double seconds = 0, flops = 0, bytes = 0;
};

struct ServingSummary {
  std::string strategy; ///< in words
  int64_t tensor = 1, stages = 1;
  Distribution ttft, tpot, tbt, latency, queueDelay, batchSize, batchTokens;
  double runTime = 0;
  int64_t promptTokens = 0, outputTokens = 0;
  int64_t preemptions = 0;
  int64_t copies = 1;     ///< of the model
  int64_t meeting = -1;   ///< requests that meet what is asked of each; below 0 for nothing asked
  double prefixHits = -1; ///< share of the tokens of prompts that the prefix cache had; below 0
                          ///< without one
  double busy = 0;        ///< share of the run in which a stage works, mean of the stages
  double usage = 0;       ///< share of the blocks that requests hold, mean over the run
  double peakUsage = 0;   ///< the same at the worst time
  int64_t peakBlocks = 0;
  int64_t blocks = 0;                  ///< of the cache; 0 for no limit
  int64_t blockTokens = 0;             ///< tokens of a block
  double cacheBytes = 0;               ///< of a token on a rank of the fullest stage
  double weightBytes = 0;              ///< on a rank of the fullest stage
  double activationBytes = 0;          ///< on a rank, at the largest batch
  double logitBytes = 0;               ///< on a rank of the last stage, of the most that come out
  double reservedBytes = 0;            ///< of driver and libraries
  double flops = 0;                    ///< of all chips
  double peak = 0;                     ///< FLOP/s of all chips
  std::vector<ServedRequest> requests; ///< in order of arrival
  std::vector<ServedBatch> batches;
  /// What a rank of a stage runs for a batch, both by number; made when it is asked for.
  std::function<std::vector<ServedNode>(size_t batch, size_t stage)> nodesOf;
  double boundaryBytes = 0; ///< of a token, from one stage to the next

  double tokensPerSecond() const { return static_cast<double>(outputTokens) / runTime; }
  double requestsPerSecond() const { return static_cast<double>(requests.size()) / runTime; }
};

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_SERVING_H
