// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/ChainBounds.h"

#include "backends/loopnest/analysis/Analyse.h"
#include "ir/common/Rational.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

/// Whether the subscript's values outside its extent are padding.
static Rank rankOf(const MapSpace &space, const Subscript &subscript) {
  return normalise(space.nest, subscript);
}

/// The share of the settings of a rank's dimensions whose element is not padding; 0 where that is
/// not counted.
static double insideShare(const MapSpace &space, const Rank &rank) {
  if (!rank.extent)
    return 1;
  if (rank.terms.empty())
    return 0;
  if (rank.terms.size() == 1) {
    int64_t size = space.nest.dims[rank.terms[0].dim].size;
    IndexRange range = unpadded(rank, size);
    return double(std::max<int64_t>(0, range.high - range.low)) / double(size);
  }
  int64_t n = space.nest.dims[rank.terms[0].dim].size, m = space.nest.dims[rank.terms[1].dim].size;
  if (rank.terms.size() > 2 || n > (1 << 20) / m)
    return 0;
  int64_t good = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) {
      int64_t at = rank.constant + rank.terms[0].coefficient * i + rank.terms[1].coefficient * j;
      good += at >= 0 && at < *rank.extent ? 1 : 0;
    }
  return double(good) / (double(n) * double(m));
}

/// The fewest steps when the lanes of `budget` are given to any of the indices: a dynamic program
/// over indices, whose states are what is left of the budget.
static double fewestSteps(const MapSpace &space, int64_t budget) {
  constexpr int64_t mostBudget = 1 << 14;
  if (budget > mostBudget) {
    double points = double(space.points);
    return std::max(1.0, points / double(budget));
  }
  std::map<int64_t, double> best{{budget, 1.0}};
  for (const Dim &dim : space.nest.dims) {
    std::map<int64_t, double> next;
    for (const auto &[left, steps] : best)
      for (int64_t lanes = 1; lanes <= std::min(left, dim.size);) {
        int64_t passes = ceilDivide(dim.size, lanes);
        auto at = next.insert({left / lanes, HUGE_VAL}).first;
        at->second = std::min(at->second, steps * double(passes));
        if (passes == 1)
          break;
        lanes = ceilDivide(dim.size, passes - 1); // the fewest lanes with fewer passes
      }
    best = std::move(next);
  }
  double least = HUGE_VAL;
  for (const auto &entry : best)
    least = std::min(least, entry.second);
  return least;
}

ChainBounds::ChainBounds(const MapSpace &space, const CostWeights &weights,
                         std::vector<int64_t> elements)
    : space(space), weights(weights), tiles(space), firstAxis(space.slots.size()) {
  facts.elements = std::move(elements);
  for (unsigned t = 0; t < space.tensors.size(); ++t) {
    double share = 1;
    DimMask cut = 0, used = 0;
    for (const Subscript &subscript : space.nest.tensors[t].ranks) {
      Rank rank = rankOf(space, subscript);
      double own = insideShare(space, rank);
      for (const Term &term : rank.terms) {
        // Ranks that share a dimension have no share of their own.
        if (rank.extent && used >> term.dim & 1)
          own = 0;
        used |= DimMask(1) << term.dim;
        cut |= rank.extent ? DimMask(1) << term.dim : 0;
      }
      share *= own;
    }
    if (!space.isFlat && cut)
      share = 0;
    facts.accesses.push_back(double(space.points) * share);
    facts.padded.push_back(cut);
  }
  int64_t budget = 1;
  leastSteps.push_back(fewestSteps(space, 1));
  for (unsigned s = space.slots.size(); s-- > 0;)
    if (space.slots[s].isAxis) {
      firstAxis = s;
      budget = space.slots[s].size > (int64_t(1) << 40) / budget ? int64_t(1) << 40
                                                                 : budget * space.slots[s].size;
      leastSteps.push_back(fewestSteps(space, budget));
    }
  for (const Crossing &crossing : space.crossings)
    stops.push_back(TileFloors::stopOf(space, crossing));
}

void ChainBounds::useFloors(bool imperfect, unsigned mostBoxes) {
  floors = std::make_shared<TileFloors>(space, weights, facts, tiles, imperfect, mostBoxes);
}

std::vector<int64_t> ChainBounds::elementsOf(const MapSpace &space) {
  std::vector<int64_t> elements(space.tensors.size(), 0);
  AnalysisOptions options;
  options.hops = false;
  AnalysisResult result = analyse(space.withLoops(space.emptyMapping()), options);
  if (result.counts)
    for (unsigned t = 0; t < elements.size(); ++t)
      if (const auto &counts = result.counts->memories[0].tensors[t])
        elements[t] = counts->maxResident;
  return elements;
}

ChainNode ChainBounds::rootOf(const MapSpace &space) {
  ChainNode node;
  node.mapping = space.emptyMapping();
  node.mapping.factor[0].fill(1);
  for (auto &inside : node.inside)
    for (unsigned d = 0; d < space.dims(); ++d)
      inside[d] = space.nest.dims[d].size;
  return node;
}

/// Positions on the axes among slots `from` to `to`: the loops of decided ones, all of the others.
double ChainBounds::lanesBetween(const ChainNode &node, unsigned decided, unsigned from,
                                 unsigned to) const {
  double lanes = 1;
  for (unsigned s = from; s < to; ++s) {
    if (!space.slots[s].isAxis)
      continue;
    if (s >= decided) {
      lanes *= double(space.slots[s].size);
      continue;
    }
    for (unsigned d = 0; d < space.dims(); ++d)
      lanes *= double(node.mapping.factor[s][d]);
  }
  return lanes;
}

double ChainBounds::stepsAtLeast(const ChainNode &node, unsigned decided) const {
  unsigned open = 0;
  double decidedLanes = 1, byPoints = 1;
  std::array<int64_t, maxDims> lanes;
  lanes.fill(1);
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    if (!space.slots[s].isAxis)
      continue;
    if (s >= decided) {
      ++open;
      continue;
    }
    for (unsigned d = 0; d < space.dims(); ++d) {
      lanes[d] *= node.mapping.factor[s][d];
      decidedLanes *= double(node.mapping.factor[s][d]);
    }
  }
  for (unsigned d = 0; d < space.dims(); ++d)
    byPoints *= double(ceilDivide(space.nest.dims[d].size, lanes[d]));
  double openLanes = lanesBetween(node, 0, 0, space.slots.size());
  double decidedSizes = 1;
  for (unsigned s = 0; s < decided; ++s)
    decidedSizes *= space.slots[s].isAxis ? double(space.slots[s].size) : 1;
  openLanes /= decidedSizes;
  // Lanes cover what they cover whichever axis they stand on.
  return std::max(std::ceil(byPoints / openLanes - 1e-9), leastSteps[open] / decidedLanes);
}

//===-- Words
//----------------------------------------------------------------------------------===//

/// Passes of a window's index are far enough apart that no element is in the tiles of all.
bool ChainBounds::windowsApart(const ChainNode &node, unsigned tensor, unsigned dim,
                               unsigned end) const {
  int8_t number = space.tensors[tensor].windowOf[dim];
  if (!space.isFlat || number < 0)
    return false;
  const Window &window = space.tensors[tensor].windows[number];
  bool first = window.first == dim;
  int64_t own = std::abs(first ? window.a : window.b);
  int64_t other = std::abs(first ? window.b : window.a);
  int64_t tile = node.inside[end][dim];
  int64_t reach = node.inside[end][first ? window.second : window.first];
  return ceilDivide(space.nest.dims[dim].size, tile) >= 3 && own * (tile + 1) > other * (reach - 1);
}

/// Loops are walked from the inside. A loop over a dimension that the tensor lacks counts when,
/// between two of its steps, every instance that works has had a tile without the element at hand:
/// `full` when that is so for all elements, `partly` for all but the share `kept`.
struct ChainBounds::Walk {
  bool full = false, partly = false;
  double kept = 1;   ///< share of the elements that lanes which idle could have held on to
  double passes = 1; ///< through tiles that are no last ones
};

double ChainBounds::words(const ChainNode &node, unsigned decided, unsigned tensor,
                          unsigned end) const {
  const FlatTensor &t = space.tensors[tensor];
  bool hasLanes = end > firstAxis;
  unsigned stop = std::min({end, decided, hasLanes ? firstAxis : end});
  std::array<int, maxDims> loopsLeft{};
  DimMask partial = 0; // the last pass of the outermost loop has fewer steps of those inside
  for (unsigned s = stop; s-- > 0;)
    for (unsigned d = 0; d < space.dims(); ++d)
      if (node.mapping.factor[s][d] > 1) {
        ++loopsLeft[d];
        DimMask bit = DimMask(1) << d;
        partial = space.nest.dims[d].size % node.inside[s + 1][d] ? partial | bit : partial & ~bit;
      }
  Walk walk;
  double partlyShare = 0;
  std::array<int64_t, maxDims> full{}, all{}; // passes by dimension that count
  full.fill(1);
  all.fill(1);
  for (unsigned s = stop; s-- > 0;)
    for (unsigned i = space.dims(); i-- > 0;) {
      unsigned d = node.mapping.order[s][i];
      if (node.mapping.factor[s][d] == 1)
        continue;
      bool isOutermost = --loopsLeft[d] == 0;
      int64_t size = space.nest.dims[d].size, tile = node.inside[stop][d];
      bool ragged = size % tile != 0;
      if (t.plain >> d & 1) {
        if (!isOutermost && partial >> d & 1)
          continue;
        if (!ragged || !hasLanes) {
          walk.full = true;
          continue;
        }
        int64_t passes = ceilDivide(size, tile) - 1;
        walk.passes *= double(passes);
        // Lanes that idle in the second of two passes hold what is beyond it.
        walk.kept *= passes > 1 || facts.padded[tensor] >> d & 1
                         ? 1
                         : double(2 * tile - size) / double(size);
        walk.full |= walk.passes > 1;
        walk.partly |= walk.kept < 1;
      } else if (t.windowed >> d & 1) {
        walk.full |= !hasLanes && isOutermost && windowsApart(node, tensor, d, stop);
      } else if (walk.full || walk.partly) {
        int64_t count = ceilDivide(size, node.inside[s + 1][d]);
        if (walk.full)
          full[d] = std::max(full[d], count);
        else if (partlyShare == 0)
          partlyShare = 1 - walk.kept;
        all[d] = std::max(all[d], count);
      }
    }
  double whole = 1, most = 1;
  for (unsigned d = 0; d < space.dims(); ++d) {
    whole *= double(full[d]);
    most *= double(all[d]);
  }
  return double(facts.elements[tensor]) * (partlyShare * most + (1 - partlyShare) * whole);
}

/// Each lane reads in each step; lanes that a message serves together share it. Those along an
/// index that is a rank of the tensor read other elements.
double ChainBounds::laneWords(const ChainNode &node, unsigned decided,
                              const Crossing &crossing) const {
  unsigned t = crossing.tensor;
  double shared = 1;
  for (unsigned s = crossing.parentEnd; s < crossing.end; ++s) {
    if (!TileFloors::sharesAlong(space, s, t))
      continue;
    if (s >= decided)
      shared *= double(space.slots[s].size);
    else
      for (unsigned d = 0; d < space.dims(); ++d)
        shared *= space.tensors[t].plain >> d & 1 ? 1 : double(node.mapping.factor[s][d]);
  }
  return std::max(words(node, decided, t, crossing.end), facts.accesses[t] / shared);
}

//===-- Costs
//----------------------------------------------------------------------------------===//

namespace {

/// Bits through one memory, at least.
struct MemoryBits {
  double read = 0, written = 0;
};

double secondsOf(const Rate &rate, double amount) {
  return rate.given && rate.perSecond > 0 ? amount / rate.perSecond : 0;
}

} // namespace

/// Flows that one tile settles together, by where it is (`stops`), cost at least their floor.
struct ChainBounds::Flows {
  std::array<double, maxSlots + 1> energies{}; ///< J, but for deliveries
  std::array<llvm::SmallVector<MemoryBits, maxSlots>, maxSlots + 1> bits;
  double delivering = 0; ///< J
};

void ChainBounds::addFlow(const ChainNode &node, unsigned decided, unsigned k, Flows &flows) const {
  const Crossing &crossing = space.crossings[k];
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  bool atLanes = crossing.level == space.lanes();
  double moved = atLanes ? laneWords(node, decided, crossing)
                         : words(node, decided, crossing.tensor, crossing.end);
  const MemoryWeights &parent = weights.memories[crossing.parent];
  double size = double(tensor.bits), &energy = flows.energies[stops[k]];
  auto &own = flows.bits[stops[k]];
  own.resize(space.lanes());
  double perDelivery = TileFloors::perDelivery(space, weights, crossing);
  energy -= moved * perDelivery;
  flows.delivering += facts.accesses[crossing.tensor] * perDelivery;
  for (unsigned array : crossing.arrays)
    energy += moved * weights.arrays[array].word[crossing.tensor];
  if (!tensor.isOutput) {
    energy += moved * parent.read[crossing.tensor];
    own[crossing.parent].read += moved * size;
    if (!atLanes) {
      energy += moved * weights.memories[crossing.level].write[crossing.tensor];
      own[crossing.level].written += moved * size;
    }
    return;
  }
  // What arrives is added to what is there, but for the first time, which begins from zero; then
  // the sum leaves, which is one more read, except from the outermost memory.
  double again =
      crossing.parent == 0 ? std::max(0.0, moved - double(facts.elements[crossing.tensor])) : moved;
  energy += moved * parent.update[crossing.tensor] + again * parent.read[crossing.tensor];
  own[crossing.parent].written += moved * size;
  own[crossing.parent].read += again * size;
}

/// Seconds that memory `m` takes for `flows`.
double ChainBounds::memoryTime(const ChainNode &node, unsigned decided, unsigned m,
                               const Flows &flows) const {
  double instances = lanesBetween(node, decided, 0, space.memorySlot[m]), all = 0;
  MemoryBits sum{m == 0 ? double(weights.extraBits) : 0, 0};
  for (unsigned stop = 0; stop <= space.slots.size(); ++stop) {
    if (flows.bits[stop].empty())
      continue;
    const MemoryBits &own = flows.bits[stop][m];
    sum.read += own.read;
    sum.written += own.written;
    all += std::max(own.read + own.written, floors ? floors->bits(stop, m) : 0);
  }
  all += m == 0 ? double(weights.extraBits) : 0;
  const MemoryWeights &memory = weights.memories[m];
  return std::max({secondsOf(memory.bandwidth, all / instances),
                   secondsOf(memory.readBandwidth, sum.read / instances),
                   secondsOf(memory.writeBandwidth, sum.written / instances)});
}

/// Seconds before compute begins and after its end, while first tiles come into memories that are
/// buffered and last ones leave: where one instance of a memory has one parent, outside all arrays.
double ChainBounds::edgeTime(const ChainNode &node, unsigned decided) const {
  double sum = 0;
  for (unsigned m = 1; m < space.lanes() && space.memorySlot[m] < firstAxis; ++m) {
    if (!weights.memories[m].isBuffered)
      continue;
    // What is open covers one value of each index at least.
    ChainTiles::Tile tile = node.inside[space.memorySlot[m]];
    if (space.memorySlot[m] > decided)
      tile.fill(1);
    double into = 0, outOf = 0, back = 0;
    std::vector<double> fromParent(m, 0.0);
    for (const Crossing &crossing : space.crossings) {
      if (crossing.level != m)
        continue;
      double bits = tiles.leastBits(m, crossing.tensor, tile);
      const MemoryWeights &own = weights.memories[m], &parent = weights.memories[crossing.parent];
      auto time = [&](const MemoryWeights &memory, const Rate &rate) {
        return secondsOf(rate.given ? rate : memory.bandwidth, bits);
      };
      if (space.tensors[crossing.tensor].isOutput) {
        outOf += time(own, own.readBandwidth);
        back += time(parent, parent.writeBandwidth);
      } else {
        into += time(own, own.writeBandwidth);
        fromParent[crossing.parent] += time(parent, parent.readBandwidth);
      }
    }
    double load = *std::max_element(fromParent.begin(), fromParent.end());
    sum += std::max(into, load) + std::max(outOf, back);
  }
  return sum;
}

Score ChainBounds::bound(const ChainNode &node, unsigned decided) const {
  if (isCut())
    return {0, weights.launch};
  Flows flows;
  for (unsigned k = 0; k < space.crossings.size(); ++k)
    addFlow(node, decided, k, flows);
  Score score;
  score.energy = 0;
  for (unsigned stop = 0; stop <= space.slots.size(); ++stop)
    score.energy += std::max(flows.energies[stop], floors ? floors->energy(stop) : 0);
  score.energy = std::max(score.energy, floors ? floors->energy() : 0);
  score.energy += flows.delivering + weights.constantEnergy - weights.spared;
  score.latency = secondsOf(weights.compute, stepsAtLeast(node, decided));
  score.latency += edgeTime(node, decided);
  for (unsigned m = 0; m < space.lanes(); ++m)
    score.latency = std::max(score.latency, memoryTime(node, decided, m, flows));
  // Sums of doubles, and conversions to seconds, may round up.
  score.latency = std::max(0.0, score.latency * (1 - 1e-9) + weights.launch);
  score.energy = std::max(0.0, (score.energy + weights.leak * score.latency) * (1 - 1e-9));
  return score;
}
