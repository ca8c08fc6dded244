// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/MemoryTraffic.h"

using namespace perfc;

static Figure accessEnergy(const ChipMemory &memory, double bytes,
                           const llvm::Optional<Quantity> &perByte) {
  if (bytes == 0)
    return Figure();
  return perByte ? Figure(perByte->toUncertain() * bytes)
                 : Figure::notGiven("memory", memory.name());
}

MemoryTraffic perfc::trafficOf(const ChipMemory &memory, double read, double written) {
  MemoryTraffic traffic{
      memory.name().str(), memory.view->range(), memory.view.isOffChip(), read, written, {}, {}};
  traffic.energy = accessEnergy(memory, read, memory.view.readEnergy());
  traffic.energy += accessEnergy(memory, written, memory.view.writeEnergy());
  double copies = static_cast<double>(memory.copies);
  auto limit = [&](double bytes, const llvm::Optional<Quantity> &bandwidth) {
    if (bandwidth)
      traffic.latency =
          max(traffic.latency, Uncertain(bytes) / (bandwidth->toUncertain() * copies));
  };
  limit(read + written, memory.view.bandwidth());
  limit(read, memory.view.readBandwidth());
  limit(written, memory.view.writeBandwidth());
  return traffic;
}

CostPart perfc::partOf(const MemoryTraffic &traffic) {
  CostPart part(PartKind::Memory, traffic.memory, traffic.location, traffic.latency,
                traffic.energy);
  part.bytes = traffic.bytes();
  return part;
}
