// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a software stack runs as one kernel: `fuses` of the runtime that a statement names.
#ifndef PERFC_PASSES_FUSIONRULES_H
#define PERFC_PASSES_FUSIONRULES_H

#include "ir/core/Operation.h"
#include <set>
#include <string>

namespace perfc {
namespace passes {

struct FusionRules {
  bool elementwise = true; ///< an elementwise kernel with the one before it that streams
  bool epilogues = true;   ///< an elementwise kernel with the product before it
  bool biases = true;      ///< an elementwise kernel that brings weights alone, with the product
  bool additions = false;  ///< an addition of activations with the norm that reads it
  bool products = false;   ///< products of one input with weights
  bool pairs = false;      ///< two kernels of one op that stream, beside each other
  bool experts = false;    ///< a layer of experts with what brings rows to it and adds them up
  bool sums = false;       ///< additions and norms with the sum over ranks that they read
  /// Pairs of ops: the first is what a kernel ends with, the second an elementwise one that joins
  /// it. Where there are any, the two lines of elementwise kernels above say nothing.
  std::set<std::pair<std::string, std::string>> joins;

  /// Those of the runtime of a `study.evaluate` or `study.serve`; without one what a compiler finds
  /// from kernel to kernel.
  static FusionRules of(const ir::Operation &statement);
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_FUSIONRULES_H
