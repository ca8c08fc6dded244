// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/sparse/Sparsity.h"

#include "backends/loopnest/analysis/PartialWords.h"
#include "backends/loopnest/sparse/StepShare.h"
#include "backends/loopnest/sparse/TileExtents.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

llvm::SmallVector<unsigned, 4> Sparsity::conditions(bool withGates,
                                                    llvm::Optional<unsigned> of) const {
  llvm::SmallVector<unsigned, 4> result;
  for (const Saving &saving : savings)
    if ((withGates || saving.skips) && (!of || saving.tensor == *of) &&
        !llvm::is_contained(result, saving.condition))
      result.push_back(saving.condition);
  return result;
}

double Sparsity::nonzeroShare(bool withGates) const {
  double share = 1;
  for (unsigned condition : conditions(withGates))
    share *= tensors[condition].density.share(tensors[condition].shape);
  return share;
}

namespace {

/// Applies one set of savings: all of them, or those that skip.
class Applier {
public:
  Applier(const Nest &nest, const Sparsity &sparsity, bool withGates, LaneShares *shares)
      : nest(nest), sparsity(sparsity), withGates(withGates), shares(shares) {}

  Counts run(const Counts &dense) const;

private:
  llvm::SmallVector<unsigned, 4> leadersOf(size_t tensor, size_t child) const;
  double happening(size_t tensor, size_t memory, size_t child) const;
  double touched(unsigned condition, const TileExtents &met) const;
  double anyExecuted(const TileExtents &met) const;
  double wordsTouched(size_t output, size_t memory) const;
  NetworkCount merges(const TensorCounts &dense, size_t output, size_t memory, double share) const;
  size_t childOf(size_t tensor, size_t memory) const;
  llvm::Optional<size_t> parentOf(size_t tensor, size_t memory) const;
  double storedWords(size_t tensor, size_t memory, size_t tilePlace, int64_t wordBits) const;
  int64_t words(size_t tensor, size_t memory, size_t tilePlace, double dense, int64_t bits) const {
    return std::llround(dense * storedWords(tensor, memory, tilePlace, bits));
  }
  double wordsTogether(size_t tensor, size_t memory, size_t child) const;
  TransferShare shareOf(size_t tensor, size_t memory, size_t child, int64_t dense,
                        int64_t left) const;
  void memory(size_t place, MemoryCounts &counts) const;
  void array(size_t place, ArrayCounts &counts) const;

  const Nest &nest;
  const Sparsity &sparsity;
  bool withGates;
  LaneShares *shares; ///< or null
};

} // namespace

static bool keeps(const Place &place, size_t tensor) {
  return place.kind == PlaceKind::Memory && llvm::is_contained(place.keep, tensor);
}

size_t Applier::childOf(size_t tensor, size_t memory) const {
  size_t child = memory + 1;
  while (child < nest.places.size() && !keeps(nest.places[child], tensor))
    ++child;
  return child;
}

llvm::Optional<size_t> Applier::parentOf(size_t tensor, size_t memory) const {
  for (size_t p = memory; p-- > 0;)
    if (keeps(nest.places[p], tensor))
      return p;
  return llvm::None;
}

/// The tensors whose zeros leave out transfers of `tensor` to a child. Points that are not executed
/// give a lane nothing to add, whatever tensor they are left out for.
llvm::SmallVector<unsigned, 4> Applier::leadersOf(size_t tensor, size_t child) const {
  bool isSum = child == nest.places.size() && nest.tensors[tensor].isOutput;
  return sparsity.conditions(withGates, isSum ? llvm::None : llvm::Optional<unsigned>(tensor));
}

/// The share of transfers of `tensor` between a memory and its child that are not left out: each of
/// its leaders has a nonzero among what is met.
double Applier::happening(size_t tensor, size_t memory, size_t child) const {
  TileExtents met = whileHeld(nest, nest.tensors[tensor], memory, child);
  if (nest.tensors[tensor].isOutput && child == nest.places.size())
    return anyExecuted(met);
  double share = 1;
  for (unsigned condition : leadersOf(tensor, child))
    share *= touched(condition, met);
  return share;
}

double Applier::touched(unsigned condition, const TileExtents &met) const {
  const SparseTensor &leader = sparsity.tensors[condition];
  return 1 -
         leader.density.emptyShare(leader.shape, met.box(nest.tensors[condition], leader.shape));
}

/// The probability that any of the points that are met is executed. With several conditions it is
/// at most that of points by themselves, which share elements, and at most that each of the tensors
/// has a nonzero there.
double Applier::anyExecuted(const TileExtents &met) const {
  llvm::SmallVector<unsigned, 4> conditions = sparsity.conditions(withGates);
  double all = 1;
  for (unsigned condition : conditions)
    all *= touched(condition, met);
  if (conditions.size() < 2)
    return all;
  double executed = sparsity.nonzeroShare(withGates);
  return std::min(all, 1 - std::pow(1 - executed, met.points()));
}

/// The share of the words of `output` that get anything to add while they are first in the memory,
/// which serves lanes.
double Applier::wordsTouched(size_t output, size_t memory) const {
  return anyExecuted(whileFirst(nest, nest.tensors[output], memory));
}

/// Words of `wordBits` that an element takes as the memory at place `memory` stores it, metadata
/// included, when it moves in tiles of `tilePlace`.
double Applier::storedWords(size_t tensor, size_t memory, size_t tilePlace,
                            int64_t wordBits) const {
  const SparseTensor &sparse = sparsity.tensors[tensor];
  auto tile = tileInside(nest, tilePlace).box(nest.tensors[tensor], sparse.shape);
  StoredTile stored =
      storedTile(sparse.storageAt(nest.places[memory].name), sparse.shape, tile, sparse.density);
  return (stored.words + stored.metadataBits / 8 / bytesOf(nest, wordBits)) / elements(tile);
}

/// Words of a transfer to a child that are left out together or not at all: those of lanes, and of
/// memories, for which the same elements of other tensors decide.
double Applier::wordsTogether(size_t tensor, size_t memory, size_t child) const {
  bool isLane = child == nest.places.size();
  if (isLane && sparsity.tensors[tensor].storageAt(nest.places[memory].name).isCompressed())
    return 1;
  double words =
      isLane
          ? 1
          : elements(
                tileInside(nest, child).box(nest.tensors[tensor], sparsity.tensors[tensor].shape));
  llvm::SmallVector<unsigned, 4> leaders = leadersOf(tensor, child);
  for (size_t p = memory + 1; p < child; ++p)
    for (const Loop &loop : nest.places[p].loops)
      if (nest.places[p].kind == PlaceKind::Array && moves(loop, nest.tensors[tensor]) &&
          llvm::none_of(leaders,
                        [&](unsigned leader) { return moves(loop, nest.tensors[leader]); }))
        words *= static_cast<double>(loop.factor);
  return words;
}

/// Of `dense` words `left` are moved between a memory and its child, or, where both are the same,
/// its parent.
TransferShare Applier::shareOf(size_t tensor, size_t memory, size_t child, int64_t dense,
                               int64_t left) const {
  TransferShare share;
  if (dense == 0)
    return share;
  double kept = static_cast<double>(left) / static_cast<double>(dense);
  double stored = child < nest.places.size()
                      ? storedWords(tensor, memory, child, nest.tensors[tensor].bitsPerWord)
                      : 1;
  share.there = std::min(1.0, kept / stored);
  share.words = share.there > 0 ? kept / share.there : 1;
  share.part = wordsTogether(tensor, memory, child);
  return share;
}

/// Reads of partial sums of `output` for lanes, of whose updates a share happens: one for each
/// update but the first of each word.
NetworkCount Applier::merges(const TensorCounts &dense, size_t output, size_t memory,
                             double share) const {
  double touched = wordsTouched(output, memory);
  auto left = [&](int64_t reads, int64_t updates) {
    double firsts = static_cast<double>(updates - reads);
    double left = std::max(0.0, static_cast<double>(updates) * share - firsts * touched);
    return words(output, memory, memory, left, movedBits(nest, nest.places[memory], output));
  };
  return {left(dense.reads.shared, dense.updates.shared),
          left(dense.reads.separate, dense.updates.separate),
          left(dense.reads.declared, dense.updates.declared)};
}

void Applier::memory(size_t place, MemoryCounts &counts) const {
  counts.maxResident = counts.maxResidentBits = 0;
  for (size_t t = 0; t < counts.tensors.size(); ++t) {
    if (!counts.tensors[t])
      continue;
    TensorCounts &tensor = *counts.tensors[t];
    const TensorCounts dense = tensor;
    size_t child = childOf(t, place);
    // A lane takes single words, which it finds in the tile of its memory.
    size_t passed = child < nest.places.size() ? child : place;
    double out = happening(t, place, child);
    llvm::Optional<size_t> parent = parentOf(t, place);
    double in = parent ? happening(t, *parent, place) : 1;
    int64_t partial = movedBits(nest, nest.places[place], t), whole = nest.tensors[t].bitsPerWord;
    int64_t held = heldBits(nest, nest.places[place], t, tensor);
    // Of `count` words some are finished, where partial sums have a size of their own.
    auto moved = [&](int64_t count, size_t tile, double share, int64_t finished) {
      int64_t done = std::min(count, finished);
      return words(t, place, tile, static_cast<double>(count - done) * share, partial) +
             (done ? words(t, place, tile, static_cast<double>(done) * share, whole) : 0);
    };
    auto network = [&](NetworkCount &count, int64_t finished) {
      count.shared = moved(count.shared, passed, out, finished);
      count.separate = moved(count.separate, passed, out, finished);
      count.declared = moved(count.declared, passed, out, finished);
    };
    int64_t finished = tensor.finished.getValueOr(0);
    tensor.fills = moved(tensor.fills, place, in, 0);
    network(tensor.reads, 0);
    network(tensor.updates, finished);
    // What goes to and from a child are whole tiles.
    if (nest.tensors[t].isOutput && child == nest.places.size())
      tensor.reads = merges(dense, t, place, out);
    tensor.writebacks = moved(tensor.writebacks, place, in, finished);
    if (tensor.finished)
      tensor.finished = moved(finished, passed, out, finished);
    if (tensor.fills != dense.fills || !(tensor.reads == dense.reads) ||
        !(tensor.updates == dense.updates) || tensor.writebacks != dense.writebacks)
      tensor.shares = {shareOf(t, place, place, dense.fills, tensor.fills),
                       shareOf(t, place, child, dense.reads.declared, tensor.reads.declared),
                       shareOf(t, place, child, dense.updates.declared, tensor.updates.declared),
                       shareOf(t, place, place, dense.writebacks, tensor.writebacks)};
    tensor.maxResident = words(t, place, place, static_cast<double>(tensor.maxResident), held);
    counts.maxResident += tensor.maxResident;
    counts.maxResidentBits += tensor.maxResident * held;
  }
}

void Applier::array(size_t place, ArrayCounts &counts) const {
  auto scale = [&](std::vector<llvm::Optional<NetworkCount>> &hops) {
    for (size_t t = 0; t < hops.size(); ++t) {
      llvm::Optional<size_t> from = parentOf(t, place);
      if (!hops[t] || !from)
        continue;
      size_t child = childOf(t, *from);
      double share = happening(t, *from, child);
      size_t tile = child < nest.places.size() ? child : *from;
      for (int64_t *count : {&hops[t]->shared, &hops[t]->separate, &hops[t]->declared})
        *count = words(t, *from, tile, static_cast<double>(*count) * share,
                       movedBits(nest, nest.places[*from], t));
    }
  };
  scale(counts.hops);
  scale(counts.hopEstimates);
}

Counts Applier::run(const Counts &dense) const {
  Counts counts = dense;
  size_t memories = 0, arrays = 0;
  for (size_t p = 0; p < nest.places.size(); ++p) {
    if (nest.places[p].kind == PlaceKind::Memory)
      memory(p, counts.memories[memories++]);
    else
      array(p, counts.arrays[arrays++]);
  }
  double share = sparsity.nonzeroShare(withGates);
  counts.macs = std::llround(static_cast<double>(dense.macs) * share);
  counts.finishedPoints = std::llround(static_cast<double>(dense.finishedPoints) * share);
  counts.steps = std::llround(static_cast<double>(dense.steps) * stepShare(nest, sparsity, shares));
  counts.denseSteps = dense.steps;
  return counts;
}

SparseCounts loopnest::applySparsity(const Nest &nest, const Sparsity &sparsity,
                                     const Counts &dense, LaneShares *shares) {
  return {Applier(nest, sparsity, /*withGates=*/true, shares).run(dense),
          Applier(nest, sparsity, /*withGates=*/false, shares).run(dense)};
}

llvm::Optional<Decoder> loopnest::decoderOf(const Sparsity &sparsity, const Counts &counts,
                                            size_t tensor) {
  llvm::Optional<Decoder> decoder;
  for (size_t m = 0; m < counts.memories.size(); ++m) {
    const MemoryCounts &memory = counts.memories[m];
    if (memory.tensors[tensor] && sparsity.tensors[tensor].storageAt(memory.name).isCompressed())
      decoder = Decoder{m, memory.tensors[tensor]->reads.declared};
  }
  return decoder;
}
