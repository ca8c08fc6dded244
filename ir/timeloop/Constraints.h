// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the mapspace of a Timeloop input leaves open: per memory and kind of loops the factors that
// are fixed or limited and the loops that stand innermost, and per tensor whether it is kept.
// What is not said is free.
#ifndef PERFC_IR_TIMELOOP_CONSTRAINTS_H
#define PERFC_IR_TIMELOOP_CONSTRAINTS_H

#include "ir/timeloop/Input.h"

namespace perfc::timeloop {

/// About one block of loops; factors have one entry per dimension.
struct NestRule {
  std::vector<llvm::Optional<int64_t>> exact; ///< the factor is this one
  std::vector<SourceRange> exactPlaces;       ///< where that is said
  std::vector<llvm::Optional<int64_t>> most;  ///< the factor is at most this
  std::vector<unsigned> inner;                ///< the innermost loops, from the inside
  llvm::Optional<unsigned> split;             ///< dimensions of `inner` along x; needs all of them
};

struct PlacementRule {
  NestRule temporal, spatial;
  std::vector<llvm::Optional<bool>> keep; ///< one per tensor
  std::vector<SourceRange> keepPlaces;    ///< where that is said
};

struct Constraints {
  std::vector<PlacementRule> memories; ///< as in Input
};

/// Constraints that leave everything open, but for levels that hold nothing: no loops, no tensors.
Constraints noConstraints(const Input &input);

} // namespace perfc::timeloop

#endif // PERFC_IR_TIMELOOP_CONSTRAINTS_H
