// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are convolutions: products (passes/analysis/Products.h) of which one factor is read
// through a window, `I[n, c, p * stride + r]`. Channels that both factors and the result have are
// groups; a group of one channel and one filter is depthwise.
#ifndef PERFC_PASSES_ANALYSIS_CONVOLUTIONS_H
#define PERFC_PASSES_ANALYSIS_CONVOLUTIONS_H

#include "passes/analysis/KernelModel.h"

namespace perfc {
namespace passes {

struct Convolution {
  const Statement *statement;
  int64_t groups = 1, images = 1, channels = 1, filters = 1; ///< channels and filters of a group
  std::vector<int64_t> positions, window, strides;           ///< by windowed rank; dilated windows
                                                             ///< have steps beside the strides
  bool isDilated = false;
  bool isPadded = false; ///< windows hang over the input
  DType format, result;
  int64_t inputBytes = 0, filterBytes = 0, resultBytes = 0;
  int64_t otherBytes = 0; ///< as of a Product

  bool isDepthwise() const { return groups > 1 && channels == 1 && filters == 1; }
};

/// `kernel` as a convolution; nothing when it is none, or when a count does not fit 64 bits.
llvm::Optional<Convolution> convolutionOf(const Kernel &kernel);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_CONVOLUTIONS_H
