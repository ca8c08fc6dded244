// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse-mode differentiation of one graph, as Autodiff.cpp describes. A forward value that a
// derivative reads stands in the backward graph as what the forward pass keeps of it (`stored`), or
// is computed again there.
#ifndef PERFC_PASSES_TRAINING_DIFFERENTIATOR_H
#define PERFC_PASSES_TRAINING_DIFFERENTIATOR_H

#include "passes/Pass.h"
#include "passes/training/Derive.h"
#include "passes/training/HelperKernels.h"
#include "passes/training/RankLabels.h"
#include "passes/training/Strategy.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>

namespace perfc {
namespace passes {

/// Differentiates one graph.
class Differentiator {
public:
  Differentiator(ir::Module &module, PassContext &context, const Strategy &strategy,
                 ir::Operation &forward)
      : module(module), diagnostics(context.diagnostics), builder(context.registry),
        strategy(strategy), forward(forward), labels(forward, strategy.batch),
        adjoints(module, context.registry), helpers(module, context.registry, forward) {}

  /// Makes the backward graph `symbol`; false after a report.
  bool run(llvm::StringRef symbol, ir::Operation &statement);

private:
  /// A forward region, the backward region that undoes it, and where in that region values may
  /// still be put: before `next`, or at its end.
  struct Frame {
    Frame(ir::Region &from, ir::Region &into) : from(&from), into(&into) {}
    ir::Region *from;
    ir::Region *into;
    ir::Operation *next = nullptr;
    llvm::DenseMap<const ir::Value *, ir::Value *> weightGradients;
    std::vector<const ir::Value *> weightOrder;
  };

  void findActive(ir::Region &region);
  bool seed();
  /// `outside` are the values from around `from` whose gradients it adds to.
  bool region(ir::Region &from, ir::Region &into, llvm::ArrayRef<const ir::Value *> outside = {});
  std::vector<const ir::Value *> captured(ir::Region &region) const;
  ir::Value &zero(const ir::Value &of, const ir::Location &location);
  bool apply(ir::Operation &op);
  bool repeat(ir::Operation &op);
  ir::Value *stored(const ir::Value &value);
  ir::Value *restored(const ir::Value &value, Frame &frame);
  Recompute modeOf(const ir::Region &region) const;
  bool isRecomputed(const ir::Value &value) const;
  ir::Value *recompute(const ir::Operation &apply, const ir::Value &value, Frame &frame);
  void recomputeAll(ir::Region &from);
  void markDiscarded(ir::Region &into) const;
  void addGradient(const ir::Value &of, ir::Value &gradient, bool isOfAdapter = false);
  void settle(const ir::Value &of);
  ir::Value &sum(ir::Value &a, ir::Value &b, Frame &frame, const ir::Location &location);
  ir::Operation *create(Frame &frame, llvm::StringRef name, const ir::Location &location);
  Frame &frameOf(const ir::Value &value);

  ir::Module &module;
  DiagnosticEngine &diagnostics;
  ir::Builder builder;
  const Strategy &strategy;
  ir::Operation &forward;
  RankLabels labels;
  Adjoints adjoints;
  ir::Operation *backward = nullptr;
  std::deque<Frame> frames;
  llvm::DenseSet<const ir::Value *> active;                 ///< values that depend on weights
  llvm::DenseMap<const ir::Value *, ir::Value *> gradients; ///< of forward values
  /// Those that come through adapters, added behind all others: these are parts of one sum among
  /// tensor-parallel ranks, which then is added up once.
  llvm::DenseMap<const ir::Value *, ir::Value *> ofAdapters;
  llvm::DenseMap<const ir::Value *, ir::Value *>
      counterparts; ///< forward values in the backward graph
  HelperKernels helpers;
  llvm::DenseSet<const ir::Operation *> copies; ///< what is computed again
  unsigned saves = 0;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_DIFFERENTIATOR_H
