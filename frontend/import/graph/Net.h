// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model with its shapes: one flat list of operations over values, in an order in which each runs.
// Functions and branches that are taken stand in their caller's place, and what only computes
// shapes is computed.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_NET_H
#define PERFC_FRONTEND_IMPORT_GRAPH_NET_H

#include "frontend/import/graph/Dim.h"
#include "frontend/import/graph/Model.h"
#include "ir/common/Diagnostics.h"

namespace perfc::graph {

/// An element that is known: an extent, or a real number.
struct Scalar {
  Dim whole;
  double real = 0;
  bool isReal = false;

  Scalar() = default;
  Scalar(Dim dim) : whole(std::move(dim)) {}
  static Scalar ofReal(double value) {
    Scalar scalar;
    scalar.real = value;
    scalar.isReal = true;
    return scalar;
  }
  bool isNumber() const { return isReal || whole.isNumber(); }
  double toReal() const { return isReal ? real : static_cast<double>(whole.constant); }
  /// Without what is behind the point; nothing where that is no exact whole number of a double.
  llvm::Optional<int64_t> toWhole() const;
};

struct Value {
  llvm::StringRef name; ///< in the model
  int32_t type = NoType;
  bool hasShape = false;
  bool isStored = false;   ///< an initializer, or computed from such
  bool isFromFile = false; ///< an initializer or constant
  bool isWeight = false;   ///< stored, and no mask or list of places, or made of such
  bool isScaled = false;   ///< whole numbers that stand for real ones by a scale
  bool isRead = false;     ///< by any operation, those too that are computed
  Shape shape;
  /// A shape where -1 stands for an extent that depends on data: a parameter, unless the file says
  /// more.
  llvm::Optional<Shape> openShape;
  Shape most; ///< of those extents, how many there can be, 0 where that is not known
  /// Of a sequence, or a value that may be missing: the values that it is made of.
  llvm::Optional<std::vector<int>> items;
  llvm::Optional<std::vector<Scalar>> content; ///< of small tensors that are known, row by row
  /// Of a stored tensor in another form or format, that which it is made of.
  int origin = -1;
  unsigned uses = 0;
  int maker = -1; ///< the operation whose result it is, or -1
};

struct Op {
  llvm::StringRef type;
  llvm::StringRef domain;
  const Node *node = nullptr;
  size_t number = 0;       ///< of the node, counted from 0 as the file has them
  std::vector<int> inputs; ///< -1 for one that is left out
  std::vector<int> outputs;
  /// Of what recognition has made: numbers that belong to it, such as an epsilon.
  double constant = 0;
  llvm::SmallVector<int64_t, 4> numbers;
  Dim rounds;          ///< of LoopBegin
  bool isGone = false; ///< part of another operation, or nothing needs it

  int input(size_t index) const { return index < inputs.size() ? inputs[index] : -1; }
};

struct Net {
  std::deque<Value> values;
  std::deque<Op> ops;
  /// Nodes that the file does not have as they are: of functions, with the attributes of a call,
  /// and of what stands for several.
  std::deque<Node> made;
  std::vector<int> inputs, outputs;
  Dims dims;
  /// The first result of each node of the graph itself, constants left out; -1 for one without.
  std::vector<std::pair<const Node *, int>> ofNodes;
  size_t nodes = 0;  ///< of the file, in functions and branches too
  size_t folded = 0; ///< of these, those that were computed
  int64_t operatorSet = 0;
  llvm::StringRef format; ///< of the model's file: "ONNX"

  bool isKnown(int value) const { return value >= 0 && values[value].content.hasValue(); }
  /// Whether a value is a list of sizes that are numbers.
  bool isShape(int value) const;
  /// The only element of a known tensor.
  llvm::Optional<double> number(int value) const;
  llvm::Optional<int64_t> wholeNumber(int value) const;
};

/// An input's shape, as `--shape input=1,3,224,224` gives it.
struct GivenShape {
  std::string input;
  std::vector<int64_t> dims;
};

/// Makes `net` of `model`, whose file is `file`. False after a report.
bool makeNet(const Model &model, llvm::ArrayRef<GivenShape> shapes, FileId file, Net &net,
             DiagnosticEngine &diagnostics);

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_NET_H
