// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph of a statement, with its kernels, as a row of a table has built it. Where no constant
// of a fit has a part in it, it is the same for all values of these: the row moves it into its next
// module in the place of building it.
#ifndef PERFC_FRONTEND_BUILD_KEPTGRAPH_H
#define PERFC_FRONTEND_BUILD_KEPTGRAPH_H

#include "frontend/build/BuildContext.h"

namespace perfc {

class KeptGraph {
public:
  /// The graph of `subject` in the module of `context`, which has none yet: the one kept, where it
  /// is of the same; else what `build` makes, which is kept if it may be.
  llvm::Optional<BuiltGraph> in(BuildContext &context, const Instance &subject, DType dtype,
                                llvm::function_ref<llvm::Optional<BuiltGraph>()> build);
  /// Takes back what is in `module`.
  void takeFrom(ir::Module &module);

private:
  void moveInto(BuildContext &context) const;
  void forget();

  std::string key; ///< what it was built from; "" where nothing is kept
  std::vector<std::unique_ptr<ir::Operation>> owned; ///< while no module has them
  std::vector<ir::Operation *> lent;                 ///< to a module, in order
  BuiltGraph graph;
  llvm::StringMap<std::string> symbols, applied;
  llvm::StringMap<BuiltGraph> graphs;
  llvm::StringMap<OpModel> kernels;
  llvm::StringMap<Instance> lineAlgorithms;
};

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_KEPTGRAPH_H
