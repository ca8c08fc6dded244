// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that cross: in one product for tensors whose subscripts are single indices, as sums over
// the epochs of the loops in time for those with sliding windows.
#include "backends/loopnest/search/MappingEvaluator.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Lanes outside the level along dimensions that the tensor lacks, those that messages serve
/// together counted once.
int64_t MappingEvaluator::declaredLanes(const Crossing &crossing, const State &state) const {
  int64_t lanes = views.outside(crossing.tensor, crossing.parentEnd).lanes;
  for (uint32_t apart = state.axes & ~state.sharing; apart; apart &= apart - 1)
    lanes *= views.view(crossing.tensor, llvm::countTrailingZeros(apart)).others;
  return lanes;
}

CrossingFlow MappingEvaluator::plainFlow(const Crossing &crossing, const State &state) const {
  const OutsideView &outside = views.outside(crossing.tensor, crossing.end);
  int64_t words =
      space.tensors[crossing.tensor].plainSize * (state.atLanes ? outside.others : outside.counted);
  CrossingFlow flow;
  flow.shared = words * views.outside(crossing.tensor, crossing.parentEnd).lanes;
  flow.separate = words * outside.lanes;
  flow.declared = state.sharing == state.axes ? flow.shared
                  : state.sharing             ? words * declaredLanes(crossing, state)
                                              : flow.separate;
  return flow;
}

CrossingFlow MappingEvaluator::windowedFlow(const Crossing &crossing, State &state) {
  unsigned t = crossing.tensor;
  state.events.clear();
  windowEvents(crossing, state.atLanes, state.events);
  // Lanes along no window share words of it all or not at all.
  bool spread = false;
  for (uint32_t axes = state.axes; axes; axes &= axes - 1)
    for (uint8_t d : views.loops(llvm::countTrailingZeros(axes)))
      spread |= space.tensors[t].windowed >> d & 1;
  int64_t together = windowFlow(crossing, state.events, state.axes);
  int64_t apart = spread ? windowFlow(crossing, state.events, 0) : together;
  CrossingFlow flow;
  flow.shared = together * views.outside(t, crossing.parentEnd).lanes;
  flow.separate = apart * views.outside(t, crossing.end).lanes;
  if (state.sharing == state.axes)
    flow.declared = flow.shared;
  else if (!state.sharing)
    flow.declared = flow.separate;
  else
    flow.declared = (spread ? windowFlow(crossing, state.events, state.sharing) : together) *
                    declaredLanes(crossing, state);
  return flow;
}

const CrossingFlow &MappingEvaluator::flow(unsigned k) {
  State &state = states[k];
  if (!state.flowKnown) {
    const Crossing &crossing = space.crossings[k];
    state.words.flow = space.tensors[crossing.tensor].windows.empty()
                           ? plainFlow(crossing, state)
                           : windowedFlow(crossing, state);
    state.flowKnown = true;
  }
  return state.words.flow;
}

CrossingFlow MappingEvaluator::flowOf(const Mapping &mapping, const Crossing &crossing) {
  moveTo(mapping, decidedSlots, ~uint32_t(0));
  return flow(numberOf(crossing));
}

/// The loops in time outside a level, from the outside in.
struct MappingEvaluator::TimeLoops {
  struct Loop {
    int64_t factor;
    uint8_t slot, dim;
  };
  std::array<Loop, maxSlots * maxDims> list;
  unsigned count = 0;
  unsigned afterPlain = 0;         ///< those up to the innermost plain one
  unsigned afterWindows = 0;       ///< those up to the innermost one of a window
  std::array<uint8_t, 4> inside{}; ///< by window
};

/// Up to the innermost plain loop they make one event, each one after it is an event of its own.
void MappingEvaluator::windowEvents(const Crossing &crossing, bool atLanes,
                                    WindowEvents &events) const {
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  TimeLoops loops;
  for (unsigned s = 0; s < crossing.end; ++s) {
    if (space.slots[s].isAxis)
      continue;
    const auto &factors = views.mapping().factor[s];
    for (uint8_t d : views.loops(s)) {
      loops.list[loops.count++] = {factors[d], static_cast<uint8_t>(s), d};
      if (tensor.plain >> d & 1)
        loops.afterPlain = loops.count;
      if (int8_t w = tensor.windowOf[d]; w >= 0) {
        ++loops.inside[w];
        loops.afterWindows = loops.count;
      }
    }
  }
  WindowEvent now{atLanes ? WindowEvent::Every : WindowEvent::All};
  now.inside = loops.inside;
  unsigned first = atLanes ? loops.count : loops.afterPlain; // that is an event of its own
  for (unsigned l = 0; l < first; ++l) {
    auto [factor, slot, dim] = loops.list[l];
    if (int8_t w = tensor.windowOf[dim]; w >= 0) {
      now.prefix[w][dim == tensor.windows[w].first ? 0 : 1] = slot + 1;
      --now.inside[w];
    } else if (!(tensor.plain >> dim & 1)) {
      now.times *= factor;
    }
  }
  now.loop = first;
  events.push_back(now);
  for (unsigned l = first; l < loops.afterWindows; ++l) {
    auto [factor, slot, dim] = loops.list[l];
    now.loop = l;
    if (int8_t w = tensor.windowOf[dim]; w >= 0) {
      bool isFirst = dim == tensor.windows[w].first;
      now.prefix[w][isFirst ? 0 : 1] = slot + 1;
      --now.inside[w];
      events.push_back(now);
      events.back().kind = WindowEvent::Slide;
      events.back().window = w;
      events.back().carry = isFirst ? Carry::First : Carry::Second;
      continue;
    }
    events.push_back(now);
    events.back().kind = WindowEvent::Others;
    events.back().times *= factor - 1;
    now.times *= factor; // none of the plain loops is here
  }
}

/// The sum over the epochs of what is new in them (see Transition.h), of a tensor with windows;
/// without the lanes of dimensions that it lacks. Windows that an event does not slide have the
/// same sums as in the event before.
int64_t MappingEvaluator::windowFlow(const Crossing &crossing, const WindowEvents &events,
                                     uint32_t joint) {
  struct Sums {
    int64_t all = -1, kept = -1;
  };
  std::array<Sums, 4> still;
  std::vector<WindowSums> &windowsOf = windows[crossing.tensor];
  uint8_t network = joint == 0 ? 0 : joint == states[numberOf(crossing)].axes ? 1 : 2;
  auto sum = [&](const WindowEvent &event, unsigned w, Carry carry, bool kept) {
    return windowsOf[w].get(views.mapping(), {crossing.end, joint, network, event.prefix[w][0],
                                              event.prefix[w][1], carry, kept});
  };
  int64_t flow = 0;
  for (const WindowEvent &event : events) {
    bool keeps = event.kind == WindowEvent::Others || event.kind == WindowEvent::Slide;
    int64_t all = event.times, kept = keeps ? event.times : 0;
    for (unsigned w = 0; w < windowsOf.size(); ++w) {
      Sums now = still[w];
      bool slides = event.window == int(w);
      Carry carry = slides ? event.carry : Carry::None;
      if (slides || now.all < 0)
        now.all = sum(event, w, carry, false);
      if (slides || (keeps && now.kept < 0))
        now.kept = slides || event.inside[w] > 0 ? sum(event, w, carry, true) : now.all;
      still[w] = slides ? Sums() : now;
      all *= now.all;
      if (keeps)
        kept *= now.kept;
    }
    flow += all - kept;
  }
  return flow * space.tensors[crossing.tensor].plainSize;
}
