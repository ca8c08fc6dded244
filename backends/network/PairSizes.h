// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the bytes of an all_to_allv are spread over pairs of n ranks. Either a matrix of shares, or
// an imbalance h: rank 0 is sent h times the mean and the others share the rest, as a popular
// expert of a mixture of experts is. With an imbalance every rank sends the bytes of the
// collective, h/n of them to rank 0 and (n-h)/(n-1)/n to each other one (its own part stays); with
// a matrix the rank that sends most, its own part included, sends them.
#ifndef PERFC_BACKENDS_NETWORK_PAIRSIZES_H
#define PERFC_BACKENDS_NETWORK_PAIRSIZES_H

#include "ir/common/Diagnostics.h"
#include "ir/core/Operation.h"
#include <vector>

namespace perfc {
namespace network {

struct PairSizes {
  uint32_t ranks = 1;
  double imbalance = 1;       ///< from 1 to the number of ranks
  std::vector<double> matrix; ///< by sender; shares of the bytes; empty with an imbalance

  bool isUniform() const { return matrix.empty() && imbalance == 1; }
  /// The share of the collective's bytes that `from` sends to `to`.
  double share(uint32_t from, uint32_t to) const {
    if (!matrix.empty())
      return matrix[static_cast<size_t>(from) * ranks + to];
    double n = ranks;
    return to == 0 ? imbalance / n : ranks > 1 ? (n - imbalance) / (n - 1) / n : 0;
  }
};

/// The sizes that a collective states with `load` or `sizes`, for `ranks` ranks. Nothing after a
/// report when they do not fit: an imbalance beyond the ranks, a matrix of another shape.
llvm::Optional<PairSizes> readPairSizes(const ir::Operation &op, uint32_t ranks,
                                        DiagnosticEngine &diagnostics);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_PAIRSIZES_H
