// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/MappingEvaluator.h"

#include "backends/loopnest/analysis/PartialWords.h"

using namespace perfc;
using namespace perfc::loopnest;

MappingEvaluator::MappingEvaluator(const MapSpace &space, const CostWeights &weights)
    : space(space), weights(weights), tiles(space), views(space), windows(space.tensors.size()),
      hopSums(space), loopNumbers(space.slots.size()), costs(space.tensors.size()),
      partial(space.nest.hasPartial()) {
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
      axisSlots |= uint32_t(1) << s;
    }
  for (const Crossing &crossing : space.crossings) { // tensor by tensor
    while (firstCrossing.size() <= crossing.tensor)
      firstCrossing.push_back(states.size());
    addState(crossing);
  }
  firstCrossing.push_back(states.size());
  listResources();
}

void MappingEvaluator::addState(const Crossing &crossing) {
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  State state;
  state.outside = (uint32_t(1) << crossing.end) - 1;
  state.atLanes = crossing.level == space.lanes();
  state.uneven = tensor.windowed | tensor.cut;
  state.bits = movedBits(space.nest, memoryOf(space.nest, crossing.parent), crossing.tensor);
  state.wider = static_cast<double>(state.bits) / static_cast<double>(tensor.bits);
  if (!state.atLanes)
    state.levelBits = movedBits(space.nest, memoryOf(space.nest, crossing.level), crossing.tensor);
  for (unsigned s = crossing.parentEnd; s < crossing.end; ++s) {
    const Slot &slot = space.slots[s];
    if (!slot.isAxis)
      continue;
    state.axes |= uint32_t(1) << s;
    if (tensor.isOutput ? slot.reduce : slot.multicast)
      state.sharing |= uint32_t(1) << s;
  }
  for (unsigned array : crossing.arrays) {
    state.arrayEnd = arrayEnd[array];
    state.hasHops |= weights.arrays[array].hop[crossing.tensor] != 0;
  }
  states.push_back(std::move(state));
}

/// Forgets what `mapping` changes. Flows depend on the loops outside their level; hops also on
/// where lanes lie, and on whether all lanes are decided.
void MappingEvaluator::moveTo(const Mapping &mapping, unsigned decided, uint32_t slots) {
  views.moveTo(mapping, slots);
  uint32_t factors = views.factorsChanged(), orders = views.ordersChanged();
  for (unsigned t = 0; t < windows.size() && factors; ++t)
    for (WindowSums &sums : windows[t])
      for (unsigned s = 0; s < space.slots.size(); ++s)
        if (factors >> s & 1)
          sums.setSlot(mapping, s);
  for (unsigned k = 0; k < states.size(); ++k) {
    State &state = states[k];
    unsigned t = space.crossings[k].tensor;
    uint32_t seen = state.atLanes ? views.amountsChanged(t) : views.seenChanged(t);
    if (seen & state.outside)
      state.flowKnown = state.hopsKnown = false;
    if (((factors | orders) & state.axes) || (state.uneven && (factors & state.outside)) ||
        (decided != decidedSlots && std::min(decided, decidedSlots) < state.arrayEnd))
      state.hopsKnown = false;
    bool known = state.flowKnown && state.hopsKnown;
    costs[t].known &= known && (decided == decidedSlots || !state.arrayEnd);
  }
  uint32_t axes = factors & axisSlots;
  bool otherLanes = axes || decided != decidedSlots || decided < space.slots.size();
  decidedSlots = decided;
  if (otherLanes)
    countInstances(decided);
}

bool MappingEvaluator::fits(const Mapping &mapping, unsigned low, unsigned high) const {
  for (unsigned m = 0; m < space.lanes(); ++m)
    if (weights.memories[m].capacityBits && (low == 0 || space.memorySlot[m] > low) &&
        space.memorySlot[m] <= high && tiles.bits(mapping, m) > *weights.memories[m].capacityBits)
      return false;
  return true;
}

/// Elements of the result whose sums are complete in a memory with `end` slots outside, or at the
/// lanes: all or none (see Finished.h). Lanes that add to one element hold parts of it to the end.
int64_t MappingEvaluator::finishedAt(unsigned memory, unsigned end) const {
  int64_t all = space.tensors[space.output].plainSize;
  bool complete =
      memory < space.lanes() ? views.outside(space.output, end).lanes == 1 : space.points == all;
  return complete ? all : 0;
}

/// What a word that takes links is on average, of `words` that cross, in partial sums.
double MappingEvaluator::linkShare(unsigned k, int64_t words) const {
  const Crossing &crossing = space.crossings[k];
  double wider = states[k].wider;
  if (crossing.tensor != space.output || wider == 1)
    return 1;
  auto finished = static_cast<double>(finishedAt(crossing.level, crossing.end));
  return 1 - finished * (wider - 1) / (static_cast<double>(words) * wider);
}

void MappingEvaluator::addCrossing(unsigned k, const CrossingWords &crossed, int64_t &fromZero,
                                   double &energy, int64_t *moved) const {
  const Crossing &crossing = space.crossings[k];
  const CrossingFlow &words = crossed.flow;
  unsigned t = crossing.tensor;
  bool output = t == space.output;
  const State &state = states[k];
  int64_t width = space.tensors[t].bits;
  int64_t done = output ? finishedAt(crossing.parent, crossing.parentEnd) : 0;
  int64_t finished = output ? finishedAt(crossing.level, crossing.end) : 0;
  int64_t back = output ? words.shared - fromZero : 0;
  int64_t reads = output ? words.declared - fromZero : words.declared;
  int64_t updates = output ? words.declared : 0;
  const MemoryWeights &parent = weights.memories[crossing.parent];
  energy += static_cast<double>(reads) * parent.read[t] +
            static_cast<double>(updates) * parent.update[t] -
            static_cast<double>(done) * parent.sparedUpdate;
  moved[2 * crossing.parent] += reads * state.bits;
  moved[2 * crossing.parent + 1] += updates * state.bits - done * (state.bits - width);
  if (!state.atLanes) {
    const MemoryWeights &level = weights.memories[crossing.level];
    int64_t emptied = output ? words.separate : 0, filled = output ? back : words.separate;
    energy += static_cast<double>(emptied) * level.read[t] +
              static_cast<double>(filled) * level.write[t] -
              static_cast<double>(finished) * level.sparedRead;
    moved[2 * crossing.level] += emptied * state.levelBits - finished * (state.levelBits - width);
    moved[2 * crossing.level + 1] += filled * state.levelBits;
    fromZero = words.separate - back;
  }
  double sizes = static_cast<double>(reads + updates) * state.wider -
                 static_cast<double>(finished) * (state.wider - 1); // in finished words
  for (unsigned array : crossing.arrays) {
    const ArrayWeights &on = weights.arrays[array];
    energy += sizes * on.word[t];
    if (decidedSlots == space.slots.size()) // a bound leaves it out
      energy += static_cast<double>(words.separate - words.declared) * state.wider * on.copy[t];
    for (unsigned n = 0; n < on.networks.size(); ++n)
      if (llvm::is_contained(on.networks[n].tensors, t))
        moved[firstNetwork[array] + n] +=
            (reads + updates) * state.bits - finished * (state.bits - width);
  }
  energy +=
      (crossed.hops + static_cast<double>(back) * crossed.backHops) * linkShare(k, reads + updates);
}

const TensorCost &MappingEvaluator::tensorCost(unsigned t) {
  if (costs[t].known)
    return costs[t];
  TensorCost &cost = costs[t];
  cost.energy = 0;
  cost.bits.assign(bits.size(), 0);
  int64_t fromZero = space.tensors[space.output].plainSize;
  for (unsigned k = firstCrossing[t]; k < firstCrossing[t + 1]; ++k)
    addCrossing(k, wordsOf(k), fromZero, cost.energy, cost.bits.data());
  cost.known = true;
  return cost;
}

Score MappingEvaluator::evaluate(const Mapping &mapping, unsigned decided) {
  ++(decided == space.slots.size() ? count : boundCount);
  moveTo(mapping, decided, ~uint32_t(0));
  double energy = 0;
  std::fill(bits.begin(), bits.end(), 0);
  for (unsigned t = 0; t < costs.size(); ++t) {
    const TensorCost &cost = tensorCost(t);
    energy += cost.energy;
    for (size_t i = 0; i < bits.size(); ++i)
      bits[i] += cost.bits[i];
  }
  return scoreOf(energy, bits.data());
}

double MappingEvaluator::crossingEnergy(const Mapping &mapping, const Crossing &crossing,
                                        const CrossingCost &cost, unsigned decided) {
  moveTo(mapping, decided, ~uint32_t(0));
  unsigned k = numberOf(crossing);
  double separate, energy = weighed(k, cost, separate);
  if (!states[k].hasHops)
    return energy;
  const CrossingWords &words = hops(k).words;
  int64_t all = space.tensors[crossing.tensor].plainSize;
  int64_t back = cost.readsBack ? words.flow.shared - all : 0;
  // No more than these words: with lanes that add to one element none is finished.
  double share = cost.linksAsPartial ? 1 : linkShare(k, 2 * words.flow.declared - all);
  return energy + (words.hops + static_cast<double>(back) * words.backHops) * share;
}

double MappingEvaluator::energyBeforeLanes(const Mapping &mapping, const Crossing &crossing,
                                           const CrossingCost &cost, unsigned decided,
                                           double least) {
  // Lanes bring no less of anything, and by windows they share less than they bring apart.
  bool grows = cost.declared >= 0 && cost.separate >= 0 && cost.copy >= 0 &&
               (cost.shared >= 0 || space.tensors[crossing.tensor].windows.empty());
  if (!grows)
    return least;
  moveTo(mapping, decided, ~uint32_t(0));
  double separate;
  return std::max(least, weighed(numberOf(crossing), cost, separate));
}

double MappingEvaluator::energyWithoutHops(const Mapping &mapping, const Crossing &crossing,
                                           const CrossingCost &cost, double &separate) {
  moveTo(mapping, decidedSlots, ~uint32_t(0));
  return weighed(numberOf(crossing), cost, separate);
}

double MappingEvaluator::weighed(unsigned crossing, const CrossingCost &cost, double &separate) {
  const CrossingFlow &words = flow(crossing);
  separate = static_cast<double>(words.separate);
  auto declared = static_cast<double>(words.declared);
  return declared * cost.declared + separate * cost.separate +
         static_cast<double>(words.shared) * cost.shared + (separate - declared) * cost.copy;
}

void MappingEvaluator::movedOutside(const Mapping &mapping, unsigned decided,
                                    llvm::SmallVectorImpl<double> &bits) {
  size_t first = bits.size();
  bits.append(2 * space.lanes(), 0);
  moveTo(mapping, decidedSlots, ~uint32_t(0));
  for (unsigned k = 0; k < states.size(); ++k) {
    const Crossing &crossing = space.crossings[k];
    if (crossing.end > decided || crossing.level == space.lanes())
      continue;
    auto words = static_cast<double>(flow(k).declared);
    double outer = words * static_cast<double>(states[k].bits);
    double inner = words * static_cast<double>(states[k].levelBits);
    bits[first + 2 * crossing.parent] += outer;
    bits[first + 2 * crossing.level + 1] += inner;
    if (crossing.tensor != space.output)
      continue;
    bits[first + 2 * crossing.parent + 1] += outer;
    bits[first + 2 * crossing.level] += inner;
  }
}
