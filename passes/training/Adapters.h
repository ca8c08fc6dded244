// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Low-rank adapters (Hu et al., LoRA, ICLR 2022): weights are frozen, and beside each product of a
// layer with a weight, y = x W, runs y += (x A) B with A of rank r columns and B of r rows, which
// are trained instead. A product whose weight the data choose, or whose subscripts are no plain
// indices, has none; if only the inputs of attention have adapters (queries, keys and values, as in
// the paper), neither has one whose result reaches attention through another such product only.
#ifndef PERFC_PASSES_TRAINING_ADAPTERS_H
#define PERFC_PASSES_TRAINING_ADAPTERS_H

#include "ir/core/Module.h"
#include "passes/analysis/KernelModel.h"
#include "passes/training/HelperKernels.h"

namespace perfc {
namespace passes {

class Adapters {
public:
  Adapters(ir::Module &module, const ir::OpRegistry &registry, int64_t rank, bool ofAttention,
           ir::Operation &graph)
      : module(module), builder(registry), helpers(module, registry, graph), rank(rank),
        ofAttention(ofAttention), graph(graph) {}

  /// Freezes the weights of the graph and adds adapters to its layers; `weights` counts weights.
  void run(unsigned &weights);

private:
  using Shape = llvm::SmallVector<int64_t, 6>;
  /// The parts of y[...] += x[...] * w[...].
  struct Product {
    const Statement *statement;
    const Access *input, *weight;
    size_t inputOperand;              ///< of the application
    std::vector<unsigned> contracted; ///< indices of x and w
    std::vector<unsigned> columns;    ///< indices of w and y
    std::vector<unsigned> rows;       ///< indices of x and y
  };

  bool reachesAttention(const ir::Value &value, int missing) const;
  llvm::Optional<Product> productOf(const Kernel &kernel, const ir::Operation &apply) const;
  void adapt(ir::Operation &apply, const Kernel &kernel, const Product &product, unsigned &weights);
  std::string kernelOf(const Kernel &kernel, const Product &product, bool isDown);
  ir::Value &weight(ir::Operation &before, const Product &product, bool isDown, unsigned &weights);
  ir::Value &apply(ir::Operation &before, llvm::StringRef kernel,
                   const std::vector<ir::Value *> &operands, const ir::Type &type);
  void fillStatement(const Product &product, bool isDown, ir::Operation &into);
  Shape matrixShape(const Product &product, bool isDown) const;
  Shape extents(const Product &product, llvm::ArrayRef<unsigned> indices) const;

  ir::Module &module;
  ir::Builder builder;
  HelperKernels helpers;
  int64_t rank;
  bool ofAttention;
  ir::Operation &graph;
  llvm::DenseMap<const ir::Value *, std::vector<const ir::Operation *>> users;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_ADAPTERS_H
