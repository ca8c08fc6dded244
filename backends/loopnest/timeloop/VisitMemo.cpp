// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/VisitMemo.h"

using namespace perfc;
using namespace perfc::timeloop;

/// Fewest loops in time of a visit that is worth to be remembered.
static constexpr unsigned fewestLoops = 4;

void VisitSums::add(const VisitSums &other, double times) {
  for (size_t memory = 0; memory < other.traffic.size(); ++memory)
    for (size_t space = 0; space < other.traffic[memory].size(); ++space) {
      Traffic &to = traffic[memory][space];
      const Traffic &from = other.traffic[memory][space];
      for (const auto &[key, sent] : from.histogram) {
        Sent &sum = to.histogram[key];
        sum.words += sent.words * times;
        sum.hops += sent.hops * times;
      }
      to.tileSize = std::max(to.tileSize, from.tileSize);
      to.senderSize = std::max(to.senderSize, from.senderSize);
      to.links += from.links * times;
    }
  laneComputes += other.laneComputes * times;
  for (const auto &[pattern, count] : other.arrayVisits)
    arrayVisits[pattern] += count * times;
}

VisitMemo::VisitMemo(const Input &input, const LoopList &list, bool remembers)
    : input(input), isServed(list.blocks.size(), false), here(input.spaceCount()),
      visits(list.blocks.size()) {
  if (!remembers || !list.raggedDims.empty())
    return;
  unsigned loops = 0;
  for (unsigned memory = 0; memory + 1 < list.blocks.size(); ++memory) {
    for (unsigned loop = list.blocks[memory].temporal; loop <= list.blocks[memory].boundary; ++loop)
      loops += list.loops[loop].end > 1;
    isServed[memory] = loops >= fewestLoops;
  }
}

void VisitMemo::project(llvm::ArrayRef<int64_t> origin) {
  for (unsigned space = 0; space < here.size(); ++space) {
    here[space].clear();
    for (const std::vector<Term> &rank : input.problem.spaces[space].ranks) {
      int64_t place = 0;
      for (const Term &term : rank)
        place += term.coefficient * origin[term.dim];
      here[space].push_back(place);
    }
  }
}

VisitMemo::Visit &VisitMemo::find(unsigned memory, llvm::ArrayRef<MemoryState> states,
                                  llvm::ArrayRef<int64_t> origin) {
  project(origin);
  Key key;
  auto addBounds = [&](llvm::ArrayRef<int64_t> bounds, unsigned space) {
    for (size_t i = 0; i < bounds.size(); ++i)
      key.push_back(bounds[i] - here[space][i / 2]);
  };
  for (unsigned inner = 0; inner <= memory; ++inner) {
    const MemoryState &state = states[inner];
    key.push_back(state.previous != nullptr);
    for (unsigned space = 0; space < here.size(); ++space) {
      const SpaceState &own = state.spaces[space];
      key.push_back(static_cast<int64_t>(own.last.size()));
      addBounds(own.last, space);
      key.push_back(static_cast<int64_t>(own.moved.size()));
      key.insert(key.end(), own.moved.begin(), own.moved.end());
      if (!state.previous || input.placements[inner].noLinks[space])
        continue;
      const Boxes &words = state.previousWords[space];
      key.push_back(static_cast<int64_t>(words.size()));
      for (size_t i = 0; i < words.size(); ++i)
        addBounds(words[i], space);
    }
  }
  return visits[memory][std::move(key)];
}

/// `sign` 1 from where visits are kept to the one at hand.
void VisitMemo::move(SpaceState &state, unsigned space, int64_t sign) const {
  for (size_t i = 0; i < state.last.size(); ++i)
    state.last[i] += sign * here[space][i / 2];
  state.delta.move(here[space], sign);
}

void VisitMemo::keep(Visit &visit, unsigned memory, llvm::ArrayRef<MemoryState> states,
                     llvm::ArrayRef<int64_t> origin) {
  project(origin);
  visit.isKnown = true;
  visit.states = states.take_front(memory + 1).vec();
  for (MemoryState &state : visit.states)
    for (unsigned space = 0; space < here.size(); ++space) {
      move(state.spaces[space], space, -1);
      state.previousWords[space].move(here[space], -1);
    }
}

void VisitMemo::restore(const Visit &visit, unsigned memory,
                        llvm::MutableArrayRef<MemoryState> states, llvm::ArrayRef<int64_t> origin) {
  project(origin);
  for (unsigned inner = 0; inner <= memory; ++inner) {
    const MemoryState &kept = visit.states[inner];
    MemoryState &state = states[inner];
    state.previous = kept.previous;
    for (unsigned space = 0; space < here.size(); ++space) {
      SpaceState &own = state.spaces[space];
      own.last = kept.spaces[space].last;
      own.moved = kept.spaces[space].moved;
      if (inner == memory) { // others are found anew before they are looked at
        own.delta = kept.spaces[space].delta;
        own.deltaVolume = kept.spaces[space].deltaVolume;
      }
      move(own, space, 1);
      if (!kept.previous || input.placements[inner].noLinks[space])
        continue;
      state.previousWords[space] = kept.previousWords[space];
      state.previousWords[space].move(here[space], 1);
    }
  }
}
