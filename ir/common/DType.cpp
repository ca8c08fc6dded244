// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/DType.h"

using namespace perfc;

static constexpr unsigned bits[] = {64, 32, 32, 16, 16, 8, 64, 32, 16, 8, 4, 8};

llvm::ArrayRef<llvm::StringRef> perfc::dtypeNames() {
  static constexpr llvm::StringRef names[] = {"fp64",  "fp32",  "tf32",  "fp16", "bf16", "fp8",
                                              "int64", "int32", "int16", "int8", "int4", "bool"};
  return names;
}

unsigned perfc::bitsOf(DType dtype) { return bits[static_cast<unsigned>(dtype)]; }

llvm::StringRef perfc::dtypeName(DType dtype) { return dtypeNames()[static_cast<unsigned>(dtype)]; }

llvm::Optional<DType> perfc::parseDType(llvm::StringRef name) {
  for (unsigned i = 0; i < dtypeNames().size(); ++i)
    if (dtypeNames()[i] == name)
      return static_cast<DType>(i);
  return llvm::None;
}
