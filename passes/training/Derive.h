// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of kernels. From a statement w[i] += f(a[j], b[k]) reverse-mode differentiation makes
//     da[j] += dw[i] * (df/da)
// over the same points (Griewank, Walther, "Evaluating Derivatives", 2008, ch. 3). What df/da reads
// follows from the form of f: nothing for sums, the other factors for products, the result for
// functions whose derivative it gives (exp, max(a, 0), tanh, …), all for other functions.
// A kernel of one statement has one derivative per input, as frameworks run them. One of several
// statements has a single derivative that makes its intermediate tensors again, as fused attention
// and norms do. A quotient that makes the result reads the result instead of the dividend
// (Dao et al., FlashAttention, 2022, appendix B.2), and a maximum that is only subtracted
// in an exponent has no derivative, since it cancels.
#ifndef PERFC_PASSES_TRAINING_DERIVE_H
#define PERFC_PASSES_TRAINING_DERIVE_H

#include "ir/core/Module.h"
#include "passes/analysis/KernelModel.h"
#include "llvm/ADT/SmallBitVector.h"
#include <map>

namespace perfc {
namespace passes {

/// What an input of a derivative is, in terms of the kernel it is of.
struct AdjointInput {
  enum Kind : uint8_t { Input, Output, Gradient } kind;
  unsigned index; ///< among the kernel's inputs, or among its outputs
};

/// A kernel that computes gradients.
struct Adjoint {
  std::string kernel;
  std::vector<AdjointInput> inputs;
  std::vector<unsigned> results; ///< whose gradient each output is, among the kernel's inputs
  /// The gradient goes through as it is; there is no kernel.
  bool isCopy = false;
};

class Adjoints {
public:
  Adjoints(ir::Module &module, const ir::OpRegistry &registry)
      : module(module), builder(registry) {}

  /// The derivatives of `kernel` for the inputs in `wanted`. New kernels go before `before`, an
  /// operation at the top of the module.
  const std::vector<Adjoint> &of(op::KernelOp kernel, const llvm::SmallBitVector &wanted,
                                 ir::Operation &before);

private:
  ir::Module &module;
  ir::Builder builder;
  std::map<std::pair<std::string, std::string>, std::vector<Adjoint>> known;
};

/// True when `statement` is a sum of its reads times constants.
bool isLinear(const Statement &statement);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_DERIVE_H
