// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Finished.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Most tiles of one dimension that are looked at one by one.
static constexpr int64_t mostTiles = int64_t(1) << 22;

namespace {

/// Lanes of a reduction that fell idle when a loop in time advanced for the last time.
struct IdleLanes {
  unsigned level;
  unsigned since; ///< that loop
};

/// What the lanes of reductions between a level and its parent do with the last part of a sum.
struct Sharing {
  bool always = false;            ///< they hold parts of every element
  llvm::Optional<unsigned> since; ///< they hold parts of some
};

/// Counts the indices of one dimension of which idle lanes hold elements, for several levels at
/// once. Equal digits are put together: only the least, the largest, and those around the end of
/// the dimension differ.
class HeldIndices {
public:
  HeldIndices(llvm::ArrayRef<LevelDigits> levels, unsigned dim, IndexRange range,
              llvm::ArrayRef<IdleLanes> idle);
  /// Nothing when there are too many to look at.
  llvm::Optional<Checked> count();

private:
  bool isFree() const;
  void visit(size_t position, int64_t start, Checked times);
  bool isHeld() const;
  bool isHeld(const IdleLanes &lanes, unsigned level) const;
  std::vector<std::pair<int64_t, int64_t>> values(size_t position) const;

  const FlatNest &flat;
  const Digits &dim;
  IndexRange range;
  llvm::ArrayRef<IdleLanes> idle;
  bool isPadded;
  std::vector<int64_t> last;    ///< digits of the last index
  std::vector<int64_t> setting; ///< by digit
  Checked sum = 0;
};

class FinishedCount {
public:
  FinishedCount(llvm::ArrayRef<LevelDigits> levels, const Factors &factors, SetWork &work)
      : levels(levels), factors(factors), flat(*levels.front().flat), work(work) {}
  llvm::Optional<std::vector<int64_t>> run();

private:
  Sharing sharingAt(unsigned level) const;
  llvm::Optional<Checked> elements(llvm::ArrayRef<IdleLanes> idle) const;
  llvm::Optional<Checked> heldByAny(llvm::ArrayRef<IdleLanes> idle) const;
  Checked pointsAlone() const;
  Checked pointsAlone(const RankGroup &group) const;

  llvm::ArrayRef<LevelDigits> levels;
  const Factors &factors;
  const FlatNest &flat;
  SetWork &work;
};

} // namespace

//===-- Lanes -------------------------------------------------------------------------------===//

/// Digits in time of the last tile that begins `offset` before the end, lanes being the first ones.
static std::vector<int64_t> lastTile(const Digits &dim, int64_t offset) {
  std::vector<int64_t> result;
  int64_t left = dim.size() - 1 - offset;
  for (const Digit &digit : dim.list()) {
    int64_t value = digit.parallel ? 0 : std::min(digit.factor - 1, left / digit.step);
    left -= value * digit.step;
    result.push_back(value);
  }
  return result;
}

/// It is enough to look at the second lane of each loop: those after it do no more than that one.
Sharing FinishedCount::sharingAt(unsigned level) const {
  Sharing result;
  unsigned above = flat.parent(level, flat.output);
  for (unsigned dim : factors.unused) {
    const Digits &digits = levels[level].dims[dim];
    std::vector<int64_t> first = lastTile(digits, 0);
    for (const Digit &lane : digits.list()) {
      if (!lane.parallel || lane.loop < flat.levels[above].parallel)
        continue;
      std::vector<int64_t> second = lastTile(digits, lane.step);
      auto differs = std::mismatch(first.begin(), first.end(), second.begin()).first;
      if (differs == first.end()) {
        result.always = true;
        return result;
      }
      unsigned loop = digits.list()[static_cast<size_t>(differs - first.begin())].loop;
      result.since = std::max(loop, result.since.getValueOr(0));
    }
  }
  return result;
}

//===-- Indices of one dimension ------------------------------------------------------------===//

HeldIndices::HeldIndices(llvm::ArrayRef<LevelDigits> levels, unsigned number, IndexRange range,
                         llvm::ArrayRef<IdleLanes> idle)
    : flat(*levels.front().flat), dim(levels[idle.back().level].dims[number]), range(range),
      idle(idle), isPadded(range.low > 0 || range.high < dim.size()) {
  int64_t left = dim.size() - 1;
  for (const Digit &digit : dim.list()) {
    last.push_back(left / digit.step);
    left %= digit.step;
  }
  setting.resize(last.size());
}

/// No loop in time of the dimension is inside one that left lanes idle.
bool HeldIndices::isFree() const {
  return llvm::none_of(dim.list(), [&](const Digit &digit) {
    return llvm::any_of(idle, [&](const IdleLanes &lanes) {
      return !digit.parallel && digit.loop >= lanes.since &&
             digit.loop < flat.levels[lanes.level].temporal;
    });
  });
}

llvm::Optional<Checked> HeldIndices::count() {
  if (isFree())
    return Checked(std::max<int64_t>(0, range.high - range.low));
  if (isPadded && dim.size() / dim.tile() > mostTiles)
    return llvm::None;
  visit(0, 0, 1);
  return sum;
}

/// Values of a digit, each with the number of those that it stands for.
std::vector<std::pair<int64_t, int64_t>> HeldIndices::values(size_t position) const {
  std::vector<std::pair<int64_t, int64_t>> result;
  int64_t factor = dim.list()[position].factor, end = last[position];
  std::vector<int64_t> marks = {0, end - 1, end, end + 1, factor - 1};
  llvm::sort(marks);
  int64_t next = 0;
  for (int64_t mark : marks) {
    if (mark < next || mark >= factor)
      continue;
    for (; isPadded && next < mark; ++next)
      result.push_back({next, 1});
    if (mark > next)
      result.push_back({next, mark - next});
    result.push_back({mark, 1});
    next = mark + 1;
  }
  return result;
}

void HeldIndices::visit(size_t position, int64_t start, Checked times) {
  if (start >= dim.size())
    return;
  if (position == setting.size()) {
    int64_t low = std::max(start, range.low);
    int64_t high = std::min({start + dim.tile(), dim.size(), range.high});
    if (low < high && isHeld())
      sum += times * (high - low);
    return;
  }
  for (auto [value, count] : values(position)) {
    setting[position] = value;
    visit(position + 1, start + value * dim.list()[position].step, times * count);
  }
}

bool HeldIndices::isHeld() const {
  return llvm::all_of(idle, [&](const IdleLanes &lanes) {
    for (unsigned level = 1; level <= lanes.level; ++level)
      if (flat.levels[level].keeps[flat.output] && !isHeld(lanes, level))
        return false;
    return true;
  });
}

/// Since the lanes of `lanes.level` fell idle: there the loops inside are at their last index, so
/// that this is what they were left with; at a level further out they have but one.
bool HeldIndices::isHeld(const IdleLanes &lanes, unsigned level) const {
  const FlatLevel &at = flat.levels[level];
  int64_t left = dim.size() - 1;
  auto isInside = [&](const Digit &digit) {
    return !digit.parallel && digit.loop >= lanes.since && digit.loop < at.temporal;
  };
  for (size_t i = 0; i < setting.size(); ++i) {
    const Digit &digit = dim.list()[i];
    bool isOutside = digit.parallel ? digit.loop < at.parallel : digit.loop < at.temporal;
    if (isOutside && !isInside(digit))
      left -= setting[i] * digit.step;
  }
  for (size_t i = 0; i < setting.size(); ++i) {
    const Digit &digit = dim.list()[i];
    if (!isInside(digit))
      continue;
    int64_t most = std::min(digit.factor - 1, left / digit.step);
    if (most != (level == lanes.level ? setting[i] : 0))
      return false;
    left -= most * digit.step;
  }
  return true;
}

//===-- Elements ----------------------------------------------------------------------------===//

/// Elements of which the idle lanes of all these levels hold parts. A result that is written
/// through windows has none (see hasClosedForm).
llvm::Optional<Checked> FinishedCount::elements(llvm::ArrayRef<IdleLanes> idle) const {
  Checked product = 1;
  for (const Rank &rank : factors.ranks) {
    if (rank.terms.empty()) {
      product *= rank.extent ? 0 : 1;
      continue;
    }
    unsigned dim = rank.terms.front().dim;
    IndexRange range = unpadded(rank, flat.nest->dims[dim].size);
    llvm::Optional<Checked> held = HeldIndices(levels, dim, range, idle).count();
    if (!held)
      return llvm::None;
    product *= *held;
  }
  return product;
}

/// Whether the point with these indices of the group's dimensions is not padding.
static bool isInside(const Rank &rank, const RankGroup &group, llvm::ArrayRef<int64_t> index) {
  int64_t value = rank.constant;
  for (const Term &term : rank.terms)
    value += term.coefficient * index[llvm::find(group.dims, term.dim) - group.dims.begin()];
  return !rank.extent || (0 <= value && value < *rank.extent);
}

/// Elements of which the idle lanes of some of these levels hold parts.
llvm::Optional<Checked> FinishedCount::heldByAny(llvm::ArrayRef<IdleLanes> idle) const {
  Checked sum = 0;
  for (uint32_t subset = 1; subset < uint32_t(1) << idle.size(); ++subset) {
    llvm::SmallVector<IdleLanes, 4> chosen;
    for (size_t i = 0; i < idle.size(); ++i)
      if (subset >> i & 1)
        chosen.push_back(idle[i]);
    llvm::Optional<Checked> held = elements(chosen);
    if (!held)
      return llvm::None;
    sum = chosen.size() % 2 ? sum + *held : sum - *held;
  }
  return sum;
}

/// Points of which no other touches the same element.
Checked FinishedCount::pointsAlone() const {
  if (llvm::any_of(factors.unused, [&](unsigned dim) { return flat.nest->dims[dim].size > 1; }))
    return 0;
  Checked alone = 1;
  for (const Rank &rank : factors.ranks) {
    RankGroup group{{rank}, {}};
    for (const Term &term : rank.terms)
      group.dims.push_back(term.dim);
    if (rank.terms.size() > 1) {
      alone *= pointsAlone(group);
      continue;
    }
    IndexRange range = rank.terms.empty()
                           ? IndexRange{0, rank.extent ? 0 : 1}
                           : unpadded(rank, flat.nest->dims[group.dims.front()].size);
    alone *= std::max<int64_t>(0, range.high - range.low);
  }
  for (const RankGroup &group : factors.groups)
    alone *= pointsAlone(group);
  return alone;
}

Checked FinishedCount::pointsAlone(const RankGroup &group) const {
  ElementNumbers numbers(*flat.nest, group);
  Checked points = 1;
  for (unsigned dim : group.dims)
    points *= flat.nest->dims[dim].size;
  if (points.overflowed() || (work -= points.value()) < 0)
    return 0;
  std::vector<int64_t> touched;
  llvm::SmallVector<int64_t, 4> index(group.dims.size(), 0);
  for (size_t k = 1; k > 0;) {
    int64_t number = 0;
    for (k = 0; k < index.size(); ++k)
      number += index[k] * numbers.coefficients()[k];
    if (llvm::all_of(group.ranks, [&](const Rank &rank) { return isInside(rank, group, index); }))
      touched.push_back(number);
    while (k > 0 && ++index[k - 1] == flat.nest->dims[group.dims[k - 1]].size)
      index[--k] = 0;
  }
  llvm::sort(touched);
  int64_t alone = 0;
  for (size_t i = 0; i < touched.size(); ++i)
    alone += (i == 0 || touched[i - 1] != touched[i]) &&
             (i + 1 == touched.size() || touched[i + 1] != touched[i]);
  return alone;
}

llvm::Optional<std::vector<int64_t>> FinishedCount::run() {
  std::vector<int64_t> result(levels.size(), 0);
  Checked all = touchedElements(levels.front(), factors, work);
  bool always = false;
  std::vector<IdleLanes> idle;
  for (unsigned level = 0; level < flat.lanes(); ++level) {
    if (!flat.levels[level].keeps[flat.output])
      continue;
    Sharing sharing = level ? sharingAt(level) : Sharing();
    always |= sharing.always;
    if (always)
      continue;
    if (sharing.since)
      idle.push_back({level, *sharing.since});
    llvm::Optional<Checked> held = heldByAny(idle);
    if (!held || (all - *held).overflowed())
      return llvm::None;
    result[level] = (all - *held).value();
  }
  Checked alone = pointsAlone();
  if (alone.overflowed())
    return llvm::None;
  result[flat.lanes()] = alone.value();
  return result;
}

llvm::Optional<std::vector<int64_t>> loopnest::finishedByLevel(llvm::ArrayRef<LevelDigits> levels,
                                                               const Factors &factors,
                                                               SetWork &work) {
  return FinishedCount(levels, factors, work).run();
}
