// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that differentiation needs besides derivatives: the sum of two gradients, and softmax
// with cross entropy, where the backward pass starts.
#ifndef PERFC_PASSES_TRAINING_HELPERKERNELS_H
#define PERFC_PASSES_TRAINING_HELPERKERNELS_H

#include "ir/core/Module.h"
#include "llvm/ADT/StringMap.h"

namespace perfc {
namespace passes {

class HelperKernels {
public:
  /// New kernels go before `before`, an operation at the top of `module`.
  HelperKernels(ir::Module &module, const ir::OpRegistry &registry, ir::Operation &before)
      : module(module), builder(registry), before(before) {}

  /// y = a + b, for tensors of `type`.
  std::string sum(const ir::Type &type, const ir::Location &location);
  /// Softmax and cross entropy over the last rank with their derivative, p - onehot, in one kernel.
  std::string loss(const ir::Type &type, const ir::Location &location);

private:
  ir::Operation &create(llvm::StringRef name, const ir::Location &location);

  ir::Module &module;
  ir::Builder builder;
  ir::Operation &before;
  llvm::StringMap<std::string> known; ///< by name and type
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_HELPERKERNELS_H
