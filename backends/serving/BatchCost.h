// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a batch takes on the stages of a pipeline. The model has been costed at some sizes
// (GraphCost); its kernels are of two kinds, which the program of a batch tells apart:
//   token-wise    depends on the number of tokens alone: runs once for all tokens of a batch
//   of a context  attention and the like: once for all requests that make a token, at their mean
//                 context, and once for each chunk of a prompt
// What stands behind the layers makes the next tokens, and runs for those alone that come out.
#ifndef PERFC_BACKENDS_SERVING_BATCHCOST_H
#define PERFC_BACKENDS_SERVING_BATCHCOST_H

#include "backends/serving/Curve.h"
#include "backends/serving/Simulation.h"
#include "backends/training/GraphCost.h"
#include "llvm/ADT/STLExtras.h"
#include <unordered_map>

namespace perfc::serving {

using training::GraphCost;

/// The model at one size.
struct Sample {
  /// One token each of `batch` requests; else as many whole prompts, or a chunk of one.
  bool isDecode = false;
  int64_t batch = 1, tokens = 1, context = 1;
  GraphCost cost; ///< with the times of collectives in its items
};

/// A kernel or collective of one run of a part of the model.
struct Item {
  std::string name, kind; ///< `kind` of a collective, "" for a kernel
  double count = 1;
  bool isOfContext = false;
  std::vector<Point> prompts; ///< by tokens, then by tokens before them
  std::vector<Point> decodes; ///< by requests, then by context
};

/// What an item has taken in a whole run, on one rank.
struct ItemTotal {
  const Item *item;
  double runs = 0;
  Point sum;
  double computeSeconds = 0, memorySeconds = 0; ///< of runs that each of them bounds
  double seconds = 0;
};

class BatchCost {
public:
  /// `send` is what a message of so many tokens from a stage to the next takes, in s.
  /// `layers` are those of each stage, by kind.
  BatchCost(std::vector<Sample> samples, llvm::ArrayRef<std::vector<int64_t>> layers,
            std::function<double(size_t, double)> send);

  /// "" or why the samples do not go together.
  const std::string &problem() const { return mismatch; }
  /// Joules of `sum`, with what each source of uncertainty moves them by.
  Uncertain energyOf(const Point &sum) const;
  /// False where more sources move the energy than points have parts for.
  bool hasAllSources() const { return sources.size() <= Point::mostSources; }
  /// Layers of each kind on each stage.
  const std::vector<std::vector<double>> &layers() const { return layersOf; }
  /// The time of a batch on each stage, also added to the totals.
  void run(const BatchShape &shape, std::vector<double> &seconds);
  /// What stage `stage` runs for a batch, kernels without communication between them as one.
  std::vector<ServedNode> nodesOf(const BatchShape &shape, size_t stage) const;
  /// What all batches so far have taken on all stages together.
  std::vector<ItemTotal> totals() const;
  double sendSeconds() const { return sent; }
  /// Tokens of all batches so far, which each stage but the last passes on.
  double sentTokens() const { return tokensSent; }

private:
  /// A stretch of the model: what stands before the layers, a kind of layer, what follows.
  struct Part {
    std::vector<Item> items;
    std::vector<ItemTotal> contextTotals;         ///< by item; of those of a context
    std::unordered_map<int64_t, double> seconds;  ///< of token-wise items, by tokens
    std::unordered_map<int64_t, int64_t> batches; ///< that ran so many tokens
  };

  void addPart(const std::vector<Sample> &samples,
               llvm::function_ref<const StepBlock &(const GraphCost &)> blockOf);
  void findSources(const StepBlock &block);
  Point pointOf(const StepItem &item) const;
  void place(Item &item, const StepItem &from, const Sample &sample) const;
  Point tokenWise(const Item &item, int64_t tokens) const;
  Point prompt(const Item &item, const BatchShape::Chunk &chunk) const;
  Point decode(const Item &item, const BatchShape &shape) const;
  double partSeconds(Part &part, const BatchShape &shape, double runs);
  double runsOf(size_t part, size_t stage) const;
  /// The tokens that part `part` runs: behind the layers those that come out.
  int64_t tokensOf(size_t part, const BatchShape &shape) const {
    return parts.size() > 1 && part + 1 == parts.size() ? shape.outputs : shape.tokens;
  }

  std::vector<Part> parts; ///< before, kinds of layers, after; all in one where there are no layers
  std::vector<std::vector<double>> layersOf;
  Axis promptTokens, promptBefore, decodeBatch, decodeContext;
  Axis chunkTokens; ///< the first sizes of promptTokens: those of one request
  std::function<double(size_t, double)> send;
  double sent = 0, tokensSent = 0;
  std::vector<UncertaintySource> sources; ///< that move energies
  std::string mismatch;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_BATCHCOST_H
