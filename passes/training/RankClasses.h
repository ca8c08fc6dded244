// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of the ranks of a graph's values that run together: two ranks are in one class where an
// application has them in one class of its kernel (KernelClasses), or where a value is handed on as
// another one. So the rank of the samples of all tokens and of what is made from them is a class,
// whatever extents other ranks have. Weights join nothing, nor do subscripts that shift or mix.
#ifndef PERFC_PASSES_TRAINING_RANKCLASSES_H
#define PERFC_PASSES_TRAINING_RANKCLASSES_H

#include "ir/core/Module.h"
#include "passes/training/KernelClasses.h"
#include "llvm/ADT/DenseMap.h"

namespace perfc {
namespace passes {

class RankClasses {
public:
  RankClasses(const ir::Operation &graph, KnownClasses &kernels);

  /// The class of a rank of `value`; equal numbers are equal classes.
  unsigned of(const ir::Value &value, unsigned rank);

private:
  void visit(const ir::Region &region, KnownClasses &kernels);
  void apply(const ir::Operation &op, const KernelClasses &kernel);
  void joinAll(const ir::Value &a, const ir::Value &b);
  unsigned find(unsigned node);

  llvm::DenseMap<const ir::Value *, unsigned> firstNode; ///< of the ranks of a value
  std::vector<unsigned> parent;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_RANKCLASSES_H
