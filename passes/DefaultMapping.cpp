// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DefaultMapping.h"

#include "ir/common/Rational.h"
#include "passes/analysis/Dependences.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace perfc;
using namespace perfc::passes;

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
    if (Dependences dependences(statement); !dependences.empty())
      order = *dependences.someOrder();
    // Whole at the outermost memory from the begin on.
    for (unsigned index : order.outermost)
      factors[0][index] = extents[index];
  }

  NestPlan run() {
    for (size_t p = chip.places.size(); p-- > 0;)
      if (chip.places[p].isArray)
        spread(static_cast<unsigned>(p));
    for (size_t p = chip.places.size(); p-- > 1;)
      if (!chip.places[p].isArray && (p + 1 == chip.places.size() || chip.places[p + 1].isArray))
        fill(static_cast<unsigned>(p));
    for (unsigned i = 0; i < extents.size(); ++i)
      factors[0][i] *= left(i);
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

  /// With `sharing` lanes along `axis` get what they have in common by one message; without, also
  /// those that are sent it one by one, as long as each adds up results of its own.
  bool maySpread(const Axis &axis, unsigned i, bool sharing) const {
    if (!order.serial.empty() && order.serial[i])
      return false;
    if (statement.isReduction(i))
      return sharing && axis.reduce;
    return !sharing || axis.multicast ||
           llvm::all_of(statement.reads, [&](const Access &read) { return read.uses(i); });
  }

  void spread(unsigned place) {
    const Place &array = chip.places[place];
    for (unsigned a = 0; a < array.axes.size(); ++a) {
      int64_t lanes = array.axes[a].size;
      for (bool sharing : {true, false}) {
        llvm::SmallVector<bool, 8> tried(extents.size(), false);
        while (llvm::Optional<unsigned> best = bestIndex(array.axes[a], lanes, sharing, tried)) {
          tried[*best] = true;
          int64_t taken = growLanes(place, *best, lanes);
          if (taken == 1)
            continue;
          lanes /= taken;
          laneLoops.push_back({{place, a, *best}, taken});
        }
      }
    }
  }

  /// The index that would use most of `lanes`; reduction indices first among equals.
  llvm::Optional<unsigned> bestIndex(const Axis &axis, int64_t lanes, bool sharing,
                                     llvm::ArrayRef<bool> tried) const {
    llvm::Optional<unsigned> best;
    int64_t bestScore = 0;
    for (unsigned i = 0; i < extents.size(); ++i) {
      int64_t rest = left(i);
      if (tried[i] || rest < 2 || lanes < 2 || !maySpread(axis, i, sharing))
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

  /// The first memory at `place` or further in that keeps `access`; the unit when there is none.
  size_t keeperOf(const Access &access, unsigned place) const {
    for (size_t p = place; p < chip.places.size(); ++p)
      if (!chip.places[p].isArray &&
          chip.places[p].keeps(memoryRole(access.operand.role(), &access == &statement.write)))
        return p;
    return chip.places.size();
  }

  /// Estimated bytes of `access` that come from outside into its keeper at `place` or further in,
  /// with what no loop covers yet outside; for the stationary access only loops that it uses count.
  double traffic(unsigned place, const Access &access, bool isStationary) const {
    size_t keeper = keeperOf(access, place);
    Factors tile(extents.size(), 1);
    double times = 1;
    for (size_t p = place; p < chip.places.size(); ++p)
      for (unsigned i = 0; i < extents.size(); ++i)
        if (p >= keeper)
          tile[i] = std::min(tile[i] * factors[p][i], extents[i]);
        else if (!chip.places[p].isArray || access.uses(i))
          times *= static_cast<double>(factors[p][i]);
    bool isPartial = false;
    for (unsigned i = 0; i < extents.size(); ++i)
      if (access.uses(i) || !isStationary) {
        times *= static_cast<double>(left(i));
        isPartial |= left(i) > 1 && &access == &statement.write && statement.isReduction(i);
      }
    return times * static_cast<double>(access.elements(tile)) * storedBytes(access.format) *
           (isPartial ? 2 : 1);
  }

  /// The access that is best left where it is while the loops outside `place` run, and the traffic.
  std::pair<const Access *, double> bestStationary(unsigned place) const {
    llvm::SmallVector<const Access *, 4> all{&statement.write};
    for (const Access &read : statement.reads)
      all.push_back(&read);
    std::pair<const Access *, double> best{nullptr, 0};
    for (const Access *stationary : all) {
      double sum = 0;
      for (const Access *access : all)
        sum += traffic(place, *access, access == stationary);
      if (!best.first || sum < best.second)
        best = {stationary, sum};
    }
    return best;
  }

  /// What the loop over `i` at `place` may grow by next: the smallest prime that divides what is
  /// left, or 2 where that has no room; 1 when neither has.
  int64_t growth(unsigned place, unsigned i) {
    int64_t rest = left(i), prime = 2;
    while (prime * prime <= rest && rest % prime != 0)
      ++prime;
    if (rest % prime != 0)
      prime = rest;
    for (int64_t step : {prime, int64_t(2)})
      if (step <= rest && room(place, i, step) == step)
        return step;
    return 1;
  }

  /// Grows the tile of `place`, always by the step after which the least comes from outside, and
  /// remembers what had better stay while the next loops outside run.
  void fill(unsigned place) {
    while (true) {
      llvm::Optional<unsigned> best;
      int64_t bestStep = 1;
      double least = 0;
      for (unsigned i = static_cast<unsigned>(extents.size()); i-- > 0;) {
        int64_t step = left(i) > 1 ? growth(place, i) : 1;
        if (step == 1)
          continue;
        factors[place][i] *= step;
        double after = bestStationary(place).second;
        factors[place][i] /= step;
        if (!best || after < least) {
          best = i;
          bestStep = step;
          least = after;
        }
      }
      if (!best)
        break;
      factors[place][*best] *= bestStep;
    }
    stationaryOutside[place] = bestStationary(place).first;
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
      // Inner loops that a tensor does not use leave it where it is.
      const Access *stays = stationaryInside(p);
      for (unsigned i : order.outermost)
        if (factors[p][i] > 1)
          result.loops.push_back({p, llvm::None, {i}, factors[p][i]});
      for (bool used : {true, false})
        for (unsigned i = 0; i < extents.size(); ++i)
          if (stays->uses(i) == used && factors[p][i] > 1 &&
              !llvm::is_contained(order.outermost, i))
            result.loops.push_back({p, llvm::None, {i}, factors[p][i]});
    }
    return result;
  }

  /// What stays while the loops at `place` run: as the next filled memory further in wants it.
  const Access *stationaryInside(unsigned place) const {
    auto next = stationaryOutside.upper_bound(place);
    return next == stationaryOutside.end() ? &statement.write : next->second;
  }

  const Chip &chip;
  const Statement &statement;
  Factors extents;
  LoopOrder order;              ///< of a statement with dependences
  std::vector<Factors> factors; ///< by place and index
  std::vector<std::pair<Lane, int64_t>> laneLoops;
  std::map<unsigned, const Access *> stationaryOutside; ///< by filled memory
};

} // namespace

llvm::Optional<NestPlan> passes::defaultPlan(const Chip &chip, const Statement &statement) {
  if (firstFullMemory(chip, statement))
    return llvm::None;
  return DefaultMapper(chip, statement).run();
}
