// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a mapspace leaves open: per slot the factors that each dimension may have there and the
// order of its loops. Without rules every perfect factor and every order is open.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_SLOTRULES_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_SLOTRULES_H

#include "backends/loopnest/search/MapSpace.h"
#include "ir/common/Source.h"

namespace perfc {
namespace loopnest {

/// Factors that a dimension may have in a slot.
struct FactorRule {
  bool open = true;
  std::vector<int64_t> values; ///< sorted, if not open

  bool allows(int64_t factor) const {
    return open || std::binary_search(values.begin(), values.end(), factor);
  }
};

struct SlotRule {
  std::array<FactorRule, maxDims> factors;
  bool orderOpen = true;
  std::vector<unsigned> order; ///< outermost first, if not open
  std::string name;            ///< as written: "GLB", "PE.x"
  SourceRange range;           ///< nowhere for a slot without rules
  bool allows(unsigned dim, int64_t factor) const { return factors[dim].allows(factor); }
};

using SlotRules = std::vector<SlotRule>; ///< by slot

/// Rules that leave everything open.
SlotRules openRules(const MapSpace &space);

/// The same rules, but where they leave it open, loops in time over a dimension that every tensor
/// has stand at the outermost memory alone. Some best mapping is so: moved outside of all others,
/// such a loop makes tiles smaller, and between two of its steps no tensor keeps anything, wherever
/// it stands; all that it stood between is together then.
SlotRules withSharedOutside(const MapSpace &space, const SlotRules &rules);

/// The divisors of `number`, ascending.
std::vector<int64_t> divisors(int64_t number);

/// The orders of the loops of a slot that can differ in cost, as permutations of the dimensions,
/// outermost first. From the inside outward: as long as some tensor could find there what an epoch
/// before left, it matters which loop is next; what is outside that does not.
std::vector<std::array<uint8_t, maxDims>> ordersOf(const MapSpace &space,
                                                   const std::array<int64_t, maxDims> &factors,
                                                   unsigned slot, const SlotRule &rule,
                                                   bool axisOrderMatters);

/// The same for the loops of a memory where those over `ragged` may leave a rest: a tensor may find
/// what it held after such a loop, too (idle lanes keep it, and a last pass may have one step).
/// None when there are more than `most`. Left out are those in which some tensor finds less and
/// none finds more than in another one; with `onlyEqual` only those in which all find the same.
std::vector<std::array<uint8_t, maxDims>> raggedOrders(const MapSpace &space,
                                                       const std::array<int64_t, maxDims> &factors,
                                                       DimMask ragged, size_t most, bool onlyEqual);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_SLOTRULES_H
