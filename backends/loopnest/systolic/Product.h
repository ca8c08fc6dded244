// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product inside a nest: the indices of two inputs and an output fall into rows of the
// left input (M), columns of the right one (N), the reduction (K), and those that all three share,
// which number independent products. A convolution is one with M = output positions and K = the
// window, read through overlapping rows.
#ifndef PERFC_BACKENDS_LOOPNEST_SYSTOLIC_PRODUCT_H
#define PERFC_BACKENDS_LOOPNEST_SYSTOLIC_PRODUCT_H

#include "backends/loopnest/analysis/Nest.h"
#include "backends/loopnest/systolic/Folds.h"

namespace perfc {
namespace loopnest {

/// One operand of all products together.
struct ProductOperand {
  unsigned tensor = 0;  ///< of the nest
  int64_t words = 0;    ///< different ones that are touched, padding left out
  double inside = 1;    ///< share of the points of its own indices that are no padding
  bool isShared = true; ///< all products use the same words
};

struct Product {
  Gemm gemm;
  int64_t batches = 1;
  ProductOperand input, weight, output;
};

/// The product of `nest`; `weights` says for each tensor whether its role is a weight, which makes
/// it the right operand. Nothing when the nest is none or a count does not fit 64 bits.
llvm::Optional<Product> findProduct(const Nest &nest, llvm::ArrayRef<bool> weights);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SYSTOLIC_PRODUCT_H
