// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/LeastTiles.h"

#include "ir/common/Rational.h"
#include <map>
#include <set>

using namespace perfc;
using namespace perfc::loopnest;

/// What it takes to find how far a mapping is from a legal one.
static constexpr int64_t stepsOfDistance = 20;

LeastTiles::LeastTiles(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                       bool imperfect, int64_t &steps)
    : space(space), weights(weights), rules(rules), imperfect(imperfect), tiles(space),
      steps(steps) {
  for (unsigned d = 0; d < space.dims(); ++d) {
    chains.push_back(chainsOf(d));
    Chain &least = chosen.emplace_back();
    least.factor.fill(INT64_MAX);
    least.inside.fill(INT64_MAX);
    for (const Chain &chain : chains.back())
      for (unsigned s = 0; s < space.slots.size(); ++s) {
        least.factor[s] = std::min(least.factor[s], chain.factor[s]);
        least.inside[s] = std::min(least.inside[s], chain.inside[s]);
      }
  }
}

/// The outermost memory that takes any loop of an index.
unsigned LeastTiles::firstOpen(unsigned dim) const {
  unsigned slot = 0;
  while (slot < space.slots.size() && (space.slots[slot].isAxis || !rules[slot].factors[dim].open))
    ++slot;
  return slot;
}

/// What the loops of an index outside of `slot` may multiply to, up to its size.
std::vector<int64_t> LeastTiles::productsOutside(unsigned dim, unsigned slot) {
  int64_t size = space.nest.dims[dim].size;
  std::set<int64_t> products{1};
  for (unsigned s = 0; s < slot && steps > 0; ++s) {
    const FactorRule &rule = rules[s].factors[dim];
    std::set<int64_t> next;
    auto add = [&](int64_t product, int64_t factor) {
      next.insert(factor > size / product ? size : product * factor);
      return --steps > 0;
    };
    for (int64_t product : products) {
      for (int64_t factor = 1; rule.open && factor <= std::min(size, space.slots[s].size); ++factor)
        if (!add(product, factor))
          return {};
      for (int64_t factor : rule.values)
        if (!rule.open && !add(product, factor))
          return {};
    }
    products = std::move(next);
  }
  return {products.begin(), products.end()};
}

/// The factors that a chain may have in a slot outside of what covers so many values of its index.
/// Where a memory further out takes any loop, there is no need for one that rules do not ask for:
/// moved there, it makes all tiles between smaller. In that memory itself the least will do that
/// leaves `outside` to the loops outside of it.
std::vector<int64_t> LeastTiles::factorsAt(unsigned dim, unsigned slot, int64_t covered,
                                           llvm::ArrayRef<int64_t> outside) {
  const FactorRule &rule = rules[slot].factors[dim];
  int64_t rest = ceilDivide(space.nest.dims[dim].size, covered);
  if (slot == 0)
    return rule.allows(rest) ? std::vector<int64_t>{rest} : std::vector<int64_t>{};
  if (rule.allows(1) && (rest == 1 || firstOpen(dim) < slot))
    return {1};
  std::vector<int64_t> factors;
  if (!rule.open) {
    factors = rule.values;
  } else if (!imperfect) {
    factors = divisors(rest);
  } else if (space.slots[slot].isAxis) {
    for (int64_t factor = 1; factor <= std::min(rest, space.slots[slot].size); ++factor)
      factors.push_back(factor);
  } else {
    for (int64_t product : outside)
      factors.push_back(ceilDivide(rest, product));
    llvm::sort(factors);
    factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
    steps -= static_cast<int64_t>(outside.size());
  }
  llvm::erase_if(factors, [&](int64_t factor) {
    return factor < 1 || factor > rest || (!imperfect && rest % factor) ||
           (space.slots[slot].isAxis && factor > space.slots[slot].size);
  });
  return factors;
}

/// Whether what the chains of an index are in a slot may decide what has room.
bool LeastTiles::matters(unsigned dim, unsigned slot) const {
  const Slot &own = space.slots[slot];
  return own.isAxis ||
         (weights.memories[own.number].capacityBits && tiles.used(own.number) >> dim & 1);
}

/// Adds a chain that reaches outward to `slot`, unless one of `list`, which cover the same, needs
/// no more room anywhere.
void LeastTiles::addLeast(const Chain &chain, unsigned dim, unsigned slot,
                          std::vector<Chain> &list) {
  auto isNoLarger = [&](const Chain &a, const Chain &b) {
    --steps;
    for (unsigned s = slot; s < space.slots.size(); ++s)
      if (matters(dim, s) &&
          (space.slots[s].isAxis ? a.factor[s] > b.factor[s] : a.inside[s] > b.inside[s]))
        return false;
    return true;
  };
  if (llvm::any_of(list, [&](const Chain &other) { return isNoLarger(other, chain); }))
    return;
  llvm::erase_if(list, [&](const Chain &other) { return isNoLarger(chain, other); });
  list.push_back(chain);
}

/// From the inside outward.
std::vector<LeastTiles::Chain> LeastTiles::chainsOf(unsigned dim) {
  int64_t size = space.nest.dims[dim].size;
  Chain none;
  none.factor.fill(1);
  none.inside.fill(1);
  std::vector<int64_t> outside;
  if (unsigned open = firstOpen(dim); imperfect && open < space.slots.size())
    outside = productsOutside(dim, open);
  std::map<int64_t, std::vector<Chain>> byCover{{1, {none}}};
  for (unsigned slot = space.slots.size(); slot-- > 0;) {
    std::map<int64_t, std::vector<Chain>> next;
    for (const auto &[covered, list] : byCover)
      for (int64_t factor : factorsAt(dim, slot, covered, outside))
        for (Chain chain : list) {
          if (--steps <= 0)
            return {};
          chain.factor[slot] = factor;
          chain.inside[slot] = factor > (size - 1) / covered ? size : covered * factor;
          addLeast(chain, dim, slot, next[chain.inside[slot]]);
        }
    byCover = std::move(next);
  }
  return byCover.empty() ? std::vector<Chain>() : std::move(byCover.begin()->second);
}

/// Whether the chains at hand have room together.
bool LeastTiles::hasRoom() const {
  ChainTiles::Tile tile;
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    const Slot &slot = space.slots[s];
    int64_t lanes = slot.isAxis ? slot.size : INT64_MAX;
    for (unsigned d = 0; d < space.dims(); ++d) {
      lanes /= slot.isAxis ? chosen[d].factor[s] : 1;
      tile[d] = chosen[d].inside[s];
    }
    if (lanes == 0)
      return false;
    const auto &capacity = weights.memories[slot.isAxis ? 0 : slot.number].capacityBits;
    if (!slot.isAxis && capacity && tiles.leastBits(slot.number, tile) > double(*capacity))
      return false;
  }
  return true;
}

bool LeastTiles::choose(unsigned dim) {
  if (--steps <= 0)
    return false;
  if (!hasRoom())
    return true;
  if (dim == space.dims()) {
    Mapping mapping = space.emptyMapping();
    for (unsigned s = 0; s < space.slots.size(); ++s) {
      for (unsigned d = 0; d < space.dims(); ++d)
        mapping.factor[s][d] = chosen[d].factor[s];
      if (!rules[s].orderOpen)
        mapping.order[s] = ordersOf(space, mapping.factor[s], s, rules[s], false).front();
    }
    return visitor(mapping);
  }
  Chain least = chosen[dim];
  bool going = true;
  for (size_t i = 0; i < chains[dim].size() && going; ++i) {
    chosen[dim] = chains[dim][i];
    going = choose(dim + 1);
  }
  chosen[dim] = least;
  return going;
}

bool LeastTiles::forEach(llvm::function_ref<bool(const Mapping &)> visit) {
  visitor = visit;
  bool hasAll = steps > 0;
  bool isEmpty = llvm::any_of(chains, [](const auto &list) { return list.empty(); });
  return hasAll && (isEmpty || choose(0));
}

void LeastTiles::approach(Mapping &mapping, llvm::function_ref<double(const Mapping &)> distance) {
  double least = distance(mapping);
  for (bool nearer = true; nearer;) {
    nearer = false;
    for (unsigned d = 0; d < space.dims(); ++d)
      for (const Chain &chain : chains[d]) {
        steps -= stepsOfDistance;
        if (steps <= 0)
          return;
        Mapping other = mapping;
        for (unsigned s = 0; s < space.slots.size(); ++s)
          other.factor[s][d] = chain.factor[s];
        if (double now = distance(other); now < least) {
          least = now;
          mapping = other;
          nearer = true;
        }
      }
  }
}
