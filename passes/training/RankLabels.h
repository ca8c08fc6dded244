// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ranks of a graph's values stand for: samples of the batch, positions of the sequence, or
// features. The first rank of tokens and of inputs with as many samples is the batch, the second
// rank of tokens the sequence; kernels carry the labels on (KernelClasses). Where no kernel with
// weights gets samples, or one has weights with such a rank, the graph is one sample.
#ifndef PERFC_PASSES_TRAINING_RANKLABELS_H
#define PERFC_PASSES_TRAINING_RANKLABELS_H

#include "ir/core/Module.h"
#include "passes/training/KernelClasses.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace perfc {
namespace passes {

enum class RankLabel : uint8_t { Feature, Batch, Sequence };

class RankLabels {
public:
  using Labels = llvm::SmallVector<RankLabel, 6>;

  /// Where no input says how many samples there are, one of two ranks does whose first is
  /// `samples`, the batch that the graph was built with.
  explicit RankLabels(const ir::Operation &graph, int64_t samples = 0);

  const Labels &of(const ir::Value &value) const;
  /// Extents of the batch and of the sequence in the graph; 0 where there is none.
  int64_t batch() const { return batchExtent; }
  int64_t sequence() const { return sequenceExtent; }
  /// Ranks of `value` that are positions of the sequence.
  unsigned sequenceRanks(const ir::Value &value) const;

private:
  void findExtents(const ir::Region &region, int64_t samples);
  void visit(const ir::Region &region);
  void tensor(const ir::Operation &op);
  void apply(const ir::Operation &op);
  void noteWeights(const ir::Operation &op);

  std::map<const ir::Operation *, KernelClasses> classes;
  llvm::DenseMap<const ir::Value *, Labels> labels;
  int64_t batchExtent = 0, sequenceExtent = 0;
  bool meetsWeights = false, weightsMeetBatch = false, weightsHaveBatch = false;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_RANKLABELS_H
