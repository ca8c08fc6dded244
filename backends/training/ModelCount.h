// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model comes to as its program has it, before it is divided: weights, and the
// multiply-accumulates of a step without anything that is computed again. A product runs forward
// once, and backward once for each of its operands that has a gradient: a trained weight, or what
// is made from one. So the gradient of what comes from outside, such as that of images for the
// first convolution, is no part of it.
#ifndef PERFC_BACKENDS_TRAINING_MODELCOUNT_H
#define PERFC_BACKENDS_TRAINING_MODELCOUNT_H

#include "ir/core/Module.h"
#include "passes/analysis/KernelModel.h"
#include "llvm/ADT/DenseSet.h"

namespace perfc::training {

class ModelCount {
public:
  explicit ModelCount(const ir::Operation &graph) { visit(graph.body(), 1); }

  double macs = 0;     ///< of the forward pass
  double stepMacs = 0; ///< of both passes
  double parameters = 0, trainedParameters = 0;
  double parameterBytes = 0;

private:
  void visit(const ir::Region &region, double times);
  void weight(const ir::Operation &op, double times);
  void kernel(const ir::Operation &op, const passes::Kernel &kernel, double times);

  llvm::DenseSet<const ir::Value *> trained; ///< values that depend on trained weights
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_MODELCOUNT_H
