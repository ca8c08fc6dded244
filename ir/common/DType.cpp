// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/DType.h"

#include "ir/common/Rational.h"
#include "ir/common/SameName.h"

#include "llvm/ADT/STLExtras.h"
#include <array>

using namespace perfc;

namespace {

/// A format by its name: bits of an element, and those of the scale that a block shares.
struct Format {
  llvm::StringLiteral name;
  unsigned bits, block = 0, scaleBits = 0;
};

/// In the order of DType.
constexpr Format formats[] = {
    {"fp64", 64},        {"fp32", 32},        {"tf32", 32},        {"fp16", 16},
    {"bf16", 16},        {"fp8", 8},          {"mxfp8", 8, 32, 8}, {"fp4", 4},
    {"mxfp4", 4, 32, 8}, {"nvfp4", 4, 16, 8}, {"int64", 64},       {"int32", 32},
    {"int16", 16},       {"int8", 8},         {"int4", 4},         {"bool", 8},
    {"int6", 6},         {"int5", 5},         {"int3", 3},         {"int2", 2},
    {"q8_0", 8, 16, 8},  {"q6_k", 6, 16, 9},  {"q5_k", 5, 16, 8},  {"q4_k", 4, 16, 8},
    {"q3_k", 3, 16, 7},  {"q2_k", 2, 16, 10}};

const Format &formatOf(DType dtype) { return formats[static_cast<unsigned>(dtype)]; }

} // namespace

llvm::ArrayRef<llvm::StringRef> perfc::dtypeNames() {
  static const auto names = [] {
    std::array<llvm::StringRef, std::size(formats)> all;
    llvm::transform(formats, all.begin(), [](const Format &format) { return format.name; });
    return all;
  }();
  return names;
}

unsigned perfc::bitsOf(DType dtype) { return formatOf(dtype).bits; }

unsigned perfc::scaleBlockOf(DType dtype) { return formatOf(dtype).block; }

unsigned perfc::scaleBitsOf(DType dtype) { return formatOf(dtype).scaleBits; }

llvm::Optional<int64_t> perfc::storedBits(DType dtype, int64_t elements) {
  llvm::Optional<int64_t> own = checkedMultiply(elements, bitsOf(dtype));
  int64_t block = scaleBlockOf(dtype);
  if (!own || block == 0)
    return own;
  return checkedAdd(*own, (elements / block + (elements % block != 0)) * scaleBitsOf(dtype));
}

double perfc::storedBytes(DType dtype) {
  const Format &format = formatOf(dtype);
  double scale = format.block ? static_cast<double>(format.scaleBits) / format.block : 0;
  return (format.bits + scale) / 8;
}

llvm::StringRef perfc::dtypeName(DType dtype) { return formatOf(dtype).name; }

llvm::Optional<DType> perfc::parseDType(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(formats); ++i)
    if (sameName(formats[i].name, name))
      return static_cast<DType>(i);
  return llvm::None;
}
