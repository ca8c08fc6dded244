// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a software stack runs as one kernel: `fuses` of the runtime that an evaluation names.
#ifndef PERFC_PASSES_FUSIONRULES_H
#define PERFC_PASSES_FUSIONRULES_H

#include "ir/study/StudyOps.h"

namespace perfc {
namespace passes {

struct FusionRules {
  bool elementwise = true; ///< an elementwise kernel with the one before it that streams
  bool epilogues = true;   ///< an elementwise kernel with the product before it
  bool biases = true;      ///< an elementwise kernel that brings weights alone, with the product
  bool additions = false;  ///< an addition of activations with the norm that reads it
  bool products = false;   ///< products of one input with weights

  /// Those of the evaluation's runtime; without one what a compiler finds from kernel to kernel.
  static FusionRules of(study::EvaluateOp evaluate);
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_FUSIONRULES_H
