// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution without padding as a matrix product over addresses. With output pixel i at (y, x)
// and window position j = (r, s, c), the input word is
//     ((stride y + r) W + stride x + s) C + c,
// a sum of a part of i and a part of j; the weight of filter f is f K + j. A product M x N x K is
// the layer with H = M, W = S = K and one channel.
#ifndef PERFC_BACKENDS_LOOPNEST_SYSTOLIC_LAYER_H
#define PERFC_BACKENDS_LOOPNEST_SYSTOLIC_LAYER_H

#include "backends/loopnest/systolic/Folds.h"
#include <vector>

namespace perfc {
namespace loopnest {

struct Layer {
  int64_t height = 1, width = 1;
  int64_t filterHeight = 1, filterWidth = 1;
  int64_t channels = 1, filters = 1;
  int64_t strideY = 1, strideX = 1;

  static Layer ofGemm(const Gemm &gemm);
  /// Windows that begin inside the input and would end within a stride behind it count: what they
  /// lack is not read.
  int64_t outputHeight() const;
  int64_t outputWidth() const;
  /// Nothing when a size does not fit 64 bits, is below 1, or the filter is larger than the input.
  llvm::Optional<Gemm> gemm() const;
  /// Different words of the input that windows touch.
  int64_t inputWords() const;
};

/// The words of one operand, by row and column of its matrix.
class OperandWords {
public:
  static OperandWords input(const Layer &layer, const Gemm &gemm);
  static OperandWords weight(const Gemm &gemm);

  /// The word at (row, column), or -1 where a window hangs over the edge of the input.
  int32_t at(int64_t row, int64_t column) const {
    if (!rowY.empty() && isOutside(row, column))
      return -1;
    return rowPart[row] + columnPart[column];
  }
  int64_t count() const { return words; }

private:
  bool isOutside(int64_t row, int64_t column) const {
    return rowY[row] + columnY[column] >= height || rowX[row] + columnX[column] >= width;
  }

  std::vector<int32_t> rowPart, columnPart;
  std::vector<int32_t> rowY, rowX, columnY, columnX; ///< empty when no window hangs over
  int64_t height = 0, width = 0;
  int64_t words = 0; ///< words are below this
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SYSTOLIC_LAYER_H
