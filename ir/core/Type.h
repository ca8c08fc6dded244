// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of values: nothing in particular, or a tensor with a known shape and number format.
#ifndef PERFC_IR_CORE_TYPE_H
#define PERFC_IR_CORE_TYPE_H

#include "ir/common/DType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace perfc {
namespace ir {

class Type {
public:
  /// No tensor: ordering only.
  Type() = default;
  static Type tensor(llvm::ArrayRef<int64_t> shape, DType dtype);

  bool isTensor() const { return isTensorType; }
  /// Extents, outermost first; empty for a scalar.
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  DType dtype() const { return format; }
  /// Number of elements; nothing when it does not fit 64 bits.
  llvm::Optional<int64_t> elements() const;
  /// Bytes in memory, the last one rounded up; nothing when that does not fit 64 bits.
  llvm::Optional<int64_t> bytes() const;

  bool operator==(const Type &other) const {
    return isTensorType == other.isTensorType && format == other.format && extents == other.extents;
  }
  bool operator!=(const Type &other) const { return !(*this == other); }

  /// "none" or "tensor<1x64xfp16>".
  std::string text() const;

private:
  bool isTensorType = false;
  DType format = DType::FP64;
  llvm::SmallVector<int64_t, 4> extents;
};

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_TYPE_H
