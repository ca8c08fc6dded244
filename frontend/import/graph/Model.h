// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph of a model as its file has it: nodes, the shapes and types of stored tensors, and the
// values of small ones, which shapes are computed from. Weights are never read. Texts point into
// the bytes of the file, or are kept by the model; offsets are places in the file.
//
// Nodes of domain "" are operators of ONNX (docs/Operators.md of github.com/onnx/onnx), whose
// vocabulary this is, and those of com.microsoft the fused ones of ONNX Runtime. A format with
// operators of its own brings a table of what each of them stands for.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_MODEL_H
#define PERFC_FRONTEND_IMPORT_GRAPH_MODEL_H

#include "ir/common/Wire.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include <deque>
#include <memory>
#include <vector>

namespace perfc::graph {

/// Types of elements, with the numbers of ONNX's TensorProto.DataType.
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
  /// Whole numbers that stand for real ones by a scale, as those of a bias.
  bool isScaled = false;
  bool isConstant = false; ///< known to be no weight
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
  std::vector<ValueInfo> values; ///< what the file says of them
};

/// The domain of operators that a model calls its own.
inline constexpr llvm::StringLiteral othersDomain = "custom";

class Expander;
using Expansion = void (*)(Expander &);

/// The domain of operators that look at each element of their operands once and write each of their
/// results once, wherever it goes, such as a selection or a sort. The file says their shapes.
inline constexpr llvm::StringLiteral streamedDomain = "streamed";

/// What an operator stands for: a function that adds other operations (Expander.h), or `as`, one of
/// the same operands and attributes; with neither it is one of `streamedDomain`.
struct ExpansionEntry {
  llvm::StringLiteral type;
  llvm::StringLiteral domain; ///< "" for ONNX itself
  Expansion expand;
  llvm::StringLiteral as = "";
};

struct Model {
  llvm::StringRef format; ///< that it was read from: "ONNX"
  llvm::StringRef producer;
  std::vector<std::pair<llvm::StringRef, int64_t>> operatorSets;
  Graph graph;
  std::deque<Function> functions;
  /// Locations of external data, each with the place that names it.
  std::vector<std::pair<llvm::StringRef, uint64_t>> externalFiles;
  std::vector<llvm::ArrayRef<ExpansionEntry>> expansions; ///< of the format's own operators
  /// Whether what is made of weights alone is made before the model runs, or in every run.
  bool foldsWeights = true;
  llvm::BumpPtrAllocator texts; ///< that the file does not have as they are

  llvm::StringRef keep(const std::string &text) { return llvm::StringRef(text).copy(texts); }
};

/// A format of files of graphs.
struct FileFormat {
  llvm::StringLiteral name;
  llvm::StringLiteral suffix; ///< of its files: ".onnx"
  /// Reads the model in `bytes`, which have to outlive it. False with the place and the reason in
  /// `error`.
  bool (*read)(llvm::StringRef bytes, Model &model, WireError &error);
};

/// The name of `node` for a message: what its first result is called where it has none.
std::string nameOf(const Node &node);
/// `text` for a message: shortened where it is long, without what no terminal shows.
std::string shown(llvm::StringRef text);

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_MODEL_H
