// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factors of the mapping that a search begins with: those that the constraints fix, and places
// for the rest of each dimension. Where no memory may have all of the rest, the limits of memories
// and the arrays share it, found by trying all ways in a fixed order, up to a number of steps.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_SEARCH_FIRSTFACTORS_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_SEARCH_FIRSTFACTORS_H

#include "backends/loopnest/timeloop/search/Mapspace.h"

namespace perfc::timeloop {

class FirstFactors {
public:
  /// `placements` are empty but for the orders that the rules fix; all must outlive this.
  FirstFactors(const Input &input, const Constraints &constraints, Placements &placements);

  /// Nothing when the factors are in place, else why they are not.
  llvm::Optional<NoStart> run();

private:
  /// The factor of `dim` in a slot and the axis it is along, or for no dimension the slot's split.
  struct Decision {
    unsigned slot;
    llvm::Optional<unsigned> dim;
  };

  const NestRule &rule(unsigned slot) const { return ruleOf(constraints, slot); }
  Nest &nest(unsigned slot) { return placements[slot / 2].spatial; }
  int64_t room(unsigned slot, bool alongY) const;
  bool fits(unsigned slot);
  bool takeExact(unsigned dim);
  void addFixed();
  bool addFree(unsigned dim);
  bool fill(llvm::ArrayRef<unsigned> open);
  bool decide(size_t index);
  bool decideSplit(size_t index);
  bool decideFactor(size_t index);
  bool tryAxes(size_t index);

  const Input &input;
  const Constraints &constraints;
  Placements &placements;
  unsigned slots;
  std::vector<int64_t> rest;                  ///< of each dimension, without a place yet
  std::vector<std::vector<int64_t>> divisors; ///< of `rest`, from the largest on
  std::vector<Decision> decisions;
  size_t deepest = 0; ///< of the decisions, that one was tried for
  int64_t steps = 0;
};

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_SEARCH_FIRSTFACTORS_H
