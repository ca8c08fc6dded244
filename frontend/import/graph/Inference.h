// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of the results of one operation, from those of its operands (docs/Operators.md of ONNX,
// for operator sets 7 to 28), and its results where they are known. A rule is a function of a
// table.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_INFERENCE_H
#define PERFC_FRONTEND_IMPORT_GRAPH_INFERENCE_H

#include "frontend/import/graph/Net.h"
#include "llvm/ADT/STLExtras.h"

namespace perfc::graph {

class Inference {
public:
  Inference(Net &net, const Op &op) : dims(net.dims), net(net), op(op) {}

  /// Sets shape, type and, where they are known, elements of the results. False with a reason in
  /// `problem` when the operation does not fit its operands; results that no rule knows stay
  /// without a shape.
  bool run();
  std::string problem;

  // For the rules.
  bool has(size_t input) const { return op.input(input) >= 0; }
  const Value &in(size_t input) const { return net.values[op.inputs[input]]; }
  const Shape &shape(size_t input) const { return in(input).shape; }
  Value &out(size_t output = 0) { return net.values[op.outputs[output]]; }
  size_t outputs() const { return op.outputs.size(); }
  bool wants(size_t output) const { return output < op.outputs.size() && op.outputs[output] >= 0; }
  bool setShape(Shape shape, size_t output = 0);

  const Attribute *attribute(llvm::StringRef name) const { return op.node->find(name); }
  int64_t integer(llvm::StringRef name, int64_t otherwise) const;
  double real(llvm::StringRef name, double otherwise) const;
  llvm::StringRef text(llvm::StringRef name, llvm::StringRef otherwise) const;
  /// A list of `count` numbers, `otherwise` each where it is not given; nothing when it has another
  /// length (reported).
  llvm::Optional<std::vector<int64_t>> list(llvm::StringRef name, size_t count, int64_t otherwise);
  /// Whole numbers that stand in an attribute or in an input, as operator sets have it: nothing
  /// where neither is given or known; `isGiven` tells both apart.
  llvm::Optional<std::vector<Dim>> wholes(llvm::StringRef name, size_t input,
                                          bool *isGiven = nullptr);
  llvm::Optional<std::vector<int64_t>> numbers(llvm::StringRef name, size_t input,
                                               bool *isGiven = nullptr);
  /// The dimension that `axis`, which may count from the end, is of `rank`; nothing with a report.
  llvm::Optional<size_t> axis(int64_t axis, size_t rank);
  llvm::Optional<std::vector<size_t>> axes(llvm::ArrayRef<int64_t> list, size_t rank);
  bool needRank(size_t input, size_t least, size_t most = 16);
  bool fail(std::string reason) {
    problem = std::move(reason);
    return false;
  }
  /// The shape of operands of these shapes that are spread over each other.
  llvm::Optional<Shape> broadcast(const Shape &a, const Shape &b);
  bool isNamed(llvm::StringRef type) const { return op.type == type; }

  Dims &dims;
  Net &net;
  const Op &op;
};

using ShapeRule = bool (*)(Inference &);

/// The rule of operator `type`; null where there is none.
ShapeRule findShapeRule(llvm::StringRef type);
/// Operators whose result is element by element of the operands', spread over each other.
bool isElementwise(llvm::StringRef type);

struct ShapeEntry {
  llvm::StringLiteral type;
  ShapeRule rule;
};
/// True where a tensor of `count` elements keeps them, so that shapes can be computed from it.
inline bool isKept(const Dim &count) {
  return count.isNumber() && count.constant >= 0 && count.constant <= mostKeptElements;
}

llvm::ArrayRef<ShapeEntry> layoutRules(); ///< Reshape, Concat, Transpose, …
llvm::ArrayRef<ShapeEntry> partRules();   ///< Slice, Gather, …
llvm::ArrayRef<ShapeEntry> sizeRules();   ///< Shape, Range, …
llvm::ArrayRef<ShapeEntry> windowRules(); ///< Conv, MaxPool, …
llvm::ArrayRef<ShapeEntry> otherRules();
llvm::ArrayRef<ShapeEntry> rareRules();

/// The elements of `value` at the places that `indexOf` gives for each of the result, by its
/// coordinates.
bool takeContent(Inference &inference, const Value &value,
                 llvm::function_ref<size_t(llvm::ArrayRef<size_t>)> indexOf);
/// How far apart elements along each dimension stand.
std::vector<int64_t> stridesOf(const Shape &shape);

/// True of a TensorScatter that puts new entries into a cache [batch, heads, positions, features].
bool isCacheWrite(const Inference &inference);
/// Computes the elements of the results of an elementwise operation or a cast from known operands.
void foldElements(Inference &inference);
/// The same of a reduction over `axes`, or over all of them.
void foldReduction(Inference &inference, llvm::ArrayRef<size_t> axes, bool isAll);

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_INFERENCE_H
