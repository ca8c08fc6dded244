// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a chip that run operations of their own: what stands on the way to one unit, or to those
// of one array. Tensors live in the farthest memory on that way. An array with no memory before it
// is fed by another one, of which a network leads `to` it: its part begins with a memory of the
// network's name, that which the other array holds as it looks from here. For one way of networks
//     capacity  = copies * capacity of the memory that holds the tensors
//     bandwidth = the least of copies * bandwidth, of that memory and of each network
//     energy    = sum of those of the memory and of each network, per byte and for one hop
//     latency   = sum of the same
// An array that nothing feeds holds tensors in its own farthest memory.
#ifndef PERFC_PASSES_CHIPPARTS_H
#define PERFC_PASSES_CHIPPARTS_H

#include "ir/core/Module.h"
#include "ir/target/TargetOps.h"

namespace perfc {
namespace passes {

/// The array, unit or memory `path` of `chip`, after any of the arrays around it (`die.core.MMA`,
/// `die.MMA`, `MMA`); null when there is none.
ir::Operation *partNamed(target::ChipOp chip, llvm::StringRef path);

/// Where tensors live that reach `place`, an array or unit of a chip, and how they come from there.
struct Supply {
  target::MemoryOp home; ///< null when there is no memory
  /// Networks between arrays on the way, the last one leads to the array of `place`.
  std::vector<target::NetworkOp> way;
};
Supply supplyOf(ir::Operation &place);

/// A copy of `chip`, before it, that has nothing but the way to the units of `place`, an array or a
/// unit of `chip`.
target::ChipOp makePart(target::ChipOp chip, ir::Operation &place, llvm::StringRef symbol,
                        const ir::OpRegistry &registry);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_CHIPPARTS_H
