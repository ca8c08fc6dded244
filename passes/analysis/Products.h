// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are matrix products: one equation that multiplies and accumulates two tensors, with
// nothing but elementwise equations around it, which run on its results before they are written.
// Several that multiply one left factor by weights are one product, with their columns side by
// side.
// Each index is one of
//     m  of the left factor and the result     batch  of both factors and the result
//     n  of the right factor and the result    k      of both factors alone (summed up)
// so a convolution is one as well (as an implicit product). One of m and n may be missing where
// there is no batch: the product of a vector and a matrix is that of a matrix of one row.
#ifndef PERFC_PASSES_ANALYSIS_PRODUCTS_H
#define PERFC_PASSES_ANALYSIS_PRODUCTS_H

#include "passes/analysis/KernelModel.h"

namespace perfc {
namespace passes {

/// What an index of a product runs over.
enum class ProductIndex : uint8_t { Batch, Row, Column, Sum };

/// The kind of index `i` of `statement`, which has two factors; `Batch` also for one of neither.
ProductIndex productIndex(const Statement &statement, unsigned i);

/// An equation that multiplies and accumulates two tensors, all of their elements.
bool isProduct(const Statement &statement);

/// A tensor of a product.
struct Factor {
  const Access *access;
  int64_t bytes; ///< of all that it touches
};

struct Product {
  const Statement *statement;
  int64_t batch = 1, m = 1, n = 1, k = 1;
  DType format; ///< in which it is computed
  /// The left one has the rows. Weights are on the right, where one factor is a weight.
  Factor left, right, result;
  /// Bytes of tensors that only the equations around it read or write.
  int64_t otherBytes = 0;
};

/// Bytes of tensors that only the equations of `kernel` beside its products read or write.
int64_t bytesBeside(const Kernel &kernel);

/// `kernel` as a product; nothing when it is none, or when an extent does not fit 64 bits. Weights
/// are those that it declares, or those that `isWeight` names.
using IsWeight = llvm::function_ref<bool(const Access &)>;
llvm::Optional<Product> productOf(const Kernel &kernel, IsWeight isWeight);
llvm::Optional<Product> productOf(const Kernel &kernel);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_PRODUCTS_H
