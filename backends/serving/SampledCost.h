// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of a part from its cost at some sizes (GraphCost), by any provider of costs of kernels.
// Kernels are of two kinds, which the program of a batch tells apart:
//   token-wise    depends on the number of tokens alone: runs once for all tokens of a batch
//   of a context  attention and the like: once for all requests that make a token, at their mean
//                 context, and once for all pieces of prompts, which add their times up. What these
//                 two run may differ, as with latent attention.
#ifndef PERFC_BACKENDS_SERVING_SAMPLEDCOST_H
#define PERFC_BACKENDS_SERVING_SAMPLEDCOST_H

#include "backends/core/UncertainInputs.h"
#include "backends/serving/PartCost.h"
#include "backends/serving/TokenRuns.h"
#include "backends/training/GraphCost.h"
#include "llvm/ADT/STLExtras.h"

namespace perfc::serving {

using training::GraphCost;

/// The model at one size.
struct Sample {
  /// One token each of `batch` requests; else as many whole prompts, or a piece of one.
  bool isDecode = false;
  bool isPiece = false; ///< its kernels of a context are costed
  int64_t batch = 1, tokens = 1, context = 1;

  int64_t before() const { return context - tokens; }
  GraphCost cost; ///< with the times of collectives in its items
};

/// The sizes of samples, and what moves their energies and times.
struct SampleFrame {
  Axis tokens; ///< of a batch of whole prompts
  /// Of a piece of a prompt, and before it.
  Axis chunkTokens, chunkBefore;
  Axis decodeBatch, decodeContext;
  std::vector<UncertaintySource> sources; ///< of energies
  std::vector<UncertaintySource> timeSources;

  /// At an end of a source's interval, or at the centre.
  explicit SampleFrame(const std::vector<Sample> &samples, const UncertainEnd *end = nullptr);
  Point pointOf(const StepItem &item) const;
  /// J by which each source moves the energy of `item`.
  std::vector<double> energyMovesOf(const StepItem &item) const;
  /// Joules of `total`, with what each source of uncertainty moves them by.
  Uncertain energyOf(const ItemTotal &total) const;

private:
  void findSources(const StepBlock &block);

  llvm::Optional<UncertainEnd> end;
};

class SampledCost : public PartCost {
public:
  using BlockOf = llvm::function_ref<const StepBlock &(const GraphCost &)>;
  SampledCost(std::shared_ptr<const SampleFrame> frame, const std::vector<Sample> &samples,
              BlockOf blockOf);

  /// False where what runs differs between samples.
  bool isSame() const { return areSame; }
  StackWork run(int64_t tokens, const BatchShape &shape, double runs) override;
  std::vector<ItemTotal> totals() const override;
  void forget() override {
    contextTotals.clear();
    decodeRuns.assign(decodeRuns.size(), 0);
    pieceRuns.assign(pieceRuns.size(), 0);
    known.forget();
  }
  void addNodes(int64_t tokens, const BatchShape &shape,
                std::vector<ServedNode> &nodes) const override;
  /// Exchanges among ranks in one run.
  double exchanges() const;
  /// Leaves the times of kernels to others, and those of exchanges where `withExchanges`.
  void leaveTimes(bool withExchanges);

private:
  /// What a kernel or collective runs for, and by what its points are ordered.
  enum class Of : uint8_t {
    Tokens,  ///< all of a batch: by their number
    Decodes, ///< requests that make a token: by their number, then by context
    Prompts  ///< pieces of prompts: by tokens, then by those before them
  };
  /// A kernel or collective of one run.
  struct Item {
    std::string name, kind;
    double count = 1;
    StackWork starts; ///< of the host, for each run
    Of of = Of::Tokens;
    bool isTimed = true;
    size_t line =
        0; ///< the item whose total this is a part of: of a context, the first of its name
    std::vector<std::string> alike; ///< axes along which ranks run the same
    std::vector<Point> points;
    std::vector<std::vector<double>> energyMoves; ///< J, by point and source
    void addTo(StackWork &work, const Point &one) const {
      if (!isTimed)
        return;
      StackWork run = kind.empty() ? starts : StackWork();
      (kind.empty() ? run.kernels : run.exchanges) = one.seconds();
      work.add(run, count);
    }
  };

  void addItem(const StepItem &from, Of of);
  bool place(const std::vector<StepItem> &from, const Sample &sample);
  llvm::Optional<size_t> placeOf(Of of, const Sample &sample) const;
  /// Where a batch stands among the points of its items, which is the same for all of them.
  struct Place {
    Cells decodes;
    std::vector<Cells> pieces;
  };
  void findPlace(const BatchShape &shape, Place &place) const;
  Point tokenWise(const Item &item, int64_t tokens) const;
  /// Calls `use` with each point that a batch at `place` takes of an item of a context.
  template <typename Use> static void forEachPoint(const Item &item, const Place &place, Use use);
  void addEnergyMoves(const Item &item, llvm::ArrayRef<std::pair<int64_t, double>> sizes,
                      ItemTotal &total) const;
  void addContexts(const BatchShape &shape, double runs, StackWork &work);

  std::shared_ptr<const SampleFrame> frame;
  std::vector<Item> items;
  std::vector<ItemTotal> contextTotals; ///< by line; of items of a context
  /// How often batches have run what stands at each point, shares of runs included.
  std::vector<double> decodeRuns, pieceRuns;
  TokenRuns known;          ///< of token-wise items
  Place here;               ///< of the batch at hand
  bool hasContexts = false; ///< of items that run for a context
  bool areSame = true;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SAMPLEDCOST_H
