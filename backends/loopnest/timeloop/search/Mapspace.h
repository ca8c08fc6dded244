// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Perfect factorizations of a Timeloop input as points of a local search: every prime factor of a
// dimension stands in one slot (the loops in time or in space of one memory). A move puts a prime
// elsewhere, exchanges two, swaps loops, turns a dimension to the other axis or keeps a tensor or
// not. Meshes and capacities are checked before anything is evaluated.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_SEARCH_MAPSPACE_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_SEARCH_MAPSPACE_H

#include "ir/timeloop/Constraints.h"
#include <random>

namespace perfc::timeloop {

using Placements = std::vector<Placement>;

/// What of `dim` a slot does: 2 * memory for its loops in time, and one more for those in space.
int64_t &factorIn(Placements &placements, unsigned slot, unsigned dim);
int64_t factorIn(const Placements &placements, unsigned slot, unsigned dim);

/// The rule for what stands in a slot.
const NestRule &ruleOf(const Constraints &constraints, unsigned slot);
/// Puts `dim` along the other axis.
void turn(Nest &nest, unsigned dim);

/// Why there is no mapping to begin with.
struct NoStart {
  std::vector<unsigned> dims;    ///< these have no place, together
  llvm::Optional<unsigned> slot; ///< whose array has no room for what is fixed of the first
  bool gaveUp = false;           ///< there may be one: not all ways were tried
};

class Mapspace {
public:
  /// `input` and `constraints` must outlive this.
  Mapspace(const Input &input, const Constraints &constraints);

  /// Fixed factors where they must be and the rest in the outermost memory that may have it; what
  /// no memory may have goes along the arrays, as far as there is room.
  /// Nothing when that leads to no mapping, and then `why`.
  llvm::Optional<Placements> start(NoStart &why) const;
  /// Changes `placements` once; it may be invalid then. False when nothing was changed.
  bool move(Placements &placements, std::mt19937_64 &random) const;
  /// The meshes, capacities, orders and limits are kept.
  bool isValid(const Placements &placements) const;
  /// Words of a tensor that a memory needs room for.
  double tileSize(const Placements &placements, unsigned memory, unsigned space) const;
  /// Whether a subscript of the tensor has the dimension.
  bool has(unsigned space, unsigned dim) const { return used[space * input.dimCount() + dim]; }

private:
  const NestRule &rule(unsigned slot) const { return ruleOf(constraints, slot); }
  bool isFree(unsigned slot, unsigned dim) const;
  void keepWhatFits(Placements &placements) const;
  bool movePrime(Placements &placements, unsigned dim, unsigned from, unsigned to,
                 std::mt19937_64 &random) const;
  bool moveFactor(Placements &placements, std::mt19937_64 &random, bool exchange) const;
  bool moveLoops(Placements &placements, std::mt19937_64 &random) const;
  bool turnAxis(Placements &placements, std::mt19937_64 &random) const;
  bool flipKeep(Placements &placements, std::mt19937_64 &random) const;
  bool fitsMeshes(const Placements &placements) const;

  const Input &input;
  const Constraints &constraints;
  std::vector<std::vector<int64_t>> primes; ///< by dimension, each once
  std::vector<unsigned> dims;               ///< those larger than 1
  std::vector<char> used;                   ///< by tensor and dimension: see `has`
  unsigned slots = 0;
};

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_SEARCH_MAPSPACE_H
