// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that stand for others: branches and functions.
#include "frontend/import/graph/Flattener.h"
#include "ir/common/diagnostics/Graphs.h"

using namespace perfc;
using namespace perfc::graph;

/// The nodes of `graph`, those of the graphs inside too.
static size_t nodesIn(const Graph &graph) {
  size_t count = graph.nodes.size();
  for (const Node &node : graph.nodes)
    for (const Attribute &attribute : node.attributes)
      count += attribute.graph ? nodesIn(*attribute.graph) : 0;
  return count;
}

/// The branch that is taken stands in the place of the node. Where that depends on data, it is the
/// one that does more: the other is often for when there is nothing to do.
bool Flattener::branch(const Node &node, Names &names) {
  int condition = node.inputs.empty() ? -1 : names.find(node.inputs[0]);
  if (condition < 0)
    return fail(node, "it has no condition");
  const Attribute *yes = node.find("then_branch"), *no = node.find("else_branch");
  if (!yes || !no || !yes->graph || !no->graph)
    return fail(node, "it has no two branches");
  llvm::Optional<double> known = net.number(condition);
  bool isFirst = known ? *known != 0 : nodesIn(*yes->graph) >= nodesIn(*no->graph);
  if (!known)
    diagnostics.report(at(node.offset), diag::GraphBranch, number, nameOf(node), node.op,
                       fmt::format("its {} branch is taken, which has as many nodes or more",
                                   isFirst ? "first" : "second"));
  const Graph &graph = isFirst ? *yes->graph : *no->graph;
  Names inner;
  inner.outer = &names;
  if (!addBody(graph, inner))
    return false;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    int value = resultOf(graph, i, inner, node);
    if (value < 0 || !bind(node, node.outputs[i], value, names))
      return false;
  }
  return true;
}

bool Flattener::addBody(const Graph &graph, Names &inner) {
  declare(graph, inner);
  return addInitializers(graph, inner) && addNodes(graph.nodes, inner);
}

int Flattener::resultOf(const Graph &graph, size_t index, const Names &inner, const Node &node) {
  int value = index < graph.outputs.size() ? inner.find(graph.outputs[index].name) : -1;
  if (value < 0)
    fail(node, fmt::format("its graph makes no result {}", index + 1));
  return value;
}

/// The nodes of `function` on the operands of `node`, with the attributes that these refer to.
bool Flattener::call(const Function &function, const Node &node, Names &names) {
  constexpr unsigned mostCalls = 64;
  if (++depth > mostCalls)
    return fail(node, "functions call each other too deep");
  Names inner;
  for (const ValueInfo &info : function.values)
    inner.declared[info.name] = &info;
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    int value = i < node.inputs.size() && !node.inputs[i].empty() ? names.find(node.inputs[i]) : -1;
    if (value >= 0)
      inner.values[function.inputs[i]] = value;
  }
  for (const Node &one : function.nodes) {
    bool refers =
        llvm::any_of(one.attributes, [](const Attribute &part) { return !part.reference.empty(); });
    const Node *instance = &one;
    if (refers) {
      Node copy;
      copy.op = one.op;
      copy.domain = one.domain;
      copy.name = one.name;
      copy.inputs = one.inputs;
      copy.outputs = one.outputs;
      copy.offset = one.offset;
      for (const Attribute &part : one.attributes) {
        const Attribute *given = part.reference.empty() ? &part : node.find(part.reference);
        for (const Attribute &byDefault : function.defaults)
          if (!given && byDefault.name == part.reference)
            given = &byDefault;
        if (given)
          copy.attributes.push_back(given->copy(part.name));
      }
      instance = &newNode(std::move(copy));
    }
    if (!addNode(*instance, inner))
      return false;
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    int value = i < function.outputs.size() ? inner.find(function.outputs[i]) : -1;
    if (value < 0 && !node.outputs[i].empty())
      return fail(node, fmt::format("its function makes no result {}", i + 1));
    if (!bind(node, node.outputs[i], value, names))
      return false;
  }
  --depth;
  return true;
}
