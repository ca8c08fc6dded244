// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes resident in a chip's memory while each operation of a graph runs: all weights and caches
// (those inside a repeat once per iteration), and each activation from where it is made to its last
// use.
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

  /// While `op` runs, with its operands and results; 0 for what does not run.
  int64_t during(const ir::Operation &op) const { return live.lookup(&op); }

  /// Weights and caches, which are resident all the time.
  int64_t weightsAndCaches() const { return persistent; }

private:
  void addPersistent(const ir::Region &region, int64_t times);
  void visit(const ir::Region &region, int64_t outside);

  int64_t persistent = 0;
  llvm::DenseMap<const ir::Operation *, int64_t> live;
};

/// Bytes of what a region makes while each of its operations runs, each value from where it is made
/// to its last use; what comes from outside of it, tensors included, is counted elsewhere.
class MadeBytes {
public:
  explicit MadeBytes(const ir::Region &region);

  /// While `op`, directly in the region, runs, with its results.
  int64_t during(const ir::Operation &op) const { return live.lookup(&op); }
  int64_t most() const { return largest; }

private:
  int64_t largest = 0;
  llvm::DenseMap<const ir::Operation *, int64_t> live;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_LIVEBYTES_H
