// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes resident in a chip's memory while each operation runs: of a graph, all weights and caches
// (those inside a repeat once per iteration), and each activation from where it is made to its last
// use; of a part of a graph, what it makes, since the rest is counted with the parts around it.
#ifndef PERFC_PASSES_ANALYSIS_LIVEBYTES_H
#define PERFC_PASSES_ANALYSIS_LIVEBYTES_H

#include "ir/core/Module.h"
#include "llvm/ADT/DenseMap.h"

namespace perfc {
namespace passes {

class LiveBytes {
public:
  /// Walks `graph` once; types are known (infer-shapes).
  explicit LiveBytes(const ir::Operation &graph);
  /// Of what `region` makes alone: what comes from outside of it, tensors included, is not counted,
  /// nor what repeats in it make inside.
  static LiveBytes madeIn(const ir::Region &region);

  /// While `op` runs, with its operands and results; 0 for what does not run.
  int64_t during(const ir::Operation &op) const { return live.lookup(&op); }
  /// The most at a time.
  int64_t most() const { return largest; }

  /// Weights and caches, which are resident all the time.
  int64_t weightsAndCaches() const { return persistent; }

private:
  LiveBytes() = default;
  void addPersistent(const ir::Region &region, int64_t times);
  void visit(const ir::Region &region, int64_t outside);

  int64_t persistent = 0, largest = 0;
  bool onlyMade = false; ///< in the region alone
  llvm::DenseMap<const ir::Operation *, int64_t> live;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_LIVEBYTES_H
