// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ranks of a graph's values stand for: samples of the batch, positions of a sequence, or
// features. The first rank of tokens and of inputs with as many samples is the batch, the second
// rank of tokens a sequence, of which a model with encoder and decoder has two; tokens without
// samples have positions where they have as many. Which of these a rank is says what it runs
// together with (RankClasses), and where that says nothing its extent. Tokens whose first rank runs
// together with positions are distances between these. Kernels carry the labels on (KernelClasses).
// What has no tokens, as a sound or an image, has positions where attention relates a rank to
// itself (AttendedRanks): they begin behind what makes them, convolutions say. Where no kernel with
// weights gets samples, one has weights with such a rank, or the data choose which samples others
// read (neighbours in a graph), the graph is one sample.
#ifndef PERFC_PASSES_TRAINING_RANKLABELS_H
#define PERFC_PASSES_TRAINING_RANKLABELS_H

#include "ir/core/Module.h"
#include "passes/training/RankClasses.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallSet.h"
#include <memory>

namespace perfc {
namespace passes {

enum class RankLabel : uint8_t { Feature, Batch, Sequence };

/// Gives rows of whole samples, and what counts samples in them, the label of these `batch`.
void labelPieces(const KernelClasses &classes, int64_t batch, std::vector<RankLabel> &byClass);

class RankLabels {
public:
  using Labels = llvm::SmallVector<RankLabel, 6>;

  /// `samples` are those that the parameter `batch` of the graph says, 0 where it has none: inputs
  /// of three ranks or more may have several rows of each, as frames of videos. Where no such input
  /// says how many samples there are, one of up to two ranks does whose first is `samples`, or
  /// `batch` where these are not known. Graphs with the same kernels may share what is `known` of
  /// them.
  explicit RankLabels(const ir::Operation &graph, int64_t samples = 0, int64_t batch = 0,
                      std::shared_ptr<KnownClasses> known = nullptr);

  const Labels &of(const ir::Value &value) const;
  KnownClasses &kernels() const { return *classes; }
  /// The extent of the batch in the graph; 0 where it is one sample, for this reason.
  int64_t batch() const { return batchExtent; }
  llvm::StringRef whyOne() const { return one; }
  /// Extents of the sequences of tokens, each once, in the order in which the graph makes them.
  llvm::ArrayRef<int64_t> sequences() const { return sequenceExtents; }
  /// Extents of ranks without tokens that attention relates to themselves, each once.
  llvm::ArrayRef<int64_t> attended() const { return attendedExtents; }
  /// The first one; 0 where there is none.
  int64_t sequence() const { return sequenceExtents.empty() ? 0 : sequenceExtents.front(); }
  /// Ranks of `value` that are positions of the sequence.
  unsigned sequenceRanks(const ir::Value &value) const;

private:
  void findExtents(const ir::Region &region, int64_t samples, int64_t batch);
  void visit(const ir::Region &region);
  void tensor(const ir::Operation &op);
  void apply(const ir::Operation &op);
  void noteWeights(const ir::Operation &op);
  void findSamples(const ir::Region &region);
  bool isPosition(int64_t extent) const;
  bool isAttended(const ir::Value &value, unsigned rank);
  RankLabel notedPosition(int64_t extent);
  RankLabel meaningOf(const ir::Value &value, unsigned rank);
  RankLabel labelOf(const ir::Value &value, unsigned rank);

  std::shared_ptr<KnownClasses> classes;
  RankClasses ranks;
  llvm::SmallSet<unsigned, 4> sampleClasses, positionClasses; ///< of `ranks`
  llvm::SmallSet<unsigned, 4> attendedClasses;                ///< of them those without tokens
  llvm::DenseMap<const ir::Value *, Labels> labels;
  int64_t batchExtent = 0;
  int64_t rows = 0; ///< of inputs of three ranks or more that have several for each sample
  llvm::SmallVector<int64_t, 2> sequenceExtents, attendedExtents;
  llvm::StringRef one = "no input says how many samples there are: `token[batch, T]`, a tensor of "
                        "three ranks, or one as long as the parameter `batch`";
  bool meetsWeights = false, weightsMeetBatch = false, weightsHaveBatch = false;
  bool readsSamples = false; ///< the data choose which samples others read
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_RANKLABELS_H
