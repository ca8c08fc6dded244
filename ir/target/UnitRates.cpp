// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/target/UnitRates.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;

llvm::ArrayRef<DType> target::exactContainers(DType dtype) {
  // A format of p significant bits holds integers of p bits and a sign. fp8 stands for e4m3 and
  // e5m2, fp4 for e2m1; the scale of a block is a power of two (mxfp8, mxfp4) or in e4m3 (nvfp4).
  using enum DType;
  static constexpr DType ofBool[] = {Int4, Int8, Int16, Int32, Int64, FP8,
                                     BF16, FP16, TF32,  FP32,  FP64};
  static constexpr DType ofInt3[] = {Int4, Int8, Int16, Int32, Int64, BF16, FP16, TF32, FP32, FP64};
  static constexpr DType ofInt4[] = {Int8, Int16, Int32, Int64, BF16, FP16, TF32, FP32, FP64};
  static constexpr DType ofInt8[] = {Int16, Int32, Int64, BF16, FP16, TF32, FP32, FP64};
  static constexpr DType ofInt16[] = {Int32, Int64, FP32, FP64};
  static constexpr DType ofInt32[] = {Int64, FP64};
  static constexpr DType ofFp8[] = {FP16, BF16, TF32, FP32, FP64};
  static constexpr DType ofMxfp8[] = {BF16, TF32, FP32, FP64};
  static constexpr DType ofFp4[] = {FP8, FP16, BF16, TF32, FP32, FP64};
  static constexpr DType ofMxfp4[] = {MXFP8, BF16, TF32, FP32, FP64};
  static constexpr DType ofHalf[] = {TF32, FP32, FP64};
  static constexpr DType ofTf32[] = {FP32, FP64};
  static constexpr DType ofFp32[] = {FP64};
  switch (dtype) {
  case Bool:
    return ofBool;
  case Int2:
  case Int3:
    return ofInt3;
  case Int4:
  case Int5:
  case Int6:
    return ofInt4;
  case Int8:
    return ofInt8;
  case Int16:
    return ofInt16;
  case Int32:
    return ofInt32;
  case FP8:
  case NVFP4:
    return ofFp8;
  case MXFP8:
  case Q80:
  case Q6K:
  case Q5K:
  case Q4K:
  case Q3K:
  case Q2K:
    return ofMxfp8;
  case FP4:
    return ofFp4;
  case MXFP4:
    return ofMxfp4;
  case FP16:
  case BF16:
    return ofHalf;
  case TF32:
    return ofTf32;
  case FP32:
    return ofFp32;
  case FP64:
  case Int64:
    return {};
  }
  return {};
}

llvm::Optional<target::UnitRate> target::unitRate(ComputeOp unit, DType dtype) {
  auto as = [&](DType format) -> llvm::Optional<UnitRate> {
    auto rate = unit.rateFor(dtypeName(format));
    if (!rate)
      return llvm::None;
    return UnitRate{format, !unit.rate().find(dtypeName(format)), *rate};
  };
  if (auto own = as(dtype))
    return own;
  llvm::Optional<UnitRate> fastest;
  for (DType container : exactContainers(dtype))
    if (auto rate = as(container))
      if (!fastest || rate->rate.toDouble() > fastest->rate.toDouble())
        fastest = rate;
  return fastest;
}

static target::ComputeOp fastest(llvm::ArrayRef<target::ComputeOp> units, DType dtype,
                                 llvm::function_ref<bool(target::ComputeOp)> can) {
  target::ComputeOp best;
  double most = 0;
  for (target::ComputeOp unit : units) {
    if (!can(unit))
      continue;
    auto rate = target::unitRate(unit, dtype);
    double own = rate ? rate->rate.toDouble() : 0;
    if (best && own <= most)
      continue;
    best = unit;
    most = own;
  }
  return best;
}

target::ComputeOp target::unitForFunction(llvm::ArrayRef<ComputeOp> units, llvm::StringRef function,
                                          DType dtype) {
  ComputeOp listed = fastest(
      units, dtype, [&](ComputeOp unit) { return llvm::is_contained(unit.ops(), function); });
  return listed ? listed : unitForMacs(units, dtype);
}

target::ComputeOp target::unitForMacs(llvm::ArrayRef<ComputeOp> units, DType dtype) {
  return fastest(units, dtype, [](ComputeOp unit) { return unit.ops().empty(); });
}
