// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group of applications (op.fused) as one kernel: the tensors that go in and come out, the values
// passed on inside as intermediates, and the statements of all members in order. Whoever costs a
// kernel of several statements therefore costs a group as well.
#ifndef PERFC_PASSES_GROUPKERNEL_H
#define PERFC_PASSES_GROUPKERNEL_H

#include "passes/Pass.h"
#include "llvm/ADT/StringMap.h"

namespace perfc {
namespace passes {

/// Makes the kernels of groups; groups of the same kernels with the same wiring share one.
class GroupKernels {
public:
  GroupKernels(ir::Module &module, const ir::OpRegistry &registry)
      : module(module), builder(registry) {}

  /// The kernel of `fused`, whose region holds applications and op.yield. The kernel's inputs are
  /// the operands of `fused` in order, its outputs the results. Its tensors have the names of the
  /// members' tensors, or, with `namesValues`, those of the values where these have one.
  ir::Operation &kernelOf(ir::Operation &fused, bool namesValues = false);

private:
  std::string key(const ir::Operation &fused, bool namesValues) const;
  ir::Operation &merge(ir::Operation &fused, bool namesValues);

  ir::Module &module;
  ir::Builder builder;
  llvm::StringMap<ir::Operation *> known;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_GROUPKERNEL_H
