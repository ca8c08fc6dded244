// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The share of its steps that a nest takes where lanes leave out points at zeros. Lanes run on
// their own inside the last array, for as long as its memories last; there they wait for the
// slowest (LockStep.h).
#ifndef PERFC_BACKENDS_LOOPNEST_SPARSE_STEPSHARE_H
#define PERFC_BACKENDS_LOOPNEST_SPARSE_STEPSHARE_H

#include "backends/loopnest/sparse/Sparsity.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <mutex>

namespace perfc {
namespace loopnest {

/// What lanes take that wait for each other, by the tensors whose zeros they leave out, how these
/// split the lanes, and the elements of each lane and of its rows (Density::lengthOfRows):
/// remembered where many mappings of one nest with the same zeros are counted, by any number of
/// threads.
class LaneShares {
public:
  double of(const std::vector<int64_t> &key, llvm::function_ref<double()> compute);

private:
  std::mutex lock;
  std::map<std::vector<int64_t>, double> known;
};

/// Steps of `nest` with what `sparsity` skips / its dense steps; `shares` may be null. To skip at
/// the zeros of one more tensor is never slower: where the share of several tensors is a bound,
/// that of fewer may be nearer.
double stepShare(const Nest &nest, const Sparsity &sparsity, LaneShares *shares);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SPARSE_STEPSHARE_H
