// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The composition of a batch: all that its time depends on.
#ifndef PERFC_BACKENDS_SERVING_BATCHSHAPE_H
#define PERFC_BACKENDS_SERVING_BATCHSHAPE_H

#include "backends/serving/Scheduler.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <functional>
#include <vector>

namespace perfc::serving {

struct BatchShape {
  int64_t tokens = 0;        ///< that run
  int64_t outputs = 0;       ///< tokens that come out
  int64_t decodes = 0;       ///< requests of which one token runs
  int64_t decodeContext = 0; ///< tokens that these see, themselves included
  struct Chunk {
    int64_t tokens, before; ///< of a prompt: that run, and that ran earlier
  };
  /// Pieces of prompts, then those of requests whose guesses are verified: the last token that was
  /// made, and the guesses.
  std::vector<Chunk> chunks;
  int64_t verified = 0; ///< how many of them, the last ones

  /// Adds `requests` that make a token each and see `context` tokens together.
  void add(int64_t requests, int64_t context) {
    tokens += requests;
    outputs += requests;
    decodes += requests;
    decodeContext += context;
  }
};

/// That of `batch` of these requests.
BatchShape shapeOf(const Batch &batch, const RequestList &requests);

/// What the busiest of `ranks` data-parallel groups has of a batch: requests that make a token are
/// dealt out evenly, those whose guesses are verified with their mean context; pieces of prompts go
/// whole to the group with the fewest tokens, the longest first.
BatchShape shareOf(const BatchShape &shape, int64_t ranks);

/// Fills the time of a batch on each stage, in s, with what passes it on to the next.
using StageTimes = std::function<void(const BatchShape &, std::vector<double> &)>;

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_BATCHSHAPE_H
