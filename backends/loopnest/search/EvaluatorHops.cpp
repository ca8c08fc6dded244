// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links that words take in an array: in closed form where each lane gets what it needs alone or
// with all lanes of an axis; by the sums of the analysis, remembered, where windows share in part.
#include "backends/loopnest/search/MappingEvaluator.h"

#include "backends/loopnest/analysis/Delivery.h"
#include "backends/loopnest/analysis/Flow.h"
#include "backends/loopnest/analysis/HopFactors.h"
#include "backends/loopnest/search/AxisPositions.h"

using namespace perfc;
using namespace perfc::loopnest;

static AxisPositions positionsOn(const MapSpace &space, const Mapping &mapping, unsigned slot,
                                 DimMask used, bool shares, bool relevantOnly) {
  AxisPositions result;
  for (unsigned i = space.dims(); i-- > 0;) {
    unsigned d = mapping.order[slot][i];
    result.addLoop(mapping.factor[slot][d], used >> d & 1, shares, relevantOnly);
  }
  return result;
}

/// By dimension; each is written in nine characters.
static void sortLoops(std::string &loops) {
  for (size_t i = 9; i < loops.size(); i += 9)
    for (size_t k = i; k > 0 && loops[k] < loops[k - 9]; k -= 9)
      std::swap_ranges(&loops[k], &loops[k] + 9, &loops[k - 9]);
}

/// Sum of the links of the trees to all positions told apart; only those of the first axis when
/// `half`.
static int64_t treeLinks(const AxisPositions &x, const AxisPositions &y, int64_t middle,
                         bool half) {
  int64_t along = y.settings * (x.sum() + x.settings * x.reach);
  return half ? along : along + x.settings * x.together * y.spans(middle);
}

const MappingEvaluator::State &MappingEvaluator::hops(unsigned k) {
  State &state = states[k];
  if (!state.hopsKnown) {
    state.words.hops = state.words.backHops = 0;
    flow(k);
    for (unsigned array : space.crossings[k].arrays)
      if (weights.arrays[array].hop[space.crossings[k].tensor] != 0)
        addHops(k, array);
    state.hopsKnown = true;
  }
  return state;
}

void MappingEvaluator::addHops(unsigned k, unsigned array) {
  const Crossing &crossing = space.crossings[k];
  State &state = states[k];
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  double energy = weights.arrays[array].hop[crossing.tensor] * state.wider;
  DimMask used = tensor.plain | tensor.windowed;
  unsigned begin = arrayBegin[array], end = arrayEnd[array];
  DimMask spread = 0, onTheWay = 0;
  int64_t copies = 1; // messages per word that enters once, in other arrays on the way
  for (uint32_t axes = state.axes; axes; axes &= axes - 1) {
    unsigned s = llvm::countTrailingZeros(axes);
    bool own = s >= begin && s < end, together = s >= end && (state.sharing >> s & 1);
    for (uint8_t d : views.loops(s)) {
      onTheWay |= DimMask(1) << d;
      spread |= DimMask(own) << d;
    }
    if (!own && !together)
      copies *= views.view(crossing.tensor, s).others;
  }
  if (!spread)
    return; // an array without loops is not on the way
  // Where the second axis is open, lanes may still turn out to lie near the middle.
  bool half = decidedSlots < end;
  if (onTheWay & state.uneven) {
    if (!half)
      state.words.hops += windowHops(k, array) * energy;
    return;
  }
  auto on = [&](unsigned axis, bool relevantOnly) {
    unsigned s = begin + axis;
    return s < end
               ? positionsOn(space, views.mapping(), s, used, state.sharing >> s & 1, relevantOnly)
               : AxisPositions();
  };
  int64_t middle = end - begin > 1 ? (space.slots[begin + 1].size - 1) / 2 : 0;
  AxisPositions x = on(0, true), y = on(1, true);
  auto settings = static_cast<double>(x.settings * y.settings);
  state.words.hops +=
      static_cast<double>(state.words.flow.shared) / settings * static_cast<double>(copies) *
      static_cast<double>(treeLinks(on(0, false), on(1, false), middle, half)) * energy;
  if (tensor.isOutput && !state.atLanes)
    state.words.backHops += static_cast<double>(treeLinks(x, y, middle, half)) / settings * energy;
}

/// What the hops of an event depend on: the loops on the axes of the crossing, those of windows and
/// of ranks with padding everywhere outside the level.
void MappingEvaluator::hopKey(const Crossing &crossing, const State &state, unsigned array,
                              llvm::SmallVectorImpl<uint64_t> &key) {
  const Mapping &mapping = views.mapping();
  key.push_back(numberOf(crossing) | uint64_t(array) << 32);
  std::string loops;
  for (unsigned s = 0; s < crossing.end; ++s) {
    bool between = state.axes >> s & 1;
    loops.clear();
    for (uint8_t d : views.loops(s))
      if (between || state.uneven >> d & 1) {
        loops += char(d);
        int64_t factor = mapping.factor[s][d];
        loops.append(reinterpret_cast<const char *>(&factor), sizeof factor);
      }
    // The order of loops in time is known from the event.
    if (!between)
      sortLoops(loops);
    key.push_back(loopNumbers[s].try_emplace(loops, loopNumbers[s].size()).first->second);
  }
}

/// Links of all that moves in the epochs of `event`, by the analysis (see Hops.cpp).
double MappingEvaluator::eventHops(const Crossing &crossing, unsigned array,
                                   const WindowEvent &event) const {
  const Mapping &mapping = views.mapping();
  Mapping complete = mapping; // what is not decided is done further in
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t done = 1;
    for (unsigned s = 0; s < space.slots.size(); ++s)
      done *= mapping.factor[s][d];
    complete.factor[space.memorySlot.back()][d] *= space.nest.dims[d].size / done;
  }
  Nest nest = space.withLoops(complete);
  std::vector<AnalysisError> errors;
  llvm::Optional<FlatNest> flat = flatten(nest, errors);
  if (!flat)
    return 0;
  unsigned level = crossing.level;
  LevelDigits digits{&*flat, level, {}};
  for (unsigned dim = 0; dim < nest.dims.size(); ++dim)
    digits.dims.emplace_back(*flat, dim, level);
  HopFactors factors(digits, crossing.parent, array);
  Factors ranks = factorsOf(nest, crossing.tensor);
  JointLoops joint = networksBetween(*flat, crossing.parent, level, crossing.tensor).declared;
  const FlatArray &place = flat->arrays[array];
  TreeSum empty(place.place->axes.size() > 1 ? entryPosition(place, 1) : 0);
  double links = 0;
  auto add = [&](const Transition &transition) {
    std::vector<FootprintSum> product;
    for (unsigned dim : ranks.unused)
      product.push_back(factors.unusedDim(dim, transition, joint));
    for (const Rank &rank : ranks.ranks) {
      if (rank.terms.size() <= 1) {
        product.push_back(factors.plainRank(rank, transition, {}));
        continue;
      }
      SetWork work = INT64_MAX; // a space with a closed form has little padding
      WindowRank window(digits, rank, work);
      product.push_back(factors.windowRank(window, rank.terms, transition, joint));
    }
    links += static_cast<double>(empty.totalWith(product).value());
  };
  unsigned outside = flat->levels[level].temporal;
  if (event.kind == WindowEvent::Every) {
    add({Transition::Every, level, outside});
  } else if (event.kind == WindowEvent::All) {
    add({Transition::First, level, outside});
    for (unsigned loop = 0; loop < event.loop; ++loop)
      add({Transition::Advance, level, outside, loop});
  } else {
    add({Transition::Advance, level, outside, event.loop});
  }
  return links;
}

/// The same once for each setting of the loops that do not concern windows.
int64_t MappingEvaluator::coveredHops(const Crossing &crossing, const WindowEvent &event) {
  llvm::SmallVector<HopSums::Part, 2> parts;
  bool holds = event.kind == WindowEvent::Others || event.kind == WindowEvent::Slide;
  for (unsigned w = 0; w < space.tensors[crossing.tensor].windows.size(); ++w)
    parts.push_back({event.prefix[w], event.window == int(w) ? event.carry : Carry::None, holds});
  return hopSums.links(views.mapping(), crossing, parts);
}

/// Lanes along a window share elements in part, and lanes in padding have none: each kind of event
/// is counted by the analysis once and scales with the loops that do not concern windows.
double MappingEvaluator::windowHops(unsigned k, unsigned array) {
  const Crossing &crossing = space.crossings[k];
  const State &state = states[k];
  const Mapping &mapping = views.mapping();
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  // A bound says nothing about lanes whose loops are not all decided.
  for (unsigned d = 0; d < space.dims() && state.atLanes; ++d) {
    int64_t done = 1;
    for (unsigned s = 0; s < space.slots.size(); ++s)
      done *= mapping.factor[s][d];
    if (done < space.nest.dims[d].size)
      return 0;
  }
  // Settings of loops that neither windows nor the axes on the way concern.
  int64_t others = 1;
  for (unsigned d = 0; d < space.dims(); ++d) {
    if (state.uneven >> d & 1)
      continue;
    bool plain = tensor.plain >> d & 1;
    others *= plain ? space.nest.dims[d].size : 1;
    for (unsigned s = 0; s < crossing.end; ++s)
      if (space.slots[s].isAxis && plain == (s >= crossing.parentEnd))
        others = plain ? others / mapping.factor[s][d] : others * mapping.factor[s][d];
  }
  llvm::SmallVector<uint64_t, maxSlots + 2> key;
  hopKey(crossing, state, array, key);
  key.push_back(0);
  double hops = 0;
  WindowEvents ofPlain; // a tensor without windows has none yet
  if (tensor.windows.empty())
    windowEvents(crossing, state.atLanes, ofPlain);
  for (const WindowEvent &event : tensor.windows.empty() ? ofPlain : state.events) {
    uint64_t word = event.kind | uint64_t(event.window + 1) << 2 | uint64_t(event.carry) << 5;
    for (unsigned w = 0; w < 4; ++w)
      word |= uint64_t(event.prefix[w][0] | event.prefix[w][1] << 4) << (8 + 8 * w);
    key.back() = word;
    double scale = static_cast<double>(event.times) * static_cast<double>(others);
    bool isNew;
    double &known = hopsOfEvent(key, isNew);
    if (isNew && hopSums.covers(crossing))
      known = static_cast<double>(coveredHops(crossing, event));
    else if (isNew)
      known = eventHops(crossing, array, event) / scale;
    hops += known * scale;
  }
  return hops;
}
