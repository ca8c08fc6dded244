// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels take on chips of one design beside their work: a chip names its generation, and this
// names the libraries whose kernels run there. The terms are in docs/cost-model.md.
#ifndef PERFC_IR_TARGET_GENERATIONOP_H
#define PERFC_IR_TARGET_GENERATIONOP_H

#include "ir/core/Operation.h"

namespace perfc {
namespace target {

/// What was measured over the times of providers and tools, which a chip may say as well.
ir::AttrDecl measuredOverAttr();

struct GenerationOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "target.generation";
  std::vector<std::string> libraries() const { return op->symbolsAttr("libraries"); }
  /// Per multiply-accumulate, by number format.
  const ir::AttrDict &energy() const { return op->dictAttr("energy"); }
  /// Measured energies of kernels over those of the other figures.
  Uncertain measuredEnergy() const {
    return op->valueOf("measured_energy")->asQuantity().toUncertain();
  }
  Uncertain measured() const { return op->valueOf("measured")->asQuantity().toUncertain(); }
};

/// Its declaration.
ir::OpDecl generationDecl();

} // namespace target
} // namespace perfc

#endif // PERFC_IR_TARGET_GENERATIONOP_H
