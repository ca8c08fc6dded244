// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as a graph applies them: alone or as a group, and which of the user's mappings serves
// which statement.
#ifndef PERFC_PASSES_KERNELUSES_H
#define PERFC_PASSES_KERNELUSES_H

#include "ir/core/Module.h"
#include "ir/loopnest/LoopnestOps.h"
#include "ir/op/OpOps.h"
#include "ir/study/StudyOps.h"

namespace perfc {
namespace passes {

/// True for the result of an op.tensor that is a weight.
bool isWeight(const ir::Value &value);

/// One kernel that runs, and the kernels it is made of with the number of their first statement.
struct KernelUse {
  op::KernelOp kernel;
  const ir::Operation *applied = nullptr; ///< what applies it; null for a kernel by itself
  struct Member {
    op::KernelOp kernel;
    size_t firstStatement;
  };
  llvm::SmallVector<Member, 3> members;

  /// Whether `tensor` of the kernel is a weight of the model where this applies it, also where the
  /// kernel, such as that of an equation in a workload, does not say so.
  bool isWeight(llvm::StringRef tensor) const;
  /// Whether there is a tensor of the latter kind: other uses of the kernel may have none.
  bool hasOwnWeights() const;
};

/// The kernel of op.apply or op.fused; a null kernel for other operations, and for a group that has
/// no kernel.
KernelUse kernelUse(const ir::Operation &op);
/// `kernel` by itself.
KernelUse kernelUse(op::KernelOp kernel);

/// The blocks of a kernel on `chip`: of one symbol for all uses that have the same weights.
std::string tileSymbol(const KernelUse &use, llvm::StringRef chip);

/// The axes along which ranks run all that `op` applies alike.
std::vector<std::string> alikeAxes(const ir::Operation &op);

/// The member of a fused kernel that a statement of it comes from.
const KernelUse::Member &memberOf(const KernelUse &use, size_t statement);

/// Calls `visit` for each use of a kernel by the subject of `evaluate`, in order. False when the
/// graph still has calls: reported in the name of `pass`.
bool forEachUse(study::EvaluateOp evaluate, llvm::StringRef pass, DiagnosticEngine &diagnostics,
                llvm::function_ref<void(const KernelUse &)> visit);
/// The same for the first use of each kernel.
bool forEachKernel(study::EvaluateOp evaluate, llvm::StringRef pass, DiagnosticEngine &diagnostics,
                   llvm::function_ref<void(const KernelUse &)> visit);

/// The dataflow that `evaluate` gives to a statement of a kernel on a chip; null when it gives
/// none.
loopnest::DataflowOp dataflowFor(study::EvaluateOp evaluate, const KernelUse &use, size_t statement,
                                 llvm::StringRef chip);

/// The mapping among those of `evaluate` that serves statement `statement` of `use` on `chip`: one
/// for that statement, else one that names no statement and whose indices the statement has; null
/// when there is none.
loopnest::MappingOp mappingFor(study::EvaluateOp evaluate, const KernelUse &use, size_t statement,
                               llvm::StringRef chip);

/// The mapping of `evaluate` that fuses the statements of a kernel on a chip, or those of a member,
/// which has its tensors' names in the group as well; null when none does.
loopnest::MappingOp fusedMappingFor(study::EvaluateOp evaluate, const KernelUse &use,
                                    llvm::StringRef chip);

/// The symbol of the nest that `mappingFor` leads to.
std::string nestSymbolFor(study::EvaluateOp evaluate, const KernelUse &use, size_t statement,
                          llvm::StringRef chip);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_KERNELUSES_H
