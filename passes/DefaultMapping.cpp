// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DefaultMapping.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

static int64_t ceilDivide(int64_t a, int64_t b) { return (a - 1) / b + 1; }

const Place *passes::firstFullMemory(const Chip &chip, const Statement &statement) {
  llvm::SmallVector<int64_t, 8> one(statement.extents.size(), 1);
  for (const Place &place : chip.places)
    if (place.capacityBits && totalBits(keptBits(statement, place, one)) > *place.capacityBits)
      return &place;
  return nullptr;
}

namespace {

class DefaultMapper {
public:
  DefaultMapper(const Chip &chip, const Statement &statement) : chip(chip), statement(statement) {
    for (int64_t extent : statement.extents)
      extents.push_back(std::max<int64_t>(1, extent));
    factors.assign(chip.places.size(), Factors(extents.size(), 1));
  }

  NestPlan run() {
    for (size_t p = chip.places.size(); p-- > 0;)
      if (chip.places[p].isArray)
        spread(static_cast<unsigned>(p));
    for (size_t p = chip.places.size(); p-- > 1;)
      if (!chip.places[p].isArray && (p + 1 == chip.places.size() || chip.places[p + 1].isArray))
        fill(static_cast<unsigned>(p));
    for (unsigned i = 0; i < extents.size(); ++i)
      factors[0][i] = left(i);
    trim();
    return plan();
  }

private:
  using Factors = llvm::SmallVector<int64_t, 8>;
  struct Lane {
    unsigned place, axis, index;
  };

  /// Iterations of index `i` that no loop covers yet.
  int64_t left(unsigned i) const {
    int64_t cover = 1;
    for (const Factors &place : factors)
      cover *= place[i];
    return ceilDivide(extents[i], std::min(cover, extents[i]));
  }

  /// True when all memories have room.
  bool fits() const {
    Factors tile(extents.size(), 1);
    for (size_t p = chip.places.size(); p-- > 0;) {
      for (size_t i = 0; i < tile.size(); ++i)
        tile[i] = std::min(tile[i] * factors[p][i], extents[i]);
      const Place &place = chip.places[p];
      if (place.capacityBits && totalBits(keptBits(statement, place, tile)) > *place.capacityBits)
        return false;
    }
    return true;
  }

  /// The largest number up to `limit` by which the factor of `i` at `place` may be multiplied.
  int64_t room(unsigned place, unsigned i, int64_t limit) {
    int64_t before = factors[place][i];
    int64_t most = std::min(limit, left(i));
    int64_t good = 1, bad = most + 1;
    while (good + 1 < bad) {
      // The largest one first: it often fits.
      int64_t middle = bad == most + 1 ? most : good + (bad - good) / 2;
      factors[place][i] = before * middle;
      (fits() ? good : bad) = middle;
    }
    factors[place][i] = before;
    return good;
  }

  /// Takes as many lanes for `i` as give the fewest passes, and returns their number.
  int64_t growLanes(unsigned place, unsigned i, int64_t lanes) {
    int64_t rest = left(i), most = room(place, i, lanes);
    int64_t taken = ceilDivide(rest, ceilDivide(rest, most));
    factors[place][i] *= taken;
    return taken;
  }

  /// Takes a large step of `i` that leaves little of the last pass empty.
  void growTile(unsigned place, unsigned i) {
    int64_t rest = left(i), most = room(place, i, INT64_MAX - 1);
    int64_t best = most;
    for (int64_t step = most; step > most / 2 && step > most - 64; --step)
      if (ceilDivide(rest, step) * step < ceilDivide(rest, best) * best)
        best = step;
    factors[place][i] *= best;
  }

  bool maySpread(const Axis &axis, unsigned i) const {
    if (statement.isReduction(i) && !axis.reduce)
      return false;
    return axis.multicast ||
           llvm::all_of(statement.reads, [&](const Access &read) { return read.uses(i); });
  }

  void spread(unsigned place) {
    const Place &array = chip.places[place];
    for (unsigned a = 0; a < array.axes.size(); ++a) {
      int64_t lanes = array.axes[a].size;
      llvm::SmallVector<bool, 8> tried(extents.size(), false);
      while (llvm::Optional<unsigned> best = bestIndex(array.axes[a], lanes, tried)) {
        tried[*best] = true;
        int64_t taken = growLanes(place, *best, lanes);
        if (taken == 1)
          continue;
        lanes /= taken;
        laneLoops.push_back({{place, a, *best}, taken});
      }
    }
  }

  /// The index that would use most of `lanes`; reduction indices first among equals.
  llvm::Optional<unsigned> bestIndex(const Axis &axis, int64_t lanes,
                                     llvm::ArrayRef<bool> tried) const {
    llvm::Optional<unsigned> best;
    int64_t bestScore = 0;
    for (unsigned i = 0; i < extents.size(); ++i) {
      int64_t rest = left(i);
      if (tried[i] || rest < 2 || lanes < 2 || !maySpread(axis, i))
        continue;
      int64_t used = ceilDivide(rest, ceilDivide(rest, std::min(rest, lanes)));
      int64_t score = 2 * used + (statement.isReduction(i) ? 1 : 0);
      if (score > bestScore) {
        best = i;
        bestScore = score;
      }
    }
    return best;
  }

  void fill(unsigned place) {
    for (bool reductions : {true, false})
      for (size_t i = extents.size(); i-- > 0;)
        if (statement.isReduction(static_cast<unsigned>(i)) == reductions)
          growTile(place, static_cast<unsigned>(i));
  }

  /// Outer factors chosen before inner ones may be longer than needed: cuts them.
  void trim() {
    for (unsigned i = 0; i < extents.size(); ++i) {
      int64_t cover = 1;
      for (size_t p = chip.places.size(); p-- > 0;) {
        int64_t most = ceilDivide(extents[i], std::min(cover, extents[i]));
        if (chip.places[p].isArray) {
          factors[p][i] = 1;
          for (auto &loop : llvm::reverse(laneLoops))
            if (loop.first.place == p && loop.first.index == i) {
              loop.second = std::min(loop.second, most);
              factors[p][i] *= loop.second;
              most = ceilDivide(most, loop.second);
            }
        } else {
          factors[p][i] = std::min(factors[p][i], most);
        }
        cover *= factors[p][i];
      }
    }
  }

  NestPlan plan() const {
    NestPlan result{&chip, &statement, {}, {}};
    for (unsigned p = 0; p < chip.places.size(); ++p) {
      result.places.push_back(p);
      for (const auto &loop : laneLoops)
        if (loop.first.place == p && loop.second > 1)
          result.loops.push_back({p, loop.first.axis, {loop.first.index}, loop.second});
      if (chip.places[p].isArray)
        continue;
      for (bool reductions : {false, true})
        for (unsigned i = 0; i < extents.size(); ++i)
          if (statement.isReduction(i) == reductions && factors[p][i] > 1)
            result.loops.push_back({p, llvm::None, {i}, factors[p][i]});
    }
    return result;
  }

  const Chip &chip;
  const Statement &statement;
  Factors extents;
  std::vector<Factors> factors; ///< by place and index
  std::vector<std::pair<Lane, int64_t>> laneLoops;
};

} // namespace

llvm::Optional<NestPlan> passes::defaultPlan(const Chip &chip, const Statement &statement) {
  if (firstFullMemory(chip, statement))
    return llvm::None;
  return DefaultMapper(chip, statement).run();
}
