// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Fleet.h"

#include "backends/serving/Random.h"
#include <algorithm>
#include <cmath>

using namespace perfc::serving;

Fleet::Fleet(size_t copies, const Outages &outages, const Scaling &scaling)
    : states(copies), listed(copies), outages(outages), scaling(scaling) {
  for (const Outage &outage : outages.listed)
    listed[outage.copy].push_back(outage);
  for (auto &list : listed)
    std::sort(list.begin(), list.end(),
              [](const Outage &a, const Outage &b) { return a.from < b.from; });
  for (size_t copy = 0; copy < copies; ++copy) {
    if (scaling.least > 0 && copy >= static_cast<size_t>(scaling.least))
      states[copy].state = State::Off;
    setNextFault(copy, 0);
  }
  if (scaling.least > 0)
    look = scaling.every;
  finishChange();
}

void Fleet::set(size_t copy, State state, double now) {
  Copy &one = states[copy];
  bool wasOn = one.state != State::Off, isOn = state != State::Off;
  if (wasOn && !isOn)
    on += now - one.since;
  if (!wasOn && isOn)
    one.since = now;
  one.state = state;
}

/// The next outage of a copy after `now`: the first of those listed and, where it comes earlier, a
/// random one.
void Fleet::setNextFault(size_t copy, double now) {
  Copy &one = states[copy];
  one.fails = never;
  const std::vector<Outage> &list = listed[copy];
  while (one.listed < list.size() && list[one.listed].until <= now)
    ++one.listed;
  if (one.listed < list.size())
    one.fails = std::max(now, list[one.listed].from);
  if (outages.between > 0)
    one.fails = std::min(one.fails, now - std::log1p(-uniformOf(outages.seed, copy, one.faults)) *
                                              outages.between);
}

/// Moves a copy on; true where it has just broken.
bool Fleet::begin(size_t copy, double now) {
  Copy &one = states[copy];
  if (one.ready <= now) {
    one.ready = never;
    set(copy, State::Up, now);
  }
  if (one.repaired <= now) {
    one.repaired = never;
    set(copy, State::Up, now);
    setNextFault(copy, now);
  }
  if (one.fails > now)
    return false;
  const std::vector<Outage> &list = listed[copy];
  bool isListed = one.listed < list.size() && list[one.listed].from <= now;
  one.repaired = isListed ? list[one.listed].until : now + outages.repair;
  one.listed += isListed;
  one.faults += !isListed;
  one.fails = never;
  if (one.state == State::Off) { // nothing is there to break
    one.repaired = never;
    setNextFault(copy, now);
    return false;
  }
  one.ready = never;
  set(copy, State::Broken, now);
  return true;
}

void Fleet::scale(double now, int64_t load) {
  auto count = static_cast<double>(takers.size());
  auto first = [&](State state) {
    return std::find_if(states.begin(), states.end(),
                        [&](const Copy &one) { return one.state == state; });
  };
  if (static_cast<double>(load) > scaling.up * count && first(State::Starting) == states.end()) {
    if (auto kept = first(State::Draining); kept != states.end())
      return set(static_cast<size_t>(kept - states.begin()), State::Up, now);
    auto next = first(State::Off);
    if (next == states.end())
      return;
    set(static_cast<size_t>(next - states.begin()), State::Starting, now);
    next->ready = now + scaling.start;
  } else if (static_cast<double>(load) < scaling.down * count &&
             takers.size() > static_cast<size_t>(scaling.least)) {
    set(takers.back(), State::Draining, now);
  }
}

void Fleet::rest(size_t copy, double now) {
  if (states[copy].state == State::Draining)
    set(copy, State::Off, now);
}

void Fleet::finishChange() {
  takers.clear();
  upcoming = look;
  for (size_t copy = 0; copy < states.size(); ++copy) {
    const Copy &one = states[copy];
    if (one.state == State::Up)
      takers.push_back(copy);
    upcoming = std::min({upcoming, one.ready, one.fails, one.repaired});
  }
}

double Fleet::secondsOn(double now) const {
  double sum = on;
  for (const Copy &one : states)
    sum += one.state == State::Off ? 0 : now - one.since;
  return sum;
}
