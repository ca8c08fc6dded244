// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/TransferFactors.h"

using namespace perfc;
using namespace perfc::loopnest;

Kinds loopnest::product(const Kinds &a, const Kinds &b) {
  Kinds result;
  for (const auto &[left, n] : a)
    for (const auto &[right, m] : b) {
      Checked all = Checked(left.first) * right.first, kept = Checked(left.second) * right.second;
      Checked number = n * m;
      if (all.overflowed())
        number += Checked(INT64_MAX) + 1; // marks the number
      result[{all.value(), kept.value()}] += number;
    }
  return result;
}

Kinds TransferFactors::used(const Receivers &to, const Transition &transition) const {
  Kinds result{{{1, 1}, 1}};
  std::vector<RankGroup> groups = factors.groups;
  for (const Rank &rank : factors.ranks) {
    if (rank.terms.empty()) {
      int64_t one = rank.extent ? 0 : 1;
      result = product(result, {{{one, one}, 1}});
      continue;
    }
    groups.push_back({{rank}, {}});
    for (const Term &term : rank.terms)
      groups.back().dims.push_back(term.dim);
  }
  for (const RankGroup &group : groups) {
    Kinds kinds;
    JointRank(levels[to.level], group, work)
        .forSums(transition, to.joint, to.apart, [&](RankSums sums, Checked number) {
          kinds[{sums.all.value(), sums.kept.value()}] += number;
        });
    result = product(result, kinds);
  }
  return result;
}

/// A dimension that the tensor does not use: the messages that its lanes take, by time and by the
/// instance that they stand in. Of lanes apart as many work as start below the size.
Kinds TransferFactors::partsOf(unsigned dim, const Receivers &to, const Transition &transition,
                               const Pins &pins) const {
  const Digits &digits = levels[to.level].dims[dim];
  Digits::Choices choices;
  std::vector<int64_t> offsets{0};
  auto holds = [](IndexRange range, unsigned loop) {
    return range.low <= static_cast<int64_t>(loop) && static_cast<int64_t>(loop) < range.high;
  };
  for (const Digit &digit : digits.list()) {
    if (!digit.parallel) {
      bool pinned = holds(pins.time, digit.loop);
      if (pinned && transition.advances(digit.loop))
        return {};
      choices.push_back(pinned ? Choice::only(0) : transition.choice(digit.loop, digit.factor));
      continue;
    }
    bool isFirst = to.joint[digit.loop] || holds(pins.space, digit.loop);
    choices.push_back(isFirst ? Choice::only(0) : Choice::any(digit.factor));
    if (!to.apart[digit.loop])
      continue;
    std::vector<int64_t> more;
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < digit.factor && offset + i * digit.step < digits.size(); ++i)
        more.push_back(offset + i * digit.step);
    offsets = std::move(more);
  }
  std::sort(offsets.begin(), offsets.end());
  Kinds result;
  for (size_t k = 0; k < offsets.size(); ++k) {
    int64_t next =
        k + 1 < offsets.size() ? digits.countBelow(digits.size() - offsets[k + 1], choices) : 0;
    int64_t number = digits.countBelow(digits.size() - offsets[k], choices) - next;
    auto parts = static_cast<int64_t>(k + 1);
    if (number > 0)
      result[{parts, parts}] += number;
  }
  return result;
}

Kinds TransferFactors::unused(const Receivers &to, const Transition &transition,
                              const Pins &pins) const {
  Kinds result{{{1, 1}, 1}};
  for (unsigned dim : factors.unused)
    result = product(result, partsOf(dim, to, transition, pins));
  return result;
}

int64_t TransferFactors::lastParts(const Receivers &to) const {
  int64_t parts = 1;
  for (unsigned dim : factors.unused) {
    const Digits &digits = levels[to.level].dims[dim];
    int64_t last = 0, number = 0;
    for (const Digit &digit : digits.list())
      if (!digit.parallel)
        last += std::min(digit.factor - 1, (digits.size() - 1 - last) / digit.step) * digit.step;
    llvm::SmallVector<unsigned, 4> apart;
    for (unsigned i = 0; i < digits.list().size(); ++i)
      if (digits.list()[i].parallel && to.apart[digits.list()[i].loop])
        apart.push_back(i);
    forSettings(digits, apart, [&](llvm::ArrayRef<FixedDigit> setting) {
      int64_t start = last;
      for (const FixedDigit &digit : setting)
        start += digit.value * digits.list()[digit.position].step;
      number += start < digits.size();
    });
    parts *= number;
  }
  return parts;
}
