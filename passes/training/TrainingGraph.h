// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward graph of a training step: the workload without what only inference needs. A cache
// that is written as a whole is what is written into it; an operator with several products with
// weights (a gated feed-forward layer) runs product by product, since training keeps what stands
// between them; weights get names by which the backward graph and the sharding know them.
#ifndef PERFC_PASSES_TRAINING_TRAININGGRAPH_H
#define PERFC_PASSES_TRAINING_TRAININGGRAPH_H

#include "ir/op/OpOps.h"
#include "passes/KernelUses.h"
#include "passes/Pass.h"
#include "passes/analysis/KernelModel.h"
#include "passes/training/Strategy.h"
#include <map>

namespace perfc {
namespace passes {

/// False, reported, where `graph` has more layers than are given to stages one by one.
bool checkLayers(const ir::Operation &graph, int64_t layers, DiagnosticEngine &diagnostics);

class TrainingGraph {
public:
  TrainingGraph(ir::Module &module, PassContext &context, const Strategy &strategy)
      : module(module), diagnostics(context.diagnostics), builder(context.registry),
        registry(context.registry), strategy(strategy) {}

  /// Copies `graph` to the end of the module under the name `symbol`; null after a report. With
  /// `keepsCaches` it is for inference, and caches stay what they are.
  ir::Operation *copy(ir::Operation &graph, llvm::StringRef symbol, bool keepsCaches = false);

private:
  void separateKept();
  bool removeCaches();
  bool region(ir::Region &region);
  bool dropCache(ir::Operation &apply);
  void split(ir::Operation &apply);
  bool hasWeightProduct(const ir::Operation &apply);
  bool isRecurrent(const ir::Operation &apply);
  bool isSplit(const ir::Operation &apply);
  std::string partOf(const Kernel &kernel, const Statement &statement,
                     const llvm::StringMap<ir::Value *> &values);
  const Kernel &modelOf(const ir::Operation &apply);

  ir::Module &module;
  DiagnosticEngine &diagnostics;
  ir::Builder builder;
  const ir::OpRegistry &registry;
  const Strategy &strategy;
  std::map<const ir::Operation *, Kernel> models;
  std::map<std::pair<std::string, unsigned>, std::string> parts;
  ir::Operation *graph = nullptr;
  bool keepsCaches = false;
  unsigned weights = 0;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_TRAININGGRAPH_H
