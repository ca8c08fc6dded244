// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of ONNX (github.com/onnx/onnx, docs/IR.md) while it is written: nodes in the order in
// which they run, the type of every value, and stored tensors. A weight is zeros of its shape, made
// by an operator: it takes no room.
#ifndef PERFC_BACKENDS_EMIT_ONNX_MODEL_H
#define PERFC_BACKENDS_EMIT_ONNX_MODEL_H

#include "ir/common/DType.h"
#include "ir/common/WireWriter.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace perfc::emit::onnx {

/// Domain of nodes that are ops of perfc's library or of a program.
inline constexpr llvm::StringLiteral domain = "perfc";

struct Type {
  std::vector<int64_t> shape;
  DType dtype = DType::FP32;
};

/// A value of the graph.
struct Value {
  std::string name;
  Type type;

  llvm::ArrayRef<int64_t> shape() const { return type.shape; }
  size_t rank() const { return type.shape.size(); }
};

/// A stored 0, as the value of an attribute.
struct Zero {
  DType dtype;
};

/// Inside a function: the attribute of its call, a whole number.
struct Parameter {
  std::string name;
};

struct Attribute {
  std::string name;
  std::variant<int64_t, double, std::string, std::vector<int64_t>, Zero, Parameter> value;
};

/// What a node of domain `perfc` computes.
struct Function {
  struct Step {
    std::string result, op;
    std::vector<std::string> operands;
    std::vector<Attribute> attributes;
  };
  std::vector<std::string> operands, results, parameters;
  std::vector<Step> steps;
};

class Model {
public:
  /// `formats` are those of all tensors: the set of operators is the first one that has them.
  explicit Model(llvm::ArrayRef<DType> formats);

  Value input(llvm::StringRef name, Type type);
  Value weight(llvm::StringRef name, Type type);
  void output(const Value &value);
  /// What nothing reads is a result as well, or readers would leave out what makes it.
  void outputUnread();
  /// The result of an operator; `name` is what it is called, as far as that is free.
  Value node(llvm::StringRef op, llvm::ArrayRef<Value> inputs, Type result,
             llvm::ArrayRef<Attribute> attributes = {}, llvm::StringRef name = "");
  /// The results of an op that ONNX does not have.
  std::vector<Value> other(llvm::StringRef op, llvm::ArrayRef<Value> inputs,
                           llvm::ArrayRef<Type> results, llvm::ArrayRef<Attribute> attributes);

  /// Stored numbers: a list of whole ones or of real ones, or one.
  Value wholes(llvm::ArrayRef<int64_t> list);
  Value whole(int64_t number);
  Value reals(llvm::ArrayRef<double> list, DType dtype);
  Value real(double number, DType dtype);

  /// All nodes of domain `perfc` for `op` are calls of `function`; nothing where one is none.
  void define(llvm::StringRef op, llvm::Optional<Function> function);

  // Operators whose result follows from their operands.
  Value cast(const Value &value, DType to);
  Value reshape(const Value &value, llvm::ArrayRef<int64_t> shape);
  Value transpose(const Value &value, llvm::ArrayRef<int64_t> order);
  Value unsqueeze(const Value &value, llvm::ArrayRef<int64_t> axes);
  /// With zeros before and behind, along one axis.
  Value pad(const Value &value, size_t axis, int64_t before, int64_t behind);
  /// "ReduceSum", "ReduceMax", … over `axes`.
  Value reduce(llvm::StringRef op, const Value &value, llvm::ArrayRef<int64_t> axes,
               bool keepsAxes = false);
  /// An operator of one or two operands, element by element, with ONNX's broadcasting.
  Value elementwise(llvm::StringRef op, llvm::ArrayRef<Value> inputs);

  /// What is added from here on can be taken back.
  size_t mark() const { return nodes.size(); }
  void takeBack(size_t mark) { nodes.resize(mark); }
  size_t nodeCount() const { return nodes.size(); }

  /// Names of values that are added stand behind this.
  std::string scope;

  /// The file.
  std::string bytes(llvm::StringRef graph) const;

private:
  struct Node {
    std::string op, domain;
    std::vector<std::string> inputs;
    std::vector<Value> outputs;
    std::vector<Attribute> attributes;
  };
  std::string unique(llvm::StringRef name);
  /// The names of all values that nodes read.
  llvm::StringSet<> readValues() const;
  const Value &stored(const std::string &key, Type type, const std::string &raw);

  int64_t operatorSet = 17, version = 8;
  std::vector<Node> nodes;
  std::vector<Value> inputs, outputs;
  std::vector<Value> results; ///< what the outputs are, without copies
  /// Stored numbers with their bytes, by what they are.
  std::vector<std::pair<Value, std::string>> numbers;
  llvm::StringMap<size_t> numberOf;
  llvm::StringMap<unsigned> names;
  std::map<std::string, llvm::Optional<Function>> functions; ///< by op
};

/// True for numbers that operators compute with; others are converted before.
bool isReal(DType dtype);
/// The format in which a result of format `dtype` is computed.
DType computedIn(DType dtype);
/// The shape of an element-wise result of `a` and `b`, whose last dimensions match.
std::vector<int64_t> broadcast(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

} // namespace perfc::emit::onnx

#endif // PERFC_BACKENDS_EMIT_ONNX_MODEL_H
