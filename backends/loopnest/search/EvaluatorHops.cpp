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

/// Sum of the links of the trees to all positions told apart; only those of the first axis when
/// `half`.
static int64_t treeLinks(const AxisPositions &x, const AxisPositions &y, int64_t middle,
                         bool half) {
  int64_t along = y.settings * (x.sum() + x.settings * x.reach);
  return half ? along : along + x.settings * x.together * y.spans(middle);
}

double MappingEvaluator::hopsOf(const Mapping &mapping, const Crossing &crossing, unsigned array,
                                const CrossingFlow &flow, int64_t readBack) {
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  DimMask used = tensor.plain | tensor.windowed;
  unsigned begin = arrayBegin[array], end = arrayEnd[array];
  DimMask spread = 0, onTheWay = 0;
  for (unsigned s = crossing.parentEnd; s < crossing.end; ++s)
    for (unsigned d = 0; space.slots[s].isAxis && d < space.dims(); ++d)
      if (mapping.factor[s][d] > 1) {
        onTheWay |= DimMask(1) << d;
        spread |= DimMask(s >= begin && s < end) << d;
      }
  if (!spread)
    return 0; // an array without loops is not on the way
  // Where the second axis is open, lanes may still turn out to lie near the middle.
  bool half = decidedSlots < end;
  if (onTheWay & (tensor.windowed | tensor.cut))
    return half ? 0 : windowHops(mapping, crossing, array);
  uint32_t declared = sharing(crossing), all = axesOf(crossing);
  // Messages per word that enters once, in other arrays on the way.
  int64_t copies = 1;
  for (unsigned s = crossing.parentEnd; s < crossing.end; ++s) {
    if (!(all >> s & 1) || (s >= begin && s < end))
      continue;
    bool inner = s >= end;
    for (unsigned d = 0; d < space.dims(); ++d)
      if (!(used >> d & 1) && !(inner && declared >> s & 1))
        copies *= mapping.factor[s][d];
  }
  AxisPositions none;
  auto on = [&](unsigned axis, bool relevantOnly) {
    unsigned s = begin + axis;
    return s < end ? positionsOn(space, mapping, s, used, declared >> s & 1, relevantOnly) : none;
  };
  const FlatTensor &t = tensor;
  int64_t middle = end - begin > 1 ? (space.slots[begin + 1].size - 1) / 2 : 0;
  AxisPositions x = on(0, true), y = on(1, true);
  int64_t settings = x.settings * y.settings;
  double base = static_cast<double>(flow.shared) / static_cast<double>(settings);
  double hops = base * static_cast<double>(copies) *
                static_cast<double>(treeLinks(on(0, false), on(1, false), middle, half));
  if (t.isOutput && crossing.level < space.lanes())
    hops += static_cast<double>(readBack) / static_cast<double>(settings) *
            static_cast<double>(treeLinks(x, y, middle, half));
  return hops;
}

/// What the hops of an event depend on: the loops on the axes of the crossing, those of windows and
/// of ranks with padding everywhere outside the level.
std::string MappingEvaluator::hopKey(const Mapping &mapping, const Crossing &crossing,
                                     unsigned array) const {
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  DimMask always = tensor.windowed | tensor.cut;
  std::string key;
  auto add = [&](int64_t number) {
    key.append(reinterpret_cast<const char *>(&number), sizeof number);
  };
  key += char(&crossing - space.crossings.data());
  key += char(array);
  for (unsigned s = 0; s < crossing.end; ++s) {
    bool between = space.slots[s].isAxis && s >= crossing.parentEnd;
    for (unsigned i = 0; i < space.dims(); ++i) {
      unsigned d = between ? mapping.order[s][i] : i;
      if (mapping.factor[s][d] == 1 || !(between || always >> d & 1))
        continue;
      key += char(s);
      key += char(d);
      add(mapping.factor[s][d]);
    }
  }
  return key;
}

/// Links of all that moves in the epochs of `event`, by the analysis (see Hops.cpp).
double MappingEvaluator::eventHops(const Mapping &mapping, const Crossing &crossing, unsigned array,
                                   const WindowEvent &event) const {
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
      WindowRank window(digits, rank);
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

/// Lanes along a window share elements in part, and lanes in padding have none: each kind of event
/// is counted by the analysis once and scales with the loops that do not concern windows.
double MappingEvaluator::windowHops(const Mapping &mapping, const Crossing &crossing,
                                    unsigned array) {
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  WindowEvents events;
  windowEvents(mapping, crossing, events);
  // A bound says nothing about lanes whose loops are not all decided.
  for (unsigned d = 0; d < space.dims() && crossing.level == space.lanes(); ++d) {
    int64_t done = 1;
    for (unsigned s = 0; s < space.slots.size(); ++s)
      done *= mapping.factor[s][d];
    if (done < space.nest.dims[d].size)
      return 0;
  }
  // Settings of loops that neither windows nor the axes on the way concern.
  int64_t others = 1;
  for (unsigned d = 0; d < space.dims(); ++d) {
    if ((tensor.windowed | tensor.cut) >> d & 1)
      continue;
    bool plain = tensor.plain >> d & 1;
    others *= plain ? space.nest.dims[d].size : 1;
    for (unsigned s = 0; s < crossing.end; ++s)
      if (space.slots[s].isAxis && plain == (s >= crossing.parentEnd))
        others = plain ? others / mapping.factor[s][d] : others * mapping.factor[s][d];
  }
  std::string key = hopKey(mapping, crossing, array);
  size_t length = key.size();
  double hops = 0;
  for (const WindowEvent &event : events) {
    key.resize(length);
    key.append(reinterpret_cast<const char *>(event.prefix.data()), sizeof event.prefix);
    key += char(event.kind);
    key += char(event.window);
    key += char(event.carry);
    double scale = static_cast<double>(event.times) * static_cast<double>(others);
    auto [known, isNew] = hopsOfEvent.try_emplace(key, 0);
    if (isNew)
      known->second = eventHops(mapping, crossing, array, event) / scale;
    hops += known->second * scale;
  }
  return hops;
}
