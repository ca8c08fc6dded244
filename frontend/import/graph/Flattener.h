// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a model to its operations with shapes: names are looked up, functions and branches inlined,
// and each operation's results inferred as it is added.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_FLATTENER_H
#define PERFC_FRONTEND_IMPORT_GRAPH_FLATTENER_H

#include "frontend/import/graph/Inference.h"
#include "frontend/import/names/ProgramNames.h"
#include "ir/common/diagnostics/Graphs.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace perfc::graph {

/// Values by name in a graph; names of the graphs around it are visible.
struct Names {
  const Names *outer = nullptr;
  llvm::StringMap<int> values;
  llvm::StringMap<const ValueInfo *> declared;

  int find(llvm::StringRef name) const {
    for (const Names *names = this; names; names = names->outer)
      if (auto found = names->values.find(name); found != names->values.end())
        return found->second;
    return -1;
  }
};

class Flattener {
public:
  Flattener(const Model &model, llvm::ArrayRef<GivenShape> shapes, FileId file, Net &net,
            DiagnosticEngine &diagnostics)
      : net(net), diagnostics(diagnostics), model(model), shapes(shapes), file(file) {
    net.format = model.format;
  }

  bool run();

  // For what a node stands for: loops, sequences and expansions.
  Net &net;
  DiagnosticEngine &diagnostics;
  /// A new value without a name.
  int add();
  int addTensor(const Tensor &tensor);
  /// Adds an operation of `made` on these operands, with `results` of new values, of which those
  /// that are -1 are left out; nothing makes them when all are known. `node` is the one of the file
  /// that it stands for.
  bool apply(const Node &made, const Node &node, llvm::ArrayRef<int> inputs,
             llvm::ArrayRef<int> results, const Names *scope);
  /// Adds an operation of `node`, whose results are new values of its names.
  bool operation(const Node &node, llvm::ArrayRef<int> inputs, Names &names);
  bool bind(const Node &node, llvm::StringRef name, int value, Names &names);
  /// The nodes of a graph inside of another one. `inner` knows its inputs.
  bool addBody(const Graph &graph, Names &inner);
  /// The value of result `index` of `graph`; -1 with a report where it has none.
  int resultOf(const Graph &graph, size_t index, const Names &inner, const Node &node);
  /// The parameter that a dimension without a number stands for.
  Dim parameter(llvm::StringRef owner, size_t index);
  /// The extent `index` of `owner`, as the file says it.
  Dim declaredDim(const DeclaredDim &dim, llvm::StringRef owner, size_t index);
  Node &newNode(Node node) {
    net.made.push_back(std::move(node));
    return net.made.back();
  }
  bool fail(const Node &node, const std::string &reason);
  SourceRange at(uint64_t offset) const {
    return {file, static_cast<uint32_t>(offset), static_cast<uint32_t>(offset)};
  }
  size_t nodeNumber() const { return number; }
  llvm::StringMap<const ExpansionEntry *> expansions; ///< by domain and operator
  /// Stored tensors in another order of dimensions: such as several operations read is stored once.
  std::map<std::pair<int, std::vector<int64_t>>, int> transposed;
  /// What stored tensors pack, by these.
  std::map<int, int> unpacked;

private:
  bool checkGiven();
  bool checkSizes();
  bool checkTensors();
  bool checkOperands(const Op &op);
  std::string inputNames() const;
  bool addInput(const ValueInfo &info, Names &names);
  void declare(const Graph &graph, Names &names);
  bool addInitializers(const Graph &graph, Names &names);
  bool addNodes(const std::deque<Node> &nodes, Names &names);
  std::vector<const Node *> inOrder(const std::deque<Node> &nodes, const Names &names) const;
  bool addNode(const Node &node, Names &names);
  bool constant(const Node &node, Names &names);
  bool weight(const Node &node, int shape, Names &names);
  bool branch(const Node &node, Names &names);
  bool call(const Function &function, const Node &node, Names &names);
  void openSizes(Value &value, llvm::StringRef owner);
  void takeDeclared(const Names &names, int value);
  int firstOf(const Op &op);
  void fold(Op &op, bool isStored);
  bool isAnotherForm(const Op &op) const;
  void removeUnused();

  const Model &model;
  llvm::ArrayRef<GivenShape> shapes;
  FileId file;
  llvm::StringMap<int64_t> bound; ///< parameters that a given shape fixes
  llvm::StringSet<> fixedSizes;   ///< those of them that the model has
  llvm::StringMap<std::string> parameters;
  llvm::StringMap<const Function *> functions; ///< by domain and name
  ProgramNames parameterNames;
  /// By operator, with its attributes, and operands that are stored: the first result.
  std::map<std::pair<std::string, std::vector<int>>, int> numbered;
  size_t number = 0; ///< of the node at hand
  unsigned depth = 0;
};

/// What `node` stands for in terms of other operators: a fused or composite one. False with a
/// report; `isKnown` tells whether it is one.
bool expand(Flattener &flattener, const Node &node, llvm::ArrayRef<int> inputs, Names &names,
            bool &isKnown);
/// The same for sequences, optional values, Loop and Scan.
bool unfold(Flattener &flattener, const Node &node, llvm::ArrayRef<int> inputs, Names &names,
            bool &isKnown);

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_FLATTENER_H
