// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which statements run which graphs, for passes that change a graph by what its statement says.
#ifndef PERFC_PASSES_OWNGRAPH_H
#define PERFC_PASSES_OWNGRAPH_H

#include "ir/core/Module.h"
#include <vector>

namespace perfc {
namespace passes {

/// A graph that a statement runs: the subject of an evaluation, or the model of a `serve` in one
/// size.
struct GraphUse {
  ir::Operation *statement;
  ir::Operation *holder; ///< whose attribute `name` is the graph
  llvm::StringLiteral name;

  llvm::StringRef symbol() const { return holder->symbolAttr(name); }
};

/// All evaluations, then all sizes of served models.
std::vector<GraphUse> graphUses(ir::Module &module);

/// The graph of `use`, which becomes a copy where other uses are of the same. Null where it is a
/// kernel.
ir::Operation *ownGraph(ir::Module &module, const GraphUse &use);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_OWNGRAPH_H
