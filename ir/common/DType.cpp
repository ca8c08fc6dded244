// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/DType.h"

#include "ir/common/SameName.h"

#include "ir/common/Rational.h"

using namespace perfc;

static constexpr unsigned bits[] = {64, 32, 32, 16, 16, 8, 8, 4, 4, 4, 64, 32, 16,
                                    8,  4,  8,  6,  5,  3, 2, 8, 6, 5, 4,  3,  2};
static constexpr unsigned scaleBits = 8;

llvm::ArrayRef<llvm::StringRef> perfc::dtypeNames() {
  static constexpr llvm::StringRef names[] = {
      "fp64",  "fp32",  "tf32",  "fp16",  "bf16", "fp8",  "mxfp8", "fp4",  "mxfp4",
      "nvfp4", "int64", "int32", "int16", "int8", "int4", "bool",  "int6", "int5",
      "int3",  "int2",  "q8_0",  "q6_k",  "q5_k", "q4_k", "q3_k",  "q2_k"};
  return names;
}

unsigned perfc::bitsOf(DType dtype) { return bits[static_cast<unsigned>(dtype)]; }

unsigned perfc::scaleBlockOf(DType dtype) {
  if (dtype == DType::NVFP4 || dtype >= DType::Q8_0)
    return 16;
  return dtype == DType::MXFP8 || dtype == DType::MXFP4 ? 32 : 0;
}

llvm::Optional<int64_t> perfc::storedBits(DType dtype, int64_t elements) {
  llvm::Optional<int64_t> own = checkedMultiply(elements, bitsOf(dtype));
  int64_t block = scaleBlockOf(dtype);
  if (!own || block == 0)
    return own;
  return checkedAdd(*own, (elements / block + (elements % block != 0)) * scaleBits);
}

double perfc::storedBytes(DType dtype) {
  double scale = scaleBlockOf(dtype) ? static_cast<double>(scaleBits) / scaleBlockOf(dtype) : 0;
  return (bitsOf(dtype) + scale) / 8;
}

llvm::StringRef perfc::dtypeName(DType dtype) { return dtypeNames()[static_cast<unsigned>(dtype)]; }

llvm::Optional<DType> perfc::parseDType(llvm::StringRef name) {
  for (unsigned i = 0; i < dtypeNames().size(); ++i)
    if (sameName(dtypeNames()[i], name))
      return static_cast<DType>(i);
  return llvm::None;
}
