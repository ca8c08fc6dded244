// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces in the IR: a collective.trace has the nodes of each rank, ranks that run the same
// together. What simulators read of a node is kept, both ways.
#ifndef PERFC_BACKENDS_NETWORK_CHAKRA_TRACEPROGRAM_H
#define PERFC_BACKENDS_NETWORK_CHAKRA_TRACEPROGRAM_H

#include "backends/network/chakra/Records.h"
#include "backends/network/chakra/Trace.h"
#include "ir/core/Operation.h"
#include <map>
#include <memory>

namespace perfc::chakra {

/// What a node does, by its word in the language: `all_reduce`.
struct NodeWord {
  llvm::StringLiteral word;
  NodeType type;
  int64_t commType = -1; ///< of a collective; -1 for others
  bool onCpu = false;
};
/// The word of `node`; that of collectives by number where it has none of its own.
const NodeWord &wordOf(const Node &node);

/// A node of the IR and the ids that it waits for.
struct ProgramNode {
  Node node;
  std::vector<uint64_t> after;
  int64_t group = 0; ///< 0 is the world
};
/// Of a collective.node.
ProgramNode programNode(const ir::Operation &op);
/// The record that holds the same.
NodeRecord recordOf(const ProgramNode &node);

/// The ranks of a collective.ranks.
std::vector<uint32_t> ranksOf(const ir::Operation &op);

struct ProgramTraces {
  std::vector<std::unique_ptr<Trace>> owned;
  std::vector<const Trace *> ranks; ///< null for those without nodes
  std::map<int64_t, std::vector<uint32_t>> groups;
};
/// Of a collective.trace; `path` of its traces is its symbol.
ProgramTraces programTraces(const ir::Operation &trace);

} // namespace perfc::chakra

#endif // PERFC_BACKENDS_NETWORK_CHAKRA_TRACEPROGRAM_H
