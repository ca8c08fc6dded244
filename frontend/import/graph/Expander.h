// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that stand for several others: fused ones of com.microsoft, quantised ones, composites
// of ONNX, and those of other formats. Each is a row of a table, mostly with a function that adds
// the operations which it stands for, so that shapes, formats and costs are those of these.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_EXPANDER_H
#define PERFC_FRONTEND_IMPORT_GRAPH_EXPANDER_H

#include "frontend/import/graph/Flattener.h"

namespace perfc::graph {

class Expander {
public:
  Expander(Flattener &flattener, const Node &node, llvm::ArrayRef<int> inputs, Names &names)
      : net(flattener.net), dims(net.dims), node(node), flattener(flattener), inputs(inputs),
        names(names) {}

  /// An attribute of an operation that is added: a list of numbers, one number, or a text.
  struct Given {
    llvm::StringRef name;
    std::vector<int64_t> list;
    double real = 0;
    llvm::StringRef text = "";
  };

  Net &net;
  Dims &dims;
  const Node &node;

  int input(size_t index) const { return index < inputs.size() ? inputs[index] : -1; }
  size_t inputCount() const { return inputs.size(); }
  bool has(size_t index) const { return input(index) >= 0; }
  Shape shape(int value) const { return value < 0 ? Shape() : net.values[value].shape; }
  size_t rank(int value) const { return shape(value).size(); }
  int32_t type(int value) const { return value < 0 ? NoType : net.values[value].type; }
  int64_t integer(llvm::StringRef name, int64_t otherwise) const;
  llvm::StringRef text(llvm::StringRef name) const;
  double real(llvm::StringRef name, double otherwise) const;
  /// The whole numbers that operand `index` is known to be; nothing where it is not.
  llvm::Optional<Shape> known(size_t index) const;
  /// What the file says of result `index`; null where it says nothing.
  const ValueInfo *declared(size_t index) const;
  /// The shape that `info` says.
  Shape shapeOf(const ValueInfo &info) const;
  bool wants(size_t result) const {
    return result < node.outputs.size() && !node.outputs[result].empty();
  }

  /// The result of operation `type` on `operands`; -1 once anything has failed.
  int op(llvm::StringRef type, std::vector<int> operands, llvm::ArrayRef<Given> given = {});
  /// The same with the attributes of the node itself.
  int inherit(llvm::StringRef type, std::vector<int> operands);
  int reshape(int value, const Shape &shape);
  int transpose(int value, std::vector<int64_t> order);
  /// "ReduceSum" and the like over `axes`.
  int reduce(llvm::StringRef type, int value, const std::vector<int64_t> &axes, int64_t keeps);
  /// `count` places of dimension `axis` from `first` on; of a stored tensor one that is stored.
  int part(int value, size_t axis, const Dim &first, const Dim &count);
  /// What stored tensor `value` packs, the same for all that read it: `shape` numbers of `type`.
  int unpacked(int value, const Shape &shape, int32_t type);
  /// A stored list of extents, and a number.
  int wholes(const Shape &list);
  int number(double value);
  /// A stored tensor that the file has no name for.
  int stored(const Shape &shape, int32_t type);
  void setType(int value, int32_t type) {
    if (value >= 0)
      net.values[value].type = type;
  }
  int plus(int value, int bias) { return bias < 0 ? value : op("Add", {value, bias}); }

  /// Makes `value` result `index` of the node.
  void result(size_t index, int value);
  /// The same of the first result, in the format that the file says.
  void resultAs(int value);
  void fail(std::string reason);
  bool hasFailed() const { return failed; }
  /// The node is costed as an operator that is not known, for what it says cannot be expanded.
  void leave() { isLeft = true; }
  /// The node looks at each element once (`streamedDomain`).
  void stream() { isStreamed = true; }
  bool wasStreamed() const { return isStreamed; }
  bool wasLeft() const { return isLeft; }

private:
  int add(Node made, std::vector<int> operands);

  Flattener &flattener;
  llvm::ArrayRef<int> inputs;
  Names &names;
  bool failed = false, isLeft = false, isStreamed = false;
};

llvm::ArrayRef<ExpansionEntry> attentionExpansions();
llvm::ArrayRef<ExpansionEntry> quantisedExpansions();
llvm::ArrayRef<ExpansionEntry> packedExpansions();
llvm::ArrayRef<ExpansionEntry> otherExpansions();

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_EXPANDER_H
