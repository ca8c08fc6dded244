// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chip as loop nests see it: its memories and arrays as one list of places from the outside to
// the inside. A memory inside an array has an instance in each element of it. A statement runs on
// one unit: the places on the way to it are the arrays around it and the memories that stand before
// it and before these arrays; memories after which no unit or array stands feed the units of their
// block, too. What stands beside has no part in the statement.
#ifndef PERFC_PASSES_ANALYSIS_CHIPMODEL_H
#define PERFC_PASSES_ANALYSIS_CHIPMODEL_H

#include "ir/target/TargetOps.h"

namespace perfc {
namespace passes {

struct Axis {
  llvm::StringRef name;
  int64_t size;
  bool multicast; ///< one read of some input can serve all lanes along it
  bool reduce;    ///< partial sums along it are added on the way
};

struct Place {
  ir::Operation *op;
  llvm::StringRef name;
  bool isArray;
  std::vector<Axis> axes;               ///< of an array
  llvm::Optional<int64_t> capacityBits; ///< of a memory, when it is given
  bool isDispatched = false;            ///< of an array

  /// True for a memory that holds tensors of `role` (input, weight or output).
  bool keeps(llvm::StringRef role) const;
};

struct Chip {
  target::ChipOp op;
  std::vector<Place> places;
  std::vector<target::ComputeOp> units;

  /// All places of the chip.
  explicit Chip(target::ChipOp chip);
  /// The places on the way to `unit`.
  Chip(target::ChipOp chip, target::ComputeOp unit);
  llvm::Optional<unsigned> find(llvm::StringRef place) const;
};

/// True for an array around `part`, a memory or unit, and for a memory that it is fed from.
bool isOnWay(const ir::Operation &place, const ir::Operation &part);

/// The network of `array` that carries `role`: one that says so, by `carry` or by the part that it
/// leads to, else one that carries everything; null when there is none.
target::NetworkOp networkFor(const ir::Operation &array, llvm::StringRef role);

/// True when the network of `array` for `role` shares words along `axis`: reads, or for "output"
/// sums. An array without any network shares all.
bool sharesAlong(const ir::Operation &array, llvm::StringRef axis, llvm::StringRef role);

/// What a tensor's role is to a memory: "input" (activations, caches, tokens), "weight" or "output"
/// (for what a statement writes).
llvm::StringRef memoryRole(llvm::StringRef operandRole, bool isWritten);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_CHIPMODEL_H
