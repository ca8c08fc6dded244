// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of single kernels on chips of a program, for tables with many thousand of them: chips and
// libraries are read once, a kernel is then a price of plain numbers (backends/gpu/ProductPrice.h),
// the same as `evaluate … using tile` gives.
#ifndef PERFC_API_KERNELPRICES_H
#define PERFC_API_KERNELPRICES_H

#include "api/Context.h"
#include "ir/common/DType.h"
#include "ir/common/Uncertain.h"
#include "llvm/ADT/Optional.h"
#include <memory>

namespace perfc::api {

/// A matrix product on its own.
struct ProductQuery {
  std::string chip;
  std::string library;         ///< "" for that of the chip's generation
  DType format = DType::BF16;  ///< in which it is computed; results have 16 bits at least
  DType weights = DType::BF16; ///< of the right factor
  int64_t batch = 1, m = 1, n = 1, k = 1;
  /// Right factors that take turns, as benchmarks have them; 0 for one that never stays in a cache.
  int64_t copies = 0;
  bool isCold = false;  ///< nothing is in a cache before it runs
  bool isEager = false; ///< the host starts it
};

/// A kernel that streams a matrix, on its own.
struct StreamQuery {
  std::string chip;
  std::string library;              ///< "" for that of the chip's generation
  std::string kind = "elementwise"; ///< or "softmax", "norm"
  std::string function = "add";     ///< of each element
  DType format = DType::FP32;
  int64_t rows = 1, columns = 1;
  int64_t inputs = 1;
  double bytes = 0;     ///< of an element, read and written
  bool isEager = false; ///< the host starts it
};

class KernelPrices {
public:
  /// `program` names every chip and library in statements `evaluate … using tile`. Mistakes go to
  /// the diagnostics of the context.
  KernelPrices(Context context, const std::string &program);
  ~KernelPrices();

  /// Seconds; nothing, and why in `problem`, where there is no price.
  llvm::Optional<Uncertain> seconds(const ProductQuery &query, std::string &problem);
  llvm::Optional<Uncertain> seconds(const StreamQuery &query, std::string &problem);

private:
  struct Tables;
  std::unique_ptr<Tables> tables;
};

} // namespace perfc::api

#endif // PERFC_API_KERNELPRICES_H
