// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ASTRA-sim's network cannot say of the networks that an evaluation uses: that active chunks
// share a bandwidth, that a message takes one of several adapters, that a message pays for every
// dimension it crosses.
#ifndef PERFC_BACKENDS_EMIT_ASTRANETWORKS_H
#define PERFC_BACKENDS_EMIT_ASTRANETWORKS_H

#include "backends/core/StepProgram.h"
#include "backends/emit/AstraAlgorithms.h"

namespace perfc::emit {

/// What ranks exchange in an evaluation.
struct Exchanges {
  bool areKnown = false; ///< else anything may be exchanged
  std::vector<CollectiveUse> uses;
  /// Messages, by sender and receiver.
  std::vector<std::pair<int64_t, int64_t>> sends;
};

/// The messages between neighbouring stages of a step, those of both ways once.
std::vector<std::pair<int64_t, int64_t>> sendsOfStep(const StepProgram &step);

/// The number of chunks that system.json calls active: one for all of `levels`.
int64_t activeChunks(llvm::ArrayRef<network::NetworkLevel> levels);

/// Names of networks and how they differ there, once each, in a system that cuts buffers into
/// `chunks`. All `levels` are of several members.
std::vector<std::pair<std::string, std::string>>
networkDifferences(llvm::ArrayRef<network::NetworkLevel> levels, const Exchanges &exchanges,
                   int64_t chunks);

/// What is another way of messages that cross several dimensions; "" where none does.
std::string crossingDifference(llvm::ArrayRef<network::NetworkLevel> levels,
                               const Exchanges &exchanges);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_ASTRANETWORKS_H
