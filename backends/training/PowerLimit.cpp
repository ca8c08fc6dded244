// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/PowerLimit.h"

#include "backends/gpu/Figures.h"
#include <cmath>

using namespace perfc;
using namespace perfc::training;

/// Hz at which `sustained` is given.
static constexpr double givenClock = 1.5e9;

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
  double ofClock = std::pow(chip.clock / givenClock, 2); // voltages go with it
  boostShare = chip.boost;
  watts = limit->toDouble() * generation.realAttr("reached_power");
  idle = limit->toDouble() * generation.realAttr("idle");
  perByte = generation.realAttr("byte_energy");
  for (llvm::StringRef name : dtypeNames()) {
    DType format = *parseDType(name);
    perMac[format] = chip.rateFor(format).energy * sustained * ofClock;
  }
}

PowerDemand PowerLimit::demand(double macs, DType format, double bytes, double clocked) const {
  PowerDemand demand;
  if (watts <= 0)
    return demand;
  demand.operations = macs * perMac.at(format);
  demand.memory = bytes * perByte;
  demand.clocked = clocked;
  return demand;
}

double PowerLimit::stretch(PowerDemand demand, double seconds) const {
  demand.rest = idle * seconds;
  demand.limit = watts * seconds;
  return heldStretch(demand, seconds);
}
