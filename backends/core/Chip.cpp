// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Chip.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;

//===-- Formats
//--------------------------------------------------------------------------------===//

llvm::ArrayRef<DType> perfc::exactContainers(DType dtype) {
  // A format of p significant bits holds integers of p bits and a sign. fp8 stands for e4m3 and
  // e5m2, fp4 for e2m1; the scale of a block is a power of two (mxfp8, mxfp4) or in e4m3 (nvfp4).
  using enum DType;
  static constexpr DType ofBool[] = {Int4, Int8, Int16, Int32, Int64, FP8,
                                     BF16, FP16, TF32,  FP32,  FP64};
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
  case Int4:
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

//===-- Parts
//----------------------------------------------------------------------------------===//

Chip::Chip(const ir::Operation &chip) : op(ir::as<target::ChipOp>(chip)) {
  std::vector<target::ArrayOp> arrays;
  collect(chip.body(), arrays, 1);
}

void Chip::collect(const ir::Region &region, std::vector<target::ArrayOp> &arrays, int64_t copies) {
  for (const ir::Operation &part : region) {
    if (auto memory = ir::as<target::MemoryOp>(part)) {
      memoryList.push_back({memory, arrays, copies});
    } else if (auto unit = ir::as<target::ComputeOp>(part)) {
      unitList.push_back({unit, arrays, copies});
    } else if (auto array = ir::as<target::ArrayOp>(part)) {
      arrays.push_back(array);
      collect(part.body(), arrays, copies * array.instances());
      arrays.pop_back();
    }
  }
}

llvm::Optional<Uncertain> Chip::clock() const {
  if (auto clock = op.clock())
    return clock->toUncertain();
  return llvm::None;
}

Uncertain Chip::launch() const {
  auto launch = op.launch();
  return launch ? launch->toUncertain() : Uncertain(0);
}

Figure Chip::area() const {
  if (auto own = op.area())
    return own->toUncertain();
  Figure sum;
  bool isGiven = false;
  auto add = [&](const llvm::Optional<Quantity> &area, int64_t copies) {
    if (!area)
      return;
    sum += Figure(area->toUncertain() * static_cast<double>(copies));
    isGiven = true;
  };
  for (const ChipMemory &memory : memoryList)
    if (!memory.view.isOffChip())
      add(memory.view.area(), memory.copies);
  for (const ChipUnit &unit : unitList)
    add(unit.view.area(), unit.copies);
  return isGiven ? sum : Figure::notGiven("chip", name());
}

//===-- Rates
//----------------------------------------------------------------------------------===//

/// The rate of `unit` in `dtype` or, where it has none, in the fastest format that holds `dtype`.
static llvm::Optional<UnitRate> rateOf(const ChipUnit &unit, DType dtype) {
  auto as = [&](DType format) -> llvm::Optional<UnitRate> {
    auto rate = unit.view.rateFor(dtypeName(format));
    if (!rate)
      return llvm::None;
    UnitRate result{&unit, format, *rate, rate->toUncertain() * static_cast<double>(unit.copies),
                    llvm::None};
    if (!unit.view.rate().find(dtypeName(format)))
      result.dtype = llvm::None; // one rate for all formats
    if (auto energy = unit.view.energyFor(dtypeName(format)))
      result.energy = energy->toUncertain();
    return result;
  };
  if (auto own = as(dtype))
    return own;
  llvm::Optional<UnitRate> fastest;
  for (DType container : exactContainers(dtype))
    if (auto rate = as(container))
      if (!fastest || rate->rate.central() > fastest->rate.central())
        fastest = rate;
  return fastest;
}

std::vector<UnitRate> Chip::macUnits(DType dtype) const {
  std::vector<UnitRate> result;
  for (const ChipUnit &unit : unitList)
    if (unit.view.ops().empty())
      if (auto rate = rateOf(unit, dtype))
        result.push_back(*rate);
  return result;
}

llvm::Optional<UnitRate> Chip::unitNamed(llvm::StringRef name, DType dtype) const {
  for (const ChipUnit &unit : unitList)
    if (unit.name() == name)
      return rateOf(unit, dtype);
  return llvm::None;
}

llvm::Optional<UnitRate> Chip::unitFor(llvm::StringRef function, DType dtype) const {
  llvm::Optional<UnitRate> listed, general;
  for (const ChipUnit &unit : unitList) {
    std::vector<std::string> ops = unit.view.ops();
    llvm::Optional<UnitRate> &best = ops.empty() ? general : listed;
    if (!ops.empty() && !llvm::is_contained(ops, function))
      continue;
    auto rate = rateOf(unit, dtype);
    if (rate && (!best || rate->rate.central() > best->rate.central()))
      best = rate;
  }
  return listed ? listed : general;
}
