// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graphs of a training step, or of a served model in one size, as what a rank runs: a
// phase.sequence each for what stands before the layers, for a layer of each kind, and for what
// stands behind them. Layers are given to stages, so what one of them runs is all that is written
// down. Kernels and collectives say which steps of their sequence make what they read; beside them
// stand the weights that a rank holds and what it keeps for the backward pass.
#ifndef PERFC_PASSES_TRAINING_STEPSEQUENCES_H
#define PERFC_PASSES_TRAINING_STEPSEQUENCES_H

#include "ir/core/Module.h"
#include "ir/phase/PhaseOps.h"
#include "ir/target/TargetOps.h"
#include "passes/KernelUses.h"
#include "llvm/ADT/DenseSet.h"

namespace perfc {
namespace passes {

class StepSequences {
public:
  /// Sequences go before `statement`, a study.train or study.serve.
  StepSequences(ir::Module &module, const ir::OpRegistry &registry, ir::Operation &statement);

  /// Those of `graph` on `chip`, unless they are there.
  void run(ir::Operation &graph, target::ChipOp chip);

private:
  using Steps = llvm::SmallVector<uint32_t, 2>;
  /// Which sequences read a tensor that stands outside of the layers, as `read_by` counts them.
  using Readers = llvm::DenseMap<const ir::Value *, std::vector<int64_t>>;

  phase::SequenceOp sequence(llvm::StringRef part);
  void open(phase::SequenceOp next);
  void layers(ir::Operation &repeat);
  void topTensor(ir::Operation &op, llvm::ArrayRef<int64_t> readers);
  void region(const ir::Region &region, ir::Region &into);
  void operation(const ir::Operation &op, ir::Region &into);
  void inner(const ir::Operation &op, ir::Region &into);
  void kernel(const ir::Operation &op, const KernelUse &use, ir::Region &into);
  void collective(const ir::Operation &op, ir::Region &into);
  ir::Operation *weight(const ir::Operation &op, ir::Region &into);
  void keep(const ir::Operation &op, int64_t bytes, llvm::StringRef purpose, ir::Region &into);
  void keepWaiting(const ir::Operation &op, ir::Region &into);
  Steps makersOf(llvm::ArrayRef<ir::Value *> values) const;
  void step(ir::Operation &made, const ir::Operation &op);

  ir::Module &module;
  ir::Builder builder;
  ir::Operation &statement;
  ir::Operation *top; ///< of the module, where the statement stands
  bool usesTiles = false, casts = false;
  target::ChipOp chip;
  ir::Operation *graph = nullptr;
  phase::SequenceOp before, after, now;
  int64_t kinds = 0; ///< of layers
  llvm::DenseMap<const ir::Operation *, int64_t> live;
  int64_t liveNow = 0;                             ///< bytes while the operation at hand runs
  llvm::DenseSet<const ir::Operation *> ofWeights; ///< what only gradients of weights need
  llvm::DenseSet<const ir::Value *> keptElsewhere; ///< what is kept under another name, too
  llvm::DenseSet<const ir::Value *> waiting;       ///< what these read, kept
  llvm::DenseMap<const ir::Value *, Steps> makers; ///< the steps that make a value
  llvm::DenseMap<const ir::Operation *, uint32_t> counts; ///< steps of each sequence
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_STEPSEQUENCES_H
