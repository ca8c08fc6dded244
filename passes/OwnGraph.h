// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which statements run which graphs, for passes that change a graph by what its statement says.
#ifndef PERFC_PASSES_OWNGRAPH_H
#define PERFC_PASSES_OWNGRAPH_H

#include "ir/core/Module.h"
#include "llvm/ADT/StringMap.h"
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

/// Those of all evaluations, then of all sizes of served models.
class GraphUses {
public:
  explicit GraphUses(ir::Module &module);

  llvm::ArrayRef<GraphUse> all() const { return uses; }
  /// The graph of `use`, which becomes a copy where other uses are of the same. Null where it is a
  /// kernel.
  ir::Operation *own(const GraphUse &use);

private:
  ir::Module &module;
  std::vector<GraphUse> uses;
  llvm::StringMap<unsigned> users; ///< by symbol of the graph
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_OWNGRAPH_H
