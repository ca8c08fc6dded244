// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/Type.h"

#include "ir/common/Rational.h"

using namespace perfc;
using namespace perfc::ir;

Type Type::tensor(llvm::ArrayRef<int64_t> shape, DType dtype) {
  Type type;
  type.isTensorType = true;
  type.format = dtype;
  type.extents.assign(shape.begin(), shape.end());
  return type;
}

llvm::Optional<int64_t> Type::elements() const {
  llvm::Optional<int64_t> product = isTensorType ? 1 : 0;
  for (int64_t extent : extents) {
    product = checkedMultiply(*product, extent);
    if (!product)
      return llvm::None;
  }
  return product;
}

llvm::Optional<int64_t> Type::bytes() const {
  auto count = elements();
  auto bits = count ? storedBits(format, *count) : llvm::None;
  if (!bits)
    return llvm::None;
  return *bits / 8 + (*bits % 8 != 0);
}

std::string Type::text() const {
  if (!isTensorType)
    return "none";
  std::string result = "tensor<";
  for (int64_t extent : extents)
    result += std::to_string(extent) + "x";
  return result + dtypeName(format).str() + ">";
}
