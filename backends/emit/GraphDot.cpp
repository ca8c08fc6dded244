// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workloads as Graphviz graphs: one cluster per graph and per repetition, a box per kernel, an
// ellipse per tensor that comes from outside, an edge per tensor with its type.
#include "backends/emit/Emit.h"

#include "ir/core/Printer.h"
#include "ir/op/OpOps.h"

using namespace perfc;
using namespace perfc::emit;

namespace {

struct DotNode {
  std::string id, label, shape;
};

struct DotEdge {
  std::string from, to, label;
};

/// A cluster: its nodes, and the clusters inside.
struct DotCluster {
  std::string id, label;
  std::vector<DotNode> nodes;
  std::vector<DotCluster> inner;
};

class DotBuilder {
public:
  DotCluster graph(const ir::Operation &op) {
    DotCluster cluster{"cluster_" + std::to_string(clusters++), op.symbol().str(), {}, {}};
    region(op.body(), cluster);
    return cluster;
  }
  std::vector<DotEdge> edges;

private:
  void region(const ir::Region &body, DotCluster &cluster) {
    for (const ir::Operation &op : body) {
      if (op.regionCount() && (op.is("op.repeat") || op.is("op.fused")))
        nested(op, cluster);
      else if (!op.is("op.yield") && !op.is("op.return"))
        node(op, cluster);
    }
  }

  void node(const ir::Operation &op, DotCluster &cluster) {
    std::string id = "n" + std::to_string(nodes++);
    bool isTensor = op.is(op::TensorOp::opName);
    std::string label = isTensor ? op.stringAttr("kind").str() + " " + op.stringAttr("label").str()
                        : op.is(op::ApplyOp::opName) ? op.symbolAttr("kernel").str()
                        : op.is(op::CallOp::opName)  ? op.symbolAttr("graph").str()
                                                     : op.name().str();
    cluster.nodes.push_back({id, label, isTensor ? "ellipse" : "box"});
    connect(op, id);
    for (unsigned i = 0; i < op.resultCount(); ++i)
      producers[&op.result(i)] = id;
  }

  void nested(const ir::Operation &op, DotCluster &cluster) {
    DotCluster inner{"cluster_" + std::to_string(clusters++),
                     op.is("op.repeat") ? "repeat " + std::to_string(op.intAttr("count")) : "fused",
                     {},
                     {}};
    for (unsigned i = 0; i < op.body().argumentCount() && i < op.operandCount(); ++i)
      producers[&op.body().argument(i)] = producers[&op.operand(i)];
    region(op.body(), inner);
    if (!op.body().empty()) {
      const ir::Operation &last = op.body().back();
      for (unsigned i = 0; i < op.resultCount() && i < last.operandCount(); ++i)
        producers[&op.result(i)] = producers[&last.operand(i)];
    }
    cluster.inner.push_back(std::move(inner));
  }

  void connect(const ir::Operation &op, const std::string &id) {
    for (const ir::Value *operand : op.operands())
      if (std::string from = producers[operand]; !from.empty())
        edges.push_back({from, id, operand->type().text()});
  }

  llvm::DenseMap<const ir::Value *, std::string> producers;
  unsigned nodes = 0, clusters = 0;
};

} // namespace

static void printCluster(const DotCluster &cluster, llvm::raw_ostream &os, unsigned indent) {
  os.indent(indent) << "subgraph " << cluster.id << " {\n";
  os.indent(indent + 2) << "label = " << ir::quoted(cluster.label) << ";\n";
  for (const DotNode &node : cluster.nodes)
    os.indent(indent + 2) << node.id << " [label = " << ir::quoted(node.label)
                          << ", shape = " << node.shape << "];\n";
  for (const DotCluster &inner : cluster.inner)
    printCluster(inner, os, indent + 2);
  os.indent(indent) << "}\n";
}

void perfc::emit::writeDot(const Input &input, llvm::raw_ostream &os) {
  DotBuilder builder;
  std::vector<DotCluster> graphs;
  if (input.module)
    for (const ir::Operation &op : input.module->body())
      if (op.is(op::GraphOp::opName))
        graphs.push_back(builder.graph(op));
  if (graphs.empty())
    return;
  os << "digraph perfc {\n";
  for (const DotCluster &graph : graphs)
    printCluster(graph, os, 2);
  for (const DotEdge &edge : builder.edges)
    os << "  " << edge.from << " -> " << edge.to << " [label = " << ir::quoted(edge.label)
       << "];\n";
  os << "}\n";
}
