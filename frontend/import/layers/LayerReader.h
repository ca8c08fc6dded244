// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One layer of such a list: its type says which keys it has and which op of the library it is.
#ifndef PERFC_FRONTEND_IMPORT_LAYERS_LAYERREADER_H
#define PERFC_FRONTEND_IMPORT_LAYERS_LAYERREADER_H

#include "frontend/import/yaml/NodeReader.h"

namespace perfc::layers {

using Shape = std::vector<int64_t>; ///< without the batch, which is the first rank

/// A call of an op whose first operand is the input: "conv2d(INPUT, weight[8, 3, 3, 3], pad = 1)".
struct Layer {
  std::string name;
  llvm::StringRef module; ///< of the library: "conv2d"
  llvm::StringRef op;
  std::string rest; ///< what stands behind the input: ", weight[8, 3, 3, 3], pad = 1"
  Shape input, output;
  int64_t count = 1;
};

class LayerReader {
public:
  explicit LayerReader(DiagnosticEngine &diagnostics) : reader(diagnostics) {}
  /// Nothing after a report.
  llvm::Optional<Layer> read(const yaml::Node &node, size_t number);

private:
  using Read = bool (LayerReader::*)(Layer &layer);
  struct Type {
    llvm::StringLiteral names; ///< with blanks between
    llvm::StringLiteral module, op;
    Read read;
  };
  static llvm::ArrayRef<Type> types();
  const Type *findType(const yaml::Node &node);

  const yaml::Node *find(llvm::ArrayRef<llvm::StringLiteral> keys) const;
  bool size(llvm::ArrayRef<llvm::StringLiteral> keys, int64_t &value,
            llvm::Optional<int64_t> byDefault = llvm::None, int64_t least = 1);
  bool pair(llvm::ArrayRef<llvm::StringLiteral> keys, int64_t &first, int64_t &second);
  bool shape(size_t ranks, Shape &into);
  bool image(Shape &into);
  struct Window {
    int64_t r = 1, s = 1, stride = 1, pad = 0, dilation = 1;
    int64_t height = 0, width = 0; ///< of what it makes
  };
  bool readWindow(const Layer &layer, Window &window, int64_t stride);
  bool convolution(Layer &layer);
  bool pooling(Layer &layer);
  bool globalPooling(Layer &layer);
  bool linear(Layer &layer);
  bool product(Layer &layer);
  bool attention(Layer &layer);
  bool elementwise(Layer &layer);
  bool sum(Layer &layer);
  bool normalization(Layer &layer);
  bool channelNormalization(Layer &layer);

  yaml::NodeReader reader;
  const yaml::Node *layer = nullptr; ///< at hand
  std::string owner;                 ///< "the layer `conv1`"
};

/// "tensor[batch, 3, 224, 224]".
std::string shapeText(llvm::StringRef kind, const Shape &shape, bool hasBatch);

} // namespace perfc::layers

#endif // PERFC_FRONTEND_IMPORT_LAYERS_LAYERREADER_H
