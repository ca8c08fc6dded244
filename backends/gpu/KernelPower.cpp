// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/KernelPower.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::gpu;

KernelEnergy gpu::kernelEnergy(const PowerDesign &design, const KernelActivity &activity,
                               double seconds) {
  KernelEnergy energy;
  energy.idle = design.idle * design.limit * seconds;
  energy.issue = activity.share * design.limit * seconds;
  energy.operations = activity.operations;
  energy.memory = activity.bytes * design.byteEnergy;
  double most = design.reached * design.limit * seconds;
  double moving = energy.operations + energy.memory;
  if (energy.total() > most && moving > 0) {
    double share = std::max(0.0, most - energy.idle - energy.issue) / moving;
    energy.operations *= share;
    energy.memory *= share;
  }
  return energy;
}
