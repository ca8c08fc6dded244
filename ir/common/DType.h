// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number formats of tensors and compute units.
#ifndef PERFC_IR_COMMON_DTYPE_H
#define PERFC_IR_COMMON_DTYPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace perfc {

enum class DType : uint8_t {
  FP64,
  FP32,
  TF32,
  FP16,
  BF16,
  FP8,
  Int64,
  Int32,
  Int16,
  Int8,
  Int4,
  Bool
};

/// Bits that an element takes in memory; tf32 is stored in 32.
unsigned bitsOf(DType dtype);
llvm::StringRef dtypeName(DType dtype);
llvm::Optional<DType> parseDType(llvm::StringRef name);
/// All names, for suggestions.
llvm::ArrayRef<llvm::StringRef> dtypeNames();

} // namespace perfc

#endif // PERFC_IR_COMMON_DTYPE_H
