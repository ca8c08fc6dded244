// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a batch takes on the stages of a pipeline: its parts (PartCost), which stages share out.
// What stands behind the layers makes the next tokens, and runs for those alone that come out. The
// software stack adds its own to kernels and exchanges (backends/core/StackTime); what comes once
// to a batch comes to its first stage.
#ifndef PERFC_BACKENDS_SERVING_BATCHCOST_H
#define PERFC_BACKENDS_SERVING_BATCHCOST_H

#include "backends/serving/TableCost.h"

namespace perfc::serving {

class BatchCost {
public:
  /// `layers` are those of each stage, by kind; they take the times of `table`, where there is one.
  /// `send` is what a message of so many tokens from a stage to the next takes, in s.
  /// All is that at `end`, where there is one.
  BatchCost(const std::vector<Sample> &samples, llvm::ArrayRef<std::vector<int64_t>> layers,
            std::function<double(size_t, double)> send,
            std::shared_ptr<const study::OpTable> table = nullptr, StackFigures stack = {},
            const UncertainEnd *end = nullptr);

  /// "" or why the samples do not go together.
  const std::string &problem() const { return mismatch; }
  /// Joules of `total`, with what each source of uncertainty moves them by.
  Uncertain energyOf(const ItemTotal &total) const { return frame->energyOf(total); }
  /// Sources that move the time of a batch by that of a kernel, or of all that is measured.
  std::vector<UncertaintySource> timeSources() const;
  /// Layers of each kind on each stage.
  const std::vector<std::vector<double>> &layers() const { return layersOf; }
  /// The time of a batch on each stage, also added to the totals.
  void run(const BatchShape &shape, std::vector<double> &seconds);
  /// What stage `stage` runs for a batch, kernels without communication between them as one.
  std::vector<ServedNode> nodesOf(const BatchShape &shape, size_t stage) const;
  /// What all batches so far have taken on all stages together.
  std::vector<ItemTotal> totals() const;
  /// Starts the totals anew.
  void forget() {
    for (const auto &part : parts)
      part->forget();
    sent = tokensSent = added = 0;
  }
  double sendSeconds() const { return sent; }
  /// What the software stack has added to the times of kernels and exchanges, in s.
  double stackSeconds() const { return added; }
  /// Tokens of all batches so far, which each stage but the last passes on.
  double sentTokens() const { return tokensSent; }

private:
  void addPart(const std::vector<Sample> &samples, SampledCost::BlockOf blockOf,
               const std::shared_ptr<const study::OpTable> &table);
  double runsOf(size_t part, size_t stage) const;
  /// The tokens that part `part` runs: behind the layers those that come out.
  int64_t tokensOf(size_t part, const BatchShape &shape) const {
    return parts.size() > 1 && part + 1 == parts.size() ? shape.outputs : shape.tokens;
  }

  std::shared_ptr<const SampleFrame> frame;
  /// Before the layers, kinds of layers, after; all in one where there are no layers.
  std::vector<std::unique_ptr<PartCost>> parts;
  std::vector<std::vector<double>> layersOf;
  std::vector<double> runs; ///< of each part in a batch, on all stages
  std::function<double(size_t, double)> send;
  StackFigures stack;
  std::vector<StackWork> work; ///< of the batch at hand, by stage
  double sent = 0, tokensSent = 0, added = 0;
  std::string mismatch;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_BATCHCOST_H
