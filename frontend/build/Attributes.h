// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From nodes to attributes in base units: cycles by the nearest clock, words by the nearest dtype.
#ifndef PERFC_FRONTEND_BUILD_ATTRIBUTES_H
#define PERFC_FRONTEND_BUILD_ATTRIBUTES_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// What `cycle` and `word` mean in a block, and what is given for each `chip`, `node`, `link` or
/// `hop` there.
struct UnitContext {
  /// What `400GB/s/node` is times `factor` is what the block's parts have; nothing where it has no
  /// meaning, and why, or where that is not known yet.
  struct Each {
    BaseUnit unit;
    llvm::Optional<Rational> factor;
    std::string why;
  };
  llvm::Optional<Quantity> clock;
  DType dtype = DType::FP16;
  bool clockIsUnknown = false; ///< there is one, whose value nobody knows yet
  std::vector<Each> each = {};

  const Each *find(BaseUnit unit) const;
};

/// False, after a report, for a figure in base units that is neither zero nor between 1e-30 and
/// 1e30: products of those and of counts stay finite.
bool checkRange(BuildContext &context, const Quantity &value, SourceRange where);

/// `value` without cycles, words and counts; nothing after a report, or where it is not known yet.
llvm::Optional<Quantity> inBaseUnits(BuildContext &context, const Quantity &value,
                                     SourceRange where, const UnitContext &units);

/// Sets `measured_over` from the pairs of `node`, if there is one: factors that are positive.
void setMeasuredOver(BuildContext &context, const Node *node, ir::Operation &op);

/// Sets `name` from the first value of `node`, if there is one and it is known.
void setQuantity(BuildContext &context, ir::Operation &op, llvm::StringRef name, const Node *node,
                 const UnitContext &units);

/// The same for an energy per word, byte or bit, which becomes J/B.
void setEnergyPerByte(BuildContext &context, ir::Operation &op, llvm::StringRef name,
                      const Node *node, const UnitContext &units);

/// An energy in J, J/FLOP or J/OP as J per multiply-accumulate (or per element function).
llvm::Optional<Quantity> energyPerOperation(const Quantity &value, bool isVector);

/// Sets a list of names: `keep input, output`.
void setNames(ir::Operation &op, llvm::StringRef name, const Node *node);

/// Builds a target.network from a `network` node or from what a group says of its network.
ir::Operation *buildNetwork(BuildContext &context, const Node &node, ir::Region &region,
                            const UnitContext &units);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_ATTRIBUTES_H
