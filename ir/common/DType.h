// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number formats of tensors and compute units. In mxfp8, mxfp4 and nvfp4 a block of elements shares
// a scale of 8 bits (OCP, Microscaling Formats v1.0, 2023; NVIDIA, "Pretraining LLMs with NVFP4",
// 2025), so a tensor takes more than its elements do; so do the formats of GGUF files (ggml, docs
// of gguf), whose scales and offsets come to 7 to 10 bits for 16 elements.
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
  MXFP8,
  FP4,
  MXFP4,
  NVFP4,
  Int64,
  Int32,
  Int16,
  Int8,
  Int4,
  Bool,
  Int6,
  Int5,
  Int3,
  Int2,
  Q80,
  Q6K,
  Q5K,
  Q4K,
  Q3K,
  Q2K
};

/// Bits that an element takes in memory without the scale of its block; tf32 is stored in 32.
unsigned bitsOf(DType dtype);
/// Elements that share a scale; 0 for formats without.
unsigned scaleBlockOf(DType dtype);
/// Bits of the scale, and offset, of a block; 0 for formats without.
unsigned scaleBitsOf(DType dtype);
/// Bits of `elements` elements and the scales of their blocks; nothing beyond 64 bits.
llvm::Optional<int64_t> storedBits(DType dtype, int64_t elements);
/// Bytes of an element in a large tensor, with its share of the scale.
double storedBytes(DType dtype);
inline bool isFloating(DType dtype) { return dtype < DType::Int64; }
llvm::StringRef dtypeName(DType dtype);
llvm::Optional<DType> parseDType(llvm::StringRef name);
/// All names, for suggestions.
llvm::ArrayRef<llvm::StringRef> dtypeNames();

} // namespace perfc

#endif // PERFC_IR_COMMON_DTYPE_H
