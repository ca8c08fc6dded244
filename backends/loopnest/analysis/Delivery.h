// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one word gets from a memory to the instances below that need it: in how many messages, and
// over how many links. Instances that differ only along axes that share are served by one message;
// in an array a message spans the tree along the first axis from 0, then along the next from the
// middle in each column used.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_DELIVERY_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_DELIVERY_H

#include "backends/loopnest/analysis/Counts.h"
#include "backends/loopnest/analysis/FlatNest.h"

namespace perfc {
namespace loopnest {

/// Where the words of one axis enter: 0 on the first axis, floor((n-1)/2) on the others.
int64_t entryPosition(const FlatArray &array, unsigned axis);

/// Deliveries of one tensor from level `above` to instances of level `below`.
class Delivery {
public:
  Delivery(const FlatNest &flat, unsigned above, unsigned below, unsigned tensor);

  /// Messages that serve `children` (distinct instances of `below` under one instance of `above`).
  NetworkCount messages(llvm::ArrayRef<int64_t> children) const;
  /// Adds the links that they cross to `arrays`, where hops are present.
  void addHops(llvm::ArrayRef<int64_t> children, std::vector<ArrayCounts> &arrays) const;

private:
  using Digits = llvm::SmallVector<int64_t, 8>;
  Digits digits(int64_t instance) const;
  int64_t treesOf(unsigned array, llvm::ArrayRef<Digits> members) const;
  std::vector<std::vector<Digits>> split(llvm::ArrayRef<int64_t> children) const;

  const FlatNest &flat;
  unsigned tensor;
  unsigned begin; ///< parallel loops between the two levels
  unsigned end;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_DELIVERY_H
