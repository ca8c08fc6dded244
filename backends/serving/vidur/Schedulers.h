// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// VIDUR's schedulers where they differ from those of this project, whose rules are right:
//   sarathi   a prompt that gives way half read becomes one of what it has read: the rest of it is
//             then made token by token
//   vllm      prompts longer than a batch may be are never taken in, and stop those behind them
//   faster_transformer (static)  requests that are done before the last of their batch never give
//             back their blocks
//   lightllm  ends where the cache is full; takes in no prompt that is longer than a batch may be
#ifndef PERFC_BACKENDS_SERVING_VIDUR_SCHEDULERS_H
#define PERFC_BACKENDS_SERVING_VIDUR_SCHEDULERS_H

#include "backends/serving/Scheduler.h"
#include "backends/serving/vidur/Deployment.h"

namespace perfc::serving::vidur {

/// Tokens of a batch of prompts, of vllm and lightllm.
inline constexpr int64_t mostPromptTokens = 4096;

/// True for those that it has: static, orca, vllm, sarathi and lightllm.
bool hasScheduler(llvm::StringRef kind);
SchedulerFactory schedulerOf(llvm::StringRef kind);

/// Tokens of a block of the cache.
int64_t blockOf(llvm::StringRef kind);
/// What bounds batches of a copy that has `pool`, for requests of at most `mostTokens`: of at most
/// `cap` requests, of as many as have slots where each holds room for its greatest length.
Limits limitsOf(llvm::StringRef kind, const Pool &pool, int64_t mostTokens, int64_t cap,
                int64_t chunk, int64_t stages);

} // namespace perfc::serving::vidur

#endif // PERFC_BACKENDS_SERVING_VIDUR_SCHEDULERS_H
