// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/MappingEvaluator.h"

#include "backends/loopnest/analysis/Flow.h"
#include "backends/loopnest/analysis/ValueSet.h"
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

MappingEvaluator::MappingEvaluator(const MapSpace &space, const CostWeights &weights)
    : space(space), weights(weights), windows(space.tensors.size()) {
  for (unsigned t = 0; t < space.tensors.size(); ++t)
    for (const Window &window : space.tensors[t].windows)
      windows[t].emplace_back(space, window);
  arrayBegin.assign(weights.arrays.size(), 0);
  arrayEnd.assign(weights.arrays.size(), 0);
  for (unsigned s = 0; s < space.slots.size(); ++s)
    if (space.slots[s].isAxis) {
      unsigned a = space.slots[s].number;
      arrayBegin[a] = arrayEnd[a] ? arrayBegin[a] : s;
      arrayEnd[a] = s + 1;
    }
  totals.readBits.resize(space.lanes());
  totals.writeBits.resize(space.lanes());
  totals.moved.assign(space.lanes(), llvm::SmallVector<Moved, 4>(space.tensors.size(), Moved()));
  totals.crossingBits.resize(weights.arrays.size());
  for (auto &bits : totals.crossingBits)
    bits.resize(space.tensors.size());
}

//===-- Flows
//----------------------------------------------------------------------------------===//

uint32_t MappingEvaluator::axesOf(const Crossing &crossing) const {
  uint32_t mask = 0;
  for (unsigned s = crossing.parentEnd; s < crossing.end; ++s)
    if (space.slots[s].isAxis)
      mask |= uint32_t(1) << s;
  return mask;
}

uint32_t MappingEvaluator::sharing(const Crossing &crossing) const {
  bool output = crossing.tensor == space.output;
  uint32_t mask = 0;
  for (unsigned s = crossing.parentEnd; s < crossing.end; ++s)
    if (space.slots[s].isAxis && (output ? space.slots[s].reduce : space.slots[s].multicast))
      mask |= uint32_t(1) << s;
  return mask;
}

/// Lanes along dimensions that the tensor lacks, on axes outside the level but those of `without`.
int64_t MappingEvaluator::idleLanes(const Mapping &mapping, const Crossing &crossing,
                                    uint32_t without) const {
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  DimMask used = tensor.plain | tensor.windowed;
  int64_t product = 1;
  for (unsigned s = 0; s < crossing.end; ++s)
    if (space.slots[s].isAxis && !(without >> s & 1))
      for (unsigned d = 0; d < space.dims(); ++d)
        if (!(used >> d & 1))
          product *= mapping.factor[s][d];
  return product;
}

/// The loops in time outside the level, from the outside in: up to the innermost plain one they
/// make one event, each one after it is an event of its own.
void MappingEvaluator::windowEvents(const Mapping &mapping, const Crossing &crossing,
                                    WindowEvents &events) const {
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  WindowEvent now{WindowEvent::All};
  llvm::SmallVector<std::pair<uint8_t, uint8_t>, 32> loops; // slot, dimension
  size_t afterPlain = 0;
  for (unsigned s = 0; s < crossing.end; ++s)
    for (unsigned i = 0; !space.slots[s].isAxis && i < space.dims(); ++i) {
      uint8_t d = mapping.order[s][i];
      if (mapping.factor[s][d] == 1)
        continue;
      loops.push_back({static_cast<uint8_t>(s), d});
      if (tensor.plain >> d & 1)
        afterPlain = loops.size();
      if (tensor.windowOf[d] >= 0)
        ++now.inside[tensor.windowOf[d]];
    }
  bool lanes = crossing.level == space.lanes();
  if (lanes) {
    now.kind = WindowEvent::Every;
    afterPlain = loops.size();
  }
  for (size_t l = 0; l <= loops.size(); ++l) {
    if (l == afterPlain) {
      now.loop = static_cast<unsigned>(l);
      events.push_back(now);
    }
    if (l == loops.size())
      break;
    auto [slot, dim] = loops[l];
    int64_t factor = mapping.factor[slot][dim];
    int8_t w = tensor.windowOf[dim];
    WindowEvent event = now;
    event.loop = static_cast<unsigned>(l);
    if (w >= 0) {
      bool first = dim == tensor.windows[w].first;
      now.prefix[w][first ? 0 : 1] = slot + 1;
      --now.inside[w];
      event.prefix = now.prefix;
      event.inside = now.inside;
      event.kind = WindowEvent::Slide;
      event.window = w;
      event.carry = first ? Carry::First : Carry::Second;
    } else {
      event.kind = WindowEvent::Others;
      event.times = now.times * (factor - 1);
      if (!(tensor.plain >> dim & 1))
        now.times *= factor;
    }
    bool moves = w >= 0 || llvm::any_of(now.inside, [](uint8_t loops) { return loops > 0; });
    if (l >= afterPlain && moves)
      events.push_back(event);
  }
}

/// The sum over the epochs of what is new in them (see Transition.h), of a tensor with windows;
/// without the lanes of dimensions that it lacks.
int64_t MappingEvaluator::windowFlow(const Mapping &mapping, const Crossing &crossing,
                                     const WindowEvents &events, uint32_t joint) {
  std::vector<WindowSums> &sums = windows[crossing.tensor];
  int64_t flow = 0;
  for (const WindowEvent &event : events) {
    int64_t all = event.times, kept = event.times;
    for (unsigned w = 0; w < sums.size(); ++w) {
      bool slides = event.window == int(w);
      WindowQuery query{crossing.end,
                        joint,
                        event.prefix[w][0],
                        event.prefix[w][1],
                        slides ? event.carry : Carry::None,
                        false};
      int64_t sum = sums[w].get(mapping, query);
      all *= sum;
      query.kept = slides || event.inside[w] > 0;
      if (event.kind == WindowEvent::Others || event.kind == WindowEvent::Slide)
        kept *= query.kept ? sums[w].get(mapping, query) : sum;
      else
        kept = 0;
    }
    flow += all - kept;
  }
  return flow * space.tensors[crossing.tensor].plainSize;
}

CrossingFlow MappingEvaluator::flowOf(const Mapping &mapping, const Crossing &crossing) {
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  DimMask used = tensor.plain | tensor.windowed;
  Outside outside;
  for (unsigned s = 0; s < crossing.end; ++s) {
    if (space.slots[s].isAxis)
      continue;
    for (unsigned i = 0; i < space.dims(); ++i) {
      unsigned d = mapping.order[s][i];
      int64_t factor = mapping.factor[s][d];
      if (factor == 1)
        continue;
      if (used >> d & 1)
        outside.counted = outside.others;
      else
        outside.others *= factor;
    }
  }
  uint32_t all = axesOf(crossing), declared = sharing(crossing);
  bool lanes = crossing.level == space.lanes();
  WindowEvents events;
  if (!tensor.windows.empty())
    windowEvents(mapping, crossing, events);
  auto flow = [&](uint32_t joint) {
    int64_t words = !tensor.windows.empty()
                        ? windowFlow(mapping, crossing, events, joint)
                        : tensor.plainSize * (lanes ? outside.others : outside.counted);
    return words * idleLanes(mapping, crossing, joint);
  };
  CrossingFlow result;
  result.shared = flow(all);
  result.separate = all ? flow(0) : result.shared;
  result.declared = declared == all ? result.shared : declared ? flow(declared) : result.separate;
  return result;
}

//===-- Capacity
//-------------------------------------------------------------------------------===//

int64_t MappingEvaluator::tileBits(const Mapping &mapping, unsigned memory) const {
  int64_t tile[maxDims];
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t outside = 1;
    for (unsigned s = 0; s < space.memorySlot[memory]; ++s)
      outside *= mapping.factor[s][d];
    tile[d] = space.nest.dims[d].size / outside;
  }
  Checked bits = 0;
  for (unsigned t : space.nest.places[space.slots[space.memorySlot[memory]].place].keep) {
    Checked words = 1;
    for (const Subscript &rank : space.nest.tensors[t].ranks) {
      llvm::SmallVector<int64_t, 2> lengths;
      for (const Term &term : rank.terms)
        lengths.push_back(tile[term.dim]);
      Checked values = rank.terms.empty() ? Checked(1) : countValues(rank.terms, lengths);
      words *= rank.extent ? std::min(values.value(), *rank.extent) : values.value();
    }
    bits += words * Checked(space.tensors[t].bits);
  }
  return bits.overflowed() ? INT64_MAX : bits.value();
}

bool MappingEvaluator::fits(const Mapping &mapping) const {
  for (unsigned m = 0; m < space.lanes(); ++m)
    if (weights.memories[m].capacityBits &&
        tileBits(mapping, m) > *weights.memories[m].capacityBits)
      return false;
  return true;
}

//===-- Cost
//-----------------------------------------------------------------------------------===//

/// Time for `amount` at `rate` on `instances`: whole cycles where that is exact.
void MappingEvaluator::later(const Rate &rate, double amount, double instances) {
  if (!rate.given || amount == 0)
    return;
  if (!rate.isExact() || weights.clock == 0) {
    slowest = std::max(slowest, amount / (rate.perSecond * instances));
    return;
  }
  double cycles = amount * static_cast<double>(rate.denominator) /
                  (static_cast<double>(rate.numerator) * instances);
  // Whole cycles are exact beyond doubt only as integers.
  if (std::ceil(cycles) <= slowestExact && cycles < slowestExact - 0.5)
    return;
  __int128 above = static_cast<__int128>(amount) * rate.denominator;
  __int128 below = static_cast<__int128>(rate.numerator) * static_cast<int64_t>(instances);
  slowestExact = std::max(slowestExact, static_cast<double>((above + below - 1) / below));
}

void MappingEvaluator::addTimes(const Mapping &mapping, unsigned decided) {
  slowest = slowestExact = 0;
  int64_t instances = 1, left = space.points;
  for (unsigned s = 0; s < decided; ++s)
    for (unsigned d = 0; d < space.dims(); ++d)
      left /= mapping.factor[s][d];
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    const Slot &slot = space.slots[s];
    if (!slot.isAxis) {
      const MemoryWeights &memory = weights.memories[slot.number];
      auto read = static_cast<double>(totals.readBits[slot.number]);
      auto written = static_cast<double>(totals.writeBits[slot.number]);
      auto copies = static_cast<double>(instances);
      later(memory.bandwidth, read + written, copies);
      later(memory.readBandwidth, read, copies);
      later(memory.writeBandwidth, written, copies);
      continue;
    }
    if (slot.axis == 0)
      for (const ArrayWeights::Network &network : weights.arrays[slot.number].networks) {
        double bits = 0;
        for (unsigned t : network.tensors)
          bits += static_cast<double>(totals.crossingBits[slot.number][t]);
        later(network.bandwidth, bits, static_cast<double>(instances));
      }
    if (s >= decided) {
      int64_t most = std::min(left, slot.size);
      left = (left - 1) / most + 1;
      instances *= most;
    } else {
      for (unsigned d = 0; d < space.dims(); ++d)
        instances *= mapping.factor[s][d];
    }
  }
  // Lanes that a bound assumes need not divide the points.
  later(weights.compute,
        std::ceil(static_cast<double>(space.points) / static_cast<double>(instances)), 1);
}

/// Of what has been moved; sets the bits per memory.
double MappingEvaluator::memoryEnergy() {
  double energy = 0;
  for (unsigned m = 0; m < space.lanes(); ++m) {
    const MemoryWeights &memory = weights.memories[m];
    totals.readBits[m] = m == 0 ? weights.extraBits : 0;
    totals.writeBits[m] = 0;
    for (unsigned t = 0; t < space.tensors.size(); ++t) {
      const Moved &moved = totals.moved[m][t];
      int64_t bits = space.tensors[t].bits;
      energy += static_cast<double>(moved.read) * memory.read[t] +
                static_cast<double>(moved.filled) * memory.write[t] +
                static_cast<double>(moved.updated) * memory.update[t];
      totals.readBits[m] += moved.read * bits;
      totals.writeBits[m] += (moved.filled + moved.updated) * bits;
    }
  }
  return energy;
}

Score MappingEvaluator::evaluate(const Mapping &mapping, unsigned decided) {
  ++count;
  decidedSlots = decided;
  Score score;
  score.energy = weights.constantEnergy;
  for (auto &memory : totals.moved)
    std::fill(memory.begin(), memory.end(), Moved());
  int64_t fromZero = space.tensors[space.output].plainSize;
  for (const Crossing &crossing : space.crossings) {
    CrossingFlow flow = flowOf(mapping, crossing);
    const FlatTensor &tensor = space.tensors[crossing.tensor];
    unsigned t = crossing.tensor;
    int64_t back = tensor.isOutput ? flow.shared - fromZero : 0;
    int64_t reads = tensor.isOutput ? flow.declared - fromZero : flow.declared;
    int64_t updates = tensor.isOutput ? flow.declared : 0;
    totals.moved[crossing.parent][t].read += reads;
    totals.moved[crossing.parent][t].updated += updates;
    if (crossing.level < space.lanes()) {
      totals.moved[crossing.level][t].read += tensor.isOutput ? flow.separate : 0;
      totals.moved[crossing.level][t].filled += tensor.isOutput ? back : flow.separate;
    }
    for (unsigned array : crossing.arrays) {
      const ArrayWeights &costs = weights.arrays[array];
      score.energy += static_cast<double>(reads + updates) * costs.word[t];
      if (decided == space.slots.size()) // a bound leaves it out
        score.energy += static_cast<double>(flow.separate - flow.declared) * costs.copy[t];
      totals.crossingBits[array][t] = (reads + updates) * tensor.bits;
      if (costs.hop[t] != 0)
        score.energy += hopsOf(mapping, crossing, array, flow, back) * costs.hop[t];
    }
    if (tensor.isOutput && crossing.level < space.lanes())
      fromZero = flow.separate - back;
  }
  score.energy += memoryEnergy();
  addTimes(mapping, decided);
  double seconds = weights.clock > 0 ? slowestExact / weights.clock : slowestExact;
  score.latency = std::max(slowest, seconds) + weights.launch;
  score.energy += weights.leak * score.latency;
  return score;
}

double MappingEvaluator::crossingEnergy(const Mapping &mapping, const Crossing &crossing,
                                        const CrossingCost &cost, unsigned decided) {
  decidedSlots = decided;
  CrossingFlow flow = flowOf(mapping, crossing);
  auto separate = static_cast<double>(flow.separate), declared = static_cast<double>(flow.declared);
  double energy = declared * cost.declared + separate * cost.separate +
                  static_cast<double>(flow.shared) * cost.shared +
                  (separate - declared) * cost.copy;
  int64_t back = cost.readsBack ? flow.shared - space.tensors[crossing.tensor].plainSize : 0;
  for (unsigned array : crossing.arrays)
    if (double hop = weights.arrays[array].hop[crossing.tensor]; hop != 0)
      energy += hop * hopsOf(mapping, crossing, array, flow, back);
  return energy;
}

double MappingEvaluator::energyWithoutHops(const Mapping &mapping, const Crossing &crossing,
                                           const CrossingCost &cost, double &separate) {
  CrossingFlow flow = flowOf(mapping, crossing);
  separate = static_cast<double>(flow.separate);
  auto declared = static_cast<double>(flow.declared);
  return declared * cost.declared + separate * cost.separate +
         static_cast<double>(flow.shared) * cost.shared + (separate - declared) * cost.copy;
}

void MappingEvaluator::movedOutside(const Mapping &mapping, unsigned decided,
                                    llvm::SmallVectorImpl<double> &bits) {
  size_t first = bits.size();
  bits.append(2 * space.lanes(), 0);
  for (const Crossing &crossing : space.crossings) {
    if (crossing.end > decided || crossing.level == space.lanes())
      continue;
    double moved = static_cast<double>(flowOf(mapping, crossing).declared) *
                   static_cast<double>(space.tensors[crossing.tensor].bits);
    bits[first + 2 * crossing.parent] += moved;
    bits[first + 2 * crossing.level + 1] += moved;
    if (crossing.tensor != space.output)
      continue;
    bits[first + 2 * crossing.parent + 1] += moved;
    bits[first + 2 * crossing.level] += moved;
  }
}
