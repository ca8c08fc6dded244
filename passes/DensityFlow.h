// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Zeros through a workload: the density of each value follows from the kernel that makes it
// (DensityRules.h), unless the evaluation states it. What an evaluation says of a tensor is about
// the value of that name, else about the operand of that name of every kernel.
#ifndef PERFC_PASSES_DENSITYFLOW_H
#define PERFC_PASSES_DENSITYFLOW_H

#include "ir/study/StudyOps.h"
#include "passes/DensityRules.h"
#include "passes/KernelUses.h"
#include "llvm/ADT/DenseMap.h"

namespace perfc {
namespace passes {

class DensityFlow {
public:
  /// Follows the values of `subject`, an op.graph or op.kernel; without zeros stated in `evaluate`
  /// nothing is followed.
  DensityFlow(study::EvaluateOp evaluate, const ir::Operation &subject);

  /// What is known of the zeros of the tensors of the kernel that `op` runs as `use`: the entries
  /// of `sparsity` of a phase.kernel.
  ir::AttrList entriesFor(const ir::Operation &op, const KernelUse &use) const;

private:
  void follow(const ir::Region &region);
  void followApply(const ir::Operation &apply);
  void setDensity(const ir::Value &value, double density);
  double densityOf(const ir::Value &value) const;
  const ir::AttrDict *statedFor(llvm::StringRef name) const;
  const ir::AttrDict *statedFor(const ir::Value &value, llvm::StringRef operand) const;

  std::vector<ir::AttrDict> stated;
  llvm::DenseMap<const ir::Value *, double> densities;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_DENSITYFLOW_H
