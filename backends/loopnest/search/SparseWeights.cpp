// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/SparseWeights.h"

#include "backends/loopnest/analysis/PartialWords.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

/// What rounding may make of sums of probabilities, relatively.
static constexpr double probabilityError = 1e-8;

namespace {

/// What is left of the counts of one tensor at a memory, at least.
struct MemoryShares {
  double read = 1;   ///< and sent on
  double write = 1;  ///< filled
  double update = 1; ///< partial sums that arrive
  double moved = 1;  ///< of all together
  bool isAll() const { return read == 1 && write == 1 && update == 1; }
};

/// The same on the links of an array.
struct LinkShares {
  double word = 1, link = 1;
};

/// Shares with the savings of one kind: all, or those that skip.
class Shares {
public:
  Shares(const Nest &nest, const Sparsity &zeros, bool withGates)
      : nest(nest), zeros(zeros), withGates(withGates) {}

  MemoryShares atMemory(size_t place, unsigned tensor) const;
  LinkShares onLinks(size_t array, unsigned tensor) const;

private:
  double happening(llvm::Optional<unsigned> tensor) const;
  bool servesLanes(size_t memory, unsigned tensor) const;
  double arriving(size_t memory, unsigned tensor) const;

  const Nest &nest;
  const Sparsity &zeros;
  bool withGates;
};

} // namespace

static bool keeps(const Place &place, unsigned tensor) {
  return place.kind == PlaceKind::Memory && llvm::is_contained(place.keep, tensor);
}

/// Words that an element takes at a memory. What partial sums take besides is not known there.
static double storedShare(const Nest &nest, const Sparsity &zeros, const Place &memory,
                          unsigned tensor) {
  const Tensor &words = nest.tensors[tensor];
  double bits = words.isOutput ? HUGE_VAL : 8 * bytesOf(nest, words.bitsPerWord);
  const SparseTensor &sparse = zeros.tensors[tensor];
  double share = leastWords(sparse.storageAt(memory.name), sparse.shape, sparse.density, bits);
  return share == 1 ? 1 : share * (1 - probabilityError);
}

/// The share of the transfers of a tensor that happens, or of those of points.
double Shares::happening(llvm::Optional<unsigned> tensor) const {
  double share = 1;
  for (unsigned condition : zeros.conditions(withGates, tensor)) {
    const SparseTensor &leader = zeros.tensors[condition];
    share *= leader.density.leastTouched(leader.shape) * (1 - probabilityError);
  }
  return share;
}

bool Shares::servesLanes(size_t memory, unsigned tensor) const {
  for (size_t p = memory + 1; p < nest.places.size(); ++p)
    if (keeps(nest.places[p], tensor))
      return false;
  return true;
}

/// Of a result, the share of sums that arrive: points that are not executed send none.
double Shares::arriving(size_t memory, unsigned tensor) const {
  return happening(servesLanes(memory, tensor) ? llvm::None : llvm::Optional<unsigned>(tensor));
}

MemoryShares Shares::atMemory(size_t place, unsigned tensor) const {
  double stored = storedShare(nest, zeros, nest.places[place], tensor);
  double own = happening(tensor);
  MemoryShares shares;
  shares.read = shares.write = shares.update = shares.moved = stored * own;
  if (!nest.tensors[tensor].isOutput)
    return shares;
  double sums = arriving(place, tensor);
  shares.update = stored * sums;
  if (!servesLanes(place, tensor) || zeros.conditions(withGates).empty())
    return shares;
  // The outermost memory sends nothing on.
  shares.read = place == 0 ? 0 : stored * sums * own;
  shares.moved = place == 0 ? stored * sums / (2 - sums) : shares.read;
  return shares;
}

LinkShares Shares::onLinks(size_t array, unsigned tensor) const {
  size_t memory = array;
  while (memory > 0 && !keeps(nest.places[memory - 1], tensor))
    --memory;
  if (memory-- == 0)
    return {};
  double stored = storedShare(nest, zeros, nest.places[memory], tensor);
  if (!nest.tensors[tensor].isOutput)
    return {stored * happening(tensor), stored * happening(tensor)};
  double sums = arriving(memory, tensor);
  bool areMerged = servesLanes(memory, tensor) && !zeros.conditions(withGates).empty();
  return {stored * (areMerged ? sums / (2 - sums) : sums), stored * sums};
}

/// A rate that takes the share of the time; none for nothing.
static void scale(Rate &rate, double share) {
  if (share == 1)
    return;
  rate.given &= share > 0;
  rate.numerator = 0;
  rate.denominator = 1;
  rate.perSecond /= share;
}

namespace {

/// Scales weights, and collects what rounding takes off counts.
class Scaler {
public:
  Scaler(CostWeights &weights, const Nest &nest, const Sparsity &zeros)
      : weights(weights), nest(nest), zeros(zeros), powered(nest, zeros, /*withGates=*/true),
        timed(nest, zeros, /*withGates=*/false) {}
  void run();

private:
  /// Rounded counts of a tensor, half a word each: finished words are told from partial sums.
  double readRoundings(unsigned t) const { return nest.tensors[t].isOutput ? 1.5 : 0.5; }
  double updateRoundings(unsigned t) const { return nest.tensors[t].isOutput ? 1 : 0; }
  double bitsOf(unsigned t) const {
    int64_t bits = nest.tensors[t].bitsPerWord;
    for (const Place &place : nest.places)
      bits = std::max(bits, movedBits(nest, place, t));
    return static_cast<double>(bits);
  }
  void takeTime(Rate &rate, double share, double rounded);
  void memory(size_t place, MemoryWeights &own);
  void array(size_t place, ArrayWeights &own);

  CostWeights &weights;
  const Nest &nest;
  const Sparsity &zeros;
  Shares powered, timed;
  double energy = 0;  ///< J that are not spent for sure
  double seconds = 0; ///< that roundings take off, of the resource where they are most
};

} // namespace

void Scaler::takeTime(Rate &rate, double share, double rounded) {
  if (rate.given && rate.perSecond > 0)
    seconds = std::max(seconds, rounded / rate.perSecond);
  scale(rate, share);
}

void Scaler::memory(size_t place, MemoryWeights &own) {
  own.isBuffered = false;
  MemoryShares least;
  double read = 0, written = 0; // bits that roundings take off
  for (unsigned t : nest.places[place].keep) {
    MemoryShares shares = powered.atMemory(place, t);
    if (shares.isAll())
      continue;
    energy +=
        readRoundings(t) * own.read[t] + 0.5 * own.write[t] + updateRoundings(t) * own.update[t];
    own.read[t] *= shares.read;
    own.write[t] *= shares.write;
    own.update[t] *= shares.update;
    MemoryShares times = timed.atMemory(place, t);
    if (times.isAll())
      continue;
    read += readRoundings(t) * bitsOf(t);
    written += (0.5 + updateRoundings(t)) * bitsOf(t);
    least.read = std::min(least.read, times.read);
    least.write = std::min({least.write, times.write, times.update});
    least.moved = std::min(least.moved, times.moved);
  }
  takeTime(own.bandwidth, std::min(least.moved, least.write), read + written);
  takeTime(own.readBandwidth, least.read, read);
  takeTime(own.writeBandwidth, least.write, written);
}

void Scaler::array(size_t place, ArrayWeights &own) {
  for (unsigned t = 0; t < nest.tensors.size(); ++t) {
    LinkShares shares = powered.onLinks(place, t);
    if (shares.word == 1)
      continue;
    double wider = bitsOf(t) / static_cast<double>(nest.tensors[t].bitsPerWord);
    energy += wider * ((0.5 + updateRoundings(t)) * own.word[t] + 0.5 * own.hop[t] + own.copy[t]);
    own.word[t] *= shares.word;
    own.hop[t] *= shares.link;
    own.copy[t] *= shares.link;
  }
  for (ArrayWeights::Network &network : own.networks) {
    double least = 1, rounded = 0;
    for (unsigned t : network.tensors)
      if (double share = timed.onLinks(place, t).word; share != 1) {
        rounded += (0.5 + updateRoundings(t)) * bitsOf(t);
        least = std::min(least, share);
      }
    takeTime(network.bandwidth, least, rounded);
  }
}

void Scaler::run() {
  size_t memories = 0, arrays = 0;
  for (size_t p = 0; p < nest.places.size(); ++p)
    if (nest.places[p].kind == PlaceKind::Memory)
      memory(p, weights.memories[memories++]);
    else
      array(p, weights.arrays[arrays++]);
  double points = 1;
  for (const Dim &dim : nest.dims)
    points *= static_cast<double>(dim.size);
  double executed = zeros.nonzeroShare(/*withGates=*/true);
  energy += weights.pointEnergy * (points * (1 - executed * (1 - probabilityError)) + 0.5);
  if (double steps = zeros.nonzeroShare(/*withGates=*/false); steps != 1)
    takeTime(weights.compute, steps * (1 - probabilityError), 0.5);
  weights.constantEnergy -= energy;
  weights.launch -= seconds;
}

CostWeights loopnest::withZeros(const CostWeights &dense, const Nest &nest, const Sparsity &zeros) {
  CostWeights weights = dense;
  Scaler(weights, nest, zeros).run();
  return weights;
}

std::vector<llvm::SmallVector<double, 4>> loopnest::leastHeld(const Nest &nest,
                                                              const Sparsity &zeros) {
  std::vector<llvm::SmallVector<double, 4>> held;
  for (const Place &place : nest.places) {
    if (place.kind != PlaceKind::Memory)
      continue;
    held.emplace_back();
    for (unsigned t = 0; t < nest.tensors.size(); ++t)
      held.back().push_back(storedShare(nest, zeros, place, t));
  }
  return held;
}
