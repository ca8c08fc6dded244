// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stretches of a collective, each on one level of the network: what their closed forms are made of
// (ClosedForms.h).
#ifndef PERFC_BACKENDS_NETWORK_COLLECTIVESTEPS_H
#define PERFC_BACKENDS_NETWORK_COLLECTIVESTEPS_H

#include "backends/network/NetworkLevels.h"

namespace perfc {
namespace network {

/// A stretch of a collective on one level.
struct CollectiveStep {
  std::string label; ///< "reduce_scatter over nvswitch"
  const NetworkLevel *level;
  Uncertain latency;
  double sentBytes = 0; ///< by a mean rank
  /// s that the busiest link works which chips share; 0 where none is busier than a chip's own.
  Uncertain shared = 0;
};

using CollectiveSteps = std::vector<CollectiveStep>;

/// Ranks on `levels` together.
double ranksOf(llvm::ArrayRef<NetworkLevel> levels);

/// messages * latency + sent / bandwidth.
CollectiveStep step(llvm::StringRef what, const NetworkLevel &level, double messages, double sent);
/// reduce_scatter or all_gather of one level: the same messages, the one with additions.
CollectiveStep half(llvm::StringRef what, const NetworkLevel &level, double bytes);
/// The same of all levels, the outer ones with the share of each rank.
CollectiveSteps halves(llvm::StringRef what, llvm::ArrayRef<NetworkLevel> levels, double bytes);
/// A grid of d dimensions: the buffer in d shares (partsOfGrid), each of which visits them in turn
/// from another one on, so that all work at the same time; the slowest share ends a phase. `one` is
/// the step of a share of so many bytes on a dimension, after it has visited dimensions of so many
/// members.
CollectiveSteps
gridPhases(llvm::ArrayRef<NetworkLevel> grid, double bytes,
           llvm::function_ref<CollectiveStep(const NetworkLevel &, double, double)> one);
/// Sums in and out of a switch at the same time.
CollectiveStep hubStep(llvm::StringRef what, const NetworkLevel &level, double bytes);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_COLLECTIVESTEPS_H
