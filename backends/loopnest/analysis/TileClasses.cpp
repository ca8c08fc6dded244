// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/TileClasses.h"
#include <algorithm>
#include <map>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

class Collector {
public:
  Collector(const Digits &digits, const Transition &transition, const JointLoops &joint,
            unsigned from, TouchesPadding padding)
      : digits(digits), transition(transition), joint(joint), from(from), padding(padding),
        setting(digits.list().size()) {}
  std::vector<TileClass> run();

private:
  void groups(unsigned position, int64_t start, int64_t before);
  void lanes(unsigned position, int64_t start, int64_t before);
  void addLane(int64_t start, int64_t before);
  int64_t heldStart(int64_t before) const;
  void addGroup();
  bool isJoint(const Digit &digit) const { return digit.parallel && joint[digit.loop]; }

  const Digits &digits;
  const Transition &transition;
  const JointLoops &joint;
  unsigned from;
  TouchesPadding padding;
  llvm::SmallVector<int64_t, 8> setting; ///< of each digit
  std::vector<LaneTile> current;
  std::map<std::pair<int64_t, std::vector<LaneTile>>, TileClass> classes;
};

} // namespace

/// The largest start that the digits inside the loop that advances could reach from `before`.
int64_t Collector::heldStart(int64_t before) const {
  for (const Digit &digit : digits.list())
    if (!digit.parallel && transition.restarts(digit.loop))
      before += std::min(digit.factor - 1, (digits.size() - 1 - before) / digit.step) * digit.step;
  return before;
}

/// Runs over the joint digits from `position` on; the others are in `start` already.
void Collector::lanes(unsigned position, int64_t start, int64_t before) {
  while (position < digits.list().size() && !isJoint(digits.list()[position]))
    ++position;
  if (start >= digits.size())
    return;
  if (position == digits.list().size())
    return addLane(start, before);
  const Digit &digit = digits.list()[position];
  for (int64_t i = 0; i < digit.factor; ++i) {
    setting[position] = i;
    lanes(position + 1, start + i * digit.step, before + i * digit.step);
  }
}

void Collector::addLane(int64_t start, int64_t before) {
  LaneTile tile{start, std::min(digits.tile(), digits.size() - start), 0, 0, {}};
  for (unsigned i = 0; i < setting.size(); ++i)
    if (digits.list()[i].parallel && digits.list()[i].loop >= from)
      tile.setting.push_back(setting[i]);
  if (transition.hasPrevious()) {
    tile.held = heldStart(before);
    tile.heldLength = std::min(digits.tile(), digits.size() - tile.held);
  }
  current.push_back(tile);
}

/// Runs over the other digits; `before` has the digit of the loop that advances one lower.
void Collector::groups(unsigned position, int64_t start, int64_t before) {
  while (position < digits.list().size() && isJoint(digits.list()[position]))
    ++position;
  if (start >= digits.size())
    return;
  if (position == digits.list().size()) {
    current.clear();
    lanes(0, start, before);
    addGroup();
    return;
  }
  const Digit &digit = digits.list()[position];
  Choice choice =
      digit.parallel ? Choice::any(digit.factor) : transition.choice(digit.loop, digit.factor);
  int64_t end = std::min(choice.end, (digits.size() - 1 - start) / digit.step + 1);
  for (int64_t i = choice.first; i < end; ++i) {
    setting[position] = i;
    groups(position + 1, start + i * digit.step, before + (i - choice.first) * digit.step);
  }
}

void Collector::addGroup() {
  int64_t base = current.front().start;
  bool border = padding(base, current.back().start + current.back().length - 1);
  for (LaneTile &lane : current) {
    lane.start -= base;
    lane.held -= base;
    if (!lane.heldLength)
      lane.held = 0;
  }
  int64_t key = border ? base : -1;
  auto found = classes.find({key, current});
  if (found != classes.end())
    ++found->second.count;
  else
    classes.insert({{key, current}, {border, border ? base : 0, current, 1}});
}

std::vector<TileClass> Collector::run() {
  groups(0, 0, 0);
  std::vector<TileClass> result;
  for (auto &entry : classes)
    result.push_back(std::move(entry.second));
  return result;
}

std::vector<TileClass> loopnest::tileClasses(const Digits &digits, const Transition &transition,
                                             const JointLoops &joint, unsigned from,
                                             TouchesPadding padding) {
  return Collector(digits, transition, joint, from, padding).run();
}
