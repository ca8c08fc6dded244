// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer with its dataflow in MAESTRO's notation (Kwon et al., MICRO 2019): dimensions by letter,
// and directives that map windows of them to steps in time and to lanes in space. The reader of
// `.m` files makes it, MAESTRO's model and the writer of `.m` files use it.
#ifndef PERFC_IR_LOOPNEST_DATAFLOW_H
#define PERFC_IR_LOOPNEST_DATAFLOW_H

#include "ir/common/Source.h"
#include "llvm/ADT/Optional.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace perfc::dataflow {

/// Sizes by the letter of the dimension: N G K C R S Y X of a convolution, M N K of a GEMM. C and K
/// of a grouped one are of one group.
using Sizes = std::map<char, int64_t>;

enum class LayerType { Conv, DepthwiseConv, GroupedConv, Gemm };

/// "CONV", "DSCONV", "NGCONV", "GEMM".
llvm::StringRef layerTypeName(LayerType type);

/// Letters of the dimensions of the three tensors of a layer, in the tool's order. Y and X count
/// rows and columns of the input in `input`, of the output in `output`. The tool gives the output
/// of a grouped convolution a copy per channel of the input (C), which does not sum over them.
struct TensorDims {
  std::string input;
  std::string filter;
  std::string output;
};

/// `batched` layers have the dimension N in the input and the output (a GEMM has its own).
TensorDims tensorDims(LayerType type, bool batched);

/// The dimension of the filter that slides along `dim`: R along Y, S along X; 0 for others.
char windowOf(char dim);

enum class DirectiveKind { Temporal, Spatial, Cluster };

/// `TemporalMap(size, offset) dim`, `SpatialMap(size, offset) dim` or `Cluster(size)`.
struct Directive {
  DirectiveKind kind;
  int64_t size = 1;
  int64_t offset = 1;
  char dim = 0; ///< 0 for a cluster; Y and X count rows and columns of the input
  SourceRange range = {};
};

struct Layer {
  std::string name;
  LayerType type = LayerType::Conv;
  Sizes dims;    ///< Y and X are sizes of the input, with padding
  Sizes strides; ///< by Y and X; 1 where nothing is given
  std::vector<Directive> directives;
  SourceRange range;

  bool isBatched() const { return type != LayerType::Gemm && dims.count('N'); }
  TensorDims tensors() const { return tensorDims(type, isBatched()); }
  /// The stride along Y or X.
  int64_t stride(char dim) const {
    auto found = strides.find(dim);
    return found == strides.end() ? 1 : found->second;
  }
  /// Size of `dim` of the output: rows and columns are (Y - R) / stride + 1.
  int64_t outputSize(char dim) const;
};

/// The accelerator that MAESTRO assumes: processing elements with an L1 each, an L2, one network
/// between them, and a link to memory. Buffers are as large as the dataflow needs; the sizes here
/// are only checked. The defaults are those of the tool's command line.
struct Hardware {
  int64_t pes = 256;
  int64_t simd = 1;                 ///< MACs a PE executes per cycle
  int64_t nocBandwidth = 64;        ///< elements/cycle, the same at every cluster level
  int64_t nocHops = 1;              ///< links that a word travels
  int64_t hopLatency = 1;           ///< cycles per link
  int64_t offchipBandwidth = 70000; ///< elements/cycle
  llvm::Optional<int64_t> l1Size;   ///< elements
  llvm::Optional<int64_t> l2Size;   ///< elements
};

/// Largest size, offset, stride or number of lanes: the tool holds them in 32 bits.
inline constexpr int64_t maxSize = INT32_MAX;

} // namespace perfc::dataflow

#endif // PERFC_IR_LOOPNEST_DATAFLOW_H
