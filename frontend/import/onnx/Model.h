// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ONNX model as its file has it (onnx.proto of github.com/onnx/onnx): nodes, the shapes and
// types of stored tensors, and the values of small ones, which shapes are computed from. Weights
// are never read. Texts point into the bytes of the file, and offsets are places in it.
#ifndef PERFC_FRONTEND_IMPORT_ONNX_MODEL_H
#define PERFC_FRONTEND_IMPORT_ONNX_MODEL_H

#include "ir/common/Wire.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>
#include <memory>
#include <vector>

namespace perfc::onnx {

/// TensorProto.DataType.
enum ElementType : int32_t {
  NoType = 0,
  Float = 1,
  Uint8 = 2,
  Int8 = 3,
  Uint16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  Uint32 = 12,
  Uint64 = 13,
  Bfloat16 = 16,
  Float8First = 17, ///< E4M3FN; E4M3FNUZ, E5M2 and E5M2FNUZ follow
  Float8Last = 20,
  Uint4 = 21,
  Int4 = 22,
  Float4 = 23,
};

/// Bits of an element; 0 for texts and unknown types.
unsigned bitsOf(int32_t type);
bool isFloating(int32_t type);
/// The language's name of a format; "" where it has none.
llvm::StringRef formatOf(int32_t type);

/// Tensors with more elements are weights, whose values nothing needs.
inline constexpr int64_t mostKeptElements = 1024;

struct Tensor {
  llvm::StringRef name;
  int32_t type = NoType;
  llvm::SmallVector<int64_t, 4> dims;
  int64_t elements = 1;
  uint64_t offset = 0;
  /// The values of a small tensor, of which one list is empty.
  std::vector<int64_t> integers;
  std::vector<double> reals;
};

struct Graph;

struct Attribute {
  llvm::StringRef name;
  int64_t integer = 0;
  double real = 0;
  llvm::StringRef text;
  std::vector<int64_t> integers;
  std::vector<double> reals;
  std::unique_ptr<Tensor> tensor;
  std::unique_ptr<Graph> graph;
  llvm::StringRef reference; ///< of a function's node: the attribute of the call that it takes

  /// The same by another name, without a graph.
  Attribute copy(llvm::StringRef as) const;
};

struct Node {
  llvm::StringRef op, domain, name;
  std::vector<llvm::StringRef> inputs, outputs; ///< "" for one that is left out
  std::vector<Attribute> attributes;
  uint64_t offset = 0;

  const Attribute *find(llvm::StringRef wanted) const;
};

/// An extent of a declared shape: a number, a name, or neither.
struct DeclaredDim {
  int64_t value = -1;
  llvm::StringRef name;
};

struct ValueInfo {
  llvm::StringRef name;
  int32_t type = NoType;
  bool hasShape = false;
  llvm::SmallVector<DeclaredDim, 4> shape;
  uint64_t offset = 0;
};

struct Graph {
  llvm::StringRef name;
  std::deque<Node> nodes;
  std::deque<Tensor> initializers;
  std::vector<ValueInfo> inputs, outputs, values;
};

/// A function of the model: a node that calls it stands for its nodes.
struct Function {
  llvm::StringRef domain, name;
  std::vector<llvm::StringRef> inputs, outputs;
  std::deque<Node> nodes;
  std::vector<Attribute> defaults;
};

struct Model {
  llvm::StringRef producer;
  std::vector<std::pair<llvm::StringRef, int64_t>> operatorSets;
  Graph graph;
  std::deque<Function> functions;
  /// Locations of external data, each with the place that names it.
  std::vector<std::pair<llvm::StringRef, uint64_t>> externalFiles;
};

/// Reads the model in `bytes`, which have to outlive it. False with the place and the reason in
/// `error`.
bool readModel(llvm::StringRef bytes, Model &model, WireError &error);

/// The name of `node` for a message: what its first result is called where it has none.
std::string nameOf(const Node &node);
/// `text` for a message: shortened where it is long, without what no terminal shows.
std::string shown(llvm::StringRef text);

} // namespace perfc::onnx

#endif // PERFC_FRONTEND_IMPORT_ONNX_MODEL_H
