// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/TileClasses.h"

#include "ir/common/Rational.h"
#include <algorithm>
#include <map>

using namespace perfc;
using namespace perfc::loopnest;

/// Steps that a group takes which is visited by itself: it is kept, too.
static constexpr SetWork groupWork = 16;

namespace {

class Collector {
public:
  Collector(const Digits &digits, const Transition &transition, const JointLoops &joint,
            unsigned from, IndexRange safe, SetWork &work);
  std::vector<TileClass> run();

private:
  void groups(unsigned position, int64_t start, int64_t before);
  void lanes(unsigned position, int64_t start, int64_t before);
  void addLane(int64_t start, int64_t before);
  int64_t heldStart(int64_t before) const;
  void addGroup(int64_t count);
  void addRegular();
  bool isJoint(const Digit &digit) const { return digit.parallel && joint[digit.loop]; }
  bool isRecorded(const Digit &digit) const { return digit.parallel && digit.loop >= from; }

  const Digits &digits;
  const Transition &transition;
  const JointLoops &joint;
  unsigned from;
  IndexRange safe;
  SetWork &work;
  Digits::Choices choices;               ///< of the first lane of a group
  llvm::SmallVector<int64_t, 8> reach;   ///< most that the digits from a position on can add to it
  llvm::SmallVector<int64_t, 8> setting; ///< of each digit
  IndexRange regular;                    ///< starts of groups that look alike
  int64_t carried = 0;                   ///< step of the loop that advances
  std::vector<LaneTile> current;
  std::map<std::pair<int64_t, std::vector<LaneTile>>, TileClass> classes;
};

} // namespace

Collector::Collector(const Digits &digits, const Transition &transition, const JointLoops &joint,
                     unsigned from, IndexRange safe, SetWork &work)
    : digits(digits), transition(transition), joint(joint), from(from), safe(safe), work(work),
      reach(digits.list().size() + 1, 0), setting(digits.list().size(), 0) {
  int64_t lanesReach = 0, heldReach = 0;
  for (const Digit &digit : digits.list()) {
    Choice any = Choice::any(digit.factor);
    choices.push_back(isJoint(digit)   ? Choice::only(0)
                      : digit.parallel ? any
                                       : transition.choice(digit.loop, digit.factor));
    lanesReach += isJoint(digit) ? (digit.factor - 1) * digit.step : 0;
    if (!digit.parallel && transition.restarts(digit.loop))
      heldReach += (digit.factor - 1) * digit.step;
    if (!digit.parallel && transition.advances(digit.loop))
      carried = digit.step;
  }
  for (unsigned i = choices.size(); i-- > 0;)
    reach[i] = reach[i + 1] + (choices[i].end - 1) * digits.list()[i].step;
  int64_t span = lanesReach + digits.tile();
  regular.low = std::max<int64_t>(safe.low, 0);
  regular.high = std::min({safe.high - span, digits.size() - span,
                           digits.size() - span - heldReach + carried}) +
                 1;
}

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
    if (isRecorded(digits.list()[i]))
      tile.setting.push_back(setting[i]);
  if (transition.hasPrevious()) {
    tile.held = heldStart(before);
    tile.heldLength = std::min(digits.tile(), digits.size() - tile.held);
  }
  current.push_back(tile);
}

/// Runs over the other digits, regular groups excepted; `before` has the digit of the loop that
/// advances one lower.
void Collector::groups(unsigned position, int64_t start, int64_t before) {
  while (position < digits.list().size() && isJoint(digits.list()[position]))
    ++position;
  if (start >= digits.size() || (start >= regular.low && start + reach[position] < regular.high))
    return;
  if (position == digits.list().size()) {
    current.clear();
    lanes(0, start, before);
    work -= groupWork + static_cast<SetWork>(current.size());
    addGroup(1);
    return;
  }
  const Digit &digit = digits.list()[position];
  const Choice &choice = choices[position];
  int64_t end = std::min(choice.end, (digits.size() - 1 - start) / digit.step + 1);
  // Between these all groups are regular.
  int64_t first = ceilDivide(std::max<int64_t>(0, regular.low - start), digit.step);
  int64_t last = ceilDivide(regular.high - start - reach[position + 1], digit.step);
  for (int64_t i = choice.first; i < end && work >= 0; ++i) {
    if (i >= first && i < last) {
      i = last - 1;
      continue;
    }
    setting[position] = i;
    groups(position + 1, start + i * digit.step, before + (i - choice.first) * digit.step);
  }
}

void Collector::addGroup(int64_t count) {
  int64_t base = current.front().start;
  bool border = base < safe.low || current.back().start + current.back().length > safe.high;
  for (LaneTile &lane : current) {
    lane.start -= base;
    lane.held -= base;
    if (!lane.heldLength)
      lane.held = 0;
  }
  int64_t key = border ? base : -1;
  auto found = classes.find({key, current});
  if (found != classes.end())
    found->second.count += count;
  else
    classes.insert({{key, current}, {border, border ? base : 0, current, count}});
}

/// The groups that start in the regular range, for each setting of the digits that tell groups
/// apart: all lanes have full tiles, and what was held lies at the same distance.
void Collector::addRegular() {
  if (regular.high <= regular.low)
    return;
  llvm::SmallVector<unsigned, 4> apart;
  for (unsigned i = 0; i < choices.size(); ++i)
    if (isRecorded(digits.list()[i]) && !isJoint(digits.list()[i]))
      apart.push_back(i);
  forSettings(digits, apart, [&](llvm::ArrayRef<FixedDigit> fixed) {
    Digits::Choices these = choices;
    for (const FixedDigit &digit : fixed) {
      these[digit.position] = Choice::only(digit.value);
      setting[digit.position] = digit.value;
    }
    int64_t count = digits.countBelow(regular.high, these) - digits.countBelow(regular.low, these);
    if (!count)
      return;
    current.clear();
    lanes(0, regular.low, regular.low - carried);
    addGroup(count);
  });
}

std::vector<TileClass> Collector::run() {
  addRegular();
  groups(0, 0, 0);
  std::vector<TileClass> result;
  for (auto &entry : classes)
    result.push_back(std::move(entry.second));
  return result;
}

std::vector<TileClass> loopnest::tileClasses(const Digits &digits, const Transition &transition,
                                             const JointLoops &joint, unsigned from,
                                             IndexRange safe, SetWork &work) {
  return Collector(digits, transition, joint, from, safe, work).run();
}
