// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a node with graphs, sequences or optional values stands for: sequences are known while the
// graph is read, and loops become LoopBegin (the states before) -> the states in a round, the body,
// LoopEnd (the states behind a round) -> the states behind all rounds.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_UNFOLDER_H
#define PERFC_FRONTEND_IMPORT_GRAPH_UNFOLDER_H

#include "frontend/import/graph/Flattener.h"

namespace perfc::graph {

class Unfolder {
public:
  Unfolder(Flattener &flattener, const Node &node, llvm::ArrayRef<int> inputs, Names &names)
      : flattener(flattener), net(flattener.net), node(node), inputs(inputs), names(names) {}

  bool sequence(bool &isKnown);
  bool loop();
  bool scan();

private:
  int input(size_t index) const { return index < inputs.size() ? inputs[index] : -1; }
  bool result(size_t index, int value) {
    return index >= node.outputs.size() || flattener.bind(node, node.outputs[index], value, names);
  }
  int sequenceOf(std::vector<int> items);
  int whole(int64_t value);
  int make(llvm::StringRef type, std::vector<int> operands, int64_t axis);
  const std::vector<int> *itemsOf(int value);
  llvm::Optional<size_t> position(size_t input, size_t count, size_t otherwise);
  bool split();
  bool join();

  struct Body {
    const Graph *graph;
    size_t states; ///< how many go from round to round
    Dim rounds;
    std::vector<int> first;    ///< the states before
    std::vector<int> sliced;   ///< of Scan: tensors of which each round takes a part
    std::vector<int64_t> axes; ///< along these dimensions
    bool isLoop;               ///< its first inputs are the round and a condition
  };
  /// Of each state which of its extents another round changes.
  using Growth = std::vector<llvm::SmallVector<bool, 4>>;
  bool run(const Body &body);
  Op boundary(llvm::StringLiteral type);
  int copyOf(int value);
  std::vector<int> statesOf(const Body &body, const Growth &growth);
  bool finish(const Body &body, size_t begin, llvm::ArrayRef<int> states,
              llvm::ArrayRef<int> results, const Growth &growth);
  bool once(const Body &body, llvm::ArrayRef<int> states, llvm::Optional<int64_t> round,
            std::vector<int> &results);
  bool unroll(const Body &body);
  bool findGrowth(llvm::ArrayRef<int> before, llvm::ArrayRef<int> after, Growth &growth) const;
  int slice(int value, int64_t axis, llvm::Optional<int64_t> round);

  Flattener &flattener;
  Net &net;
  const Node &node;
  llvm::ArrayRef<int> inputs;
  Names &names;
};

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_UNFOLDER_H
