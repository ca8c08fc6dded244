// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a kernel that one rank runs: its classes (KernelClasses.h) divided by factors. A
// divided index that a condition mentions is dealt out in stripes, rank r of f taking the positions
// f i + r, so that all ranks of a causal attention do nearly the same (Brandon et al., Striped
// Attention, 2023); the kernel is that of the rank in the middle.
#ifndef PERFC_PASSES_TRAINING_SHARDKERNEL_H
#define PERFC_PASSES_TRAINING_SHARDKERNEL_H

#include "ir/core/Module.h"
#include "passes/training/KernelClasses.h"
#include <map>

namespace perfc {
namespace passes {

/// What the symbol of a divided kernel adds to that of the whole one.
inline constexpr llvm::StringLiteral shardSuffix = "_shard";

class ShardedKernels {
public:
  ShardedKernels(ir::Module &module, const ir::OpRegistry &registry)
      : module(module), builder(registry) {}

  /// The symbol of `kernel` with each class divided by its factor, rounded up. A new one goes
  /// before `before`, an operation at the top.
  std::string of(const KernelClasses &kernel, llvm::ArrayRef<int64_t> factors,
                 ir::Operation &before);

private:
  void divide(const KernelClasses &kernel, llvm::ArrayRef<int64_t> factors, ir::Operation &copy);

  ir::Module &module;
  ir::Builder builder;
  std::map<std::pair<std::string, std::vector<int64_t>>, std::string> known;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_SHARDKERNEL_H
