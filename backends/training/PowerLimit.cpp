// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/PowerLimit.h"

#include "backends/gpu/Figures.h"
#include <cmath>

using namespace perfc;
using namespace perfc::training;

PowerLimit::PowerLimit(const ir::Operation &op) {
  auto view = ir::as<target::ChipOp>(op);
  auto limit = view.tdp();
  if (!limit || !op.hasAttr("generation"))
    return;
  gpu::KernelChip chip(op);
  const ir::Operation &generation = *chip.generation;
  double sustained = generation.realAttr("sustained");
  if (sustained <= 0)
    return;
  watts = limit->toDouble();
  perByte = generation.realAttr("byte_energy");
  overlap = generation.realAttr("overlap");
  for (llvm::StringRef name : dtypeNames()) {
    DType format = *parseDType(name);
    perMac[format] = chip.rateFor(format).energy * sustained;
  }
}

double PowerLimit::seconds(double macs, DType format, double bytes) const {
  if (watts <= 0)
    return 0;
  return (macs * perMac.at(format) + bytes * perByte) / watts;
}

double PowerLimit::stretch(double seconds, double limit) const {
  if (seconds <= 0 || limit <= 0)
    return 1;
  double ratio = limit / seconds;
  return overlap > 0 ? std::pow(1 + std::pow(ratio, overlap), 1 / overlap) : std::max(1.0, ratio);
}
