// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that stream tensors: no products, each element read, computed and written. What they sum
// up over a row and write for each of its elements they read again once the sum is known, unless
// the row has stayed on the chip: once where all sums can be made in one pass (norms, from sums of
// powers), twice where sums wait for a maximum (softmax). Rows that become one value are no norms.
// Windows that slide (pooling) are no rows: what they share is read once. New entries at the end of
// a cache, in place, are a kind of their own: of a cache with heads, or of one vector per token.
#ifndef PERFC_PASSES_ANALYSIS_STREAMS_H
#define PERFC_PASSES_ANALYSIS_STREAMS_H

#include "passes/analysis/KernelModel.h"

namespace perfc {
namespace passes {

enum class StreamKind : uint8_t { Elementwise, Softmax, Norm, Append, LatentAppend };
/// "elementwise", "softmax", "norm", "append", "latent_append".
llvm::StringRef streamKindName(StreamKind kind);

struct Stream {
  StreamKind kind = StreamKind::Elementwise;
  int64_t rows = 0;      ///< that are summed up; 0 for none
  int64_t rowLength = 0; ///< elements of one
  int64_t rowBytes = 0;  ///< of the tensor that is
  int64_t passBytes = 0; ///< read again where no row stays on the chip
  int64_t inputs = 0;    ///< tensors that are no weights
};

/// `kernel` as a stream; nothing when it multiplies and accumulates, or when a count does not fit
/// 64 bits.
llvm::Optional<Stream> streamOf(const Kernel &kernel);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_STREAMS_H
