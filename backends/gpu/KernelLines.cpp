// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/KernelLines.h"

#include "backends/core/Chip.h"
#include "backends/core/Leakage.h"
#include "backends/core/MemoryTraffic.h"

using namespace perfc;
using namespace perfc::gpu;

void KernelLines::part(PartKind kind, llvm::StringRef label, double time, Figure energy) {
  CostPart part;
  part.label = label.str();
  part.kind = kind;
  part.latency = time * scale;
  part.energy = std::move(energy);
  cost.breakdown.children.push_back(std::move(part));
}

void KernelLines::traffic(const ChipMemory &memory, double read, double written, double time) {
  MemoryTraffic traffic = trafficOf(memory, read, written);
  traffic.latency = time * scale;
  cost.energy += traffic.energy;
  part(PartKind::Memory, traffic.memory, time, traffic.energy);
  cost.breakdown.children.back().location = traffic.location;
  cost.traffic.push_back(std::move(traffic));
}

void KernelLines::bound(const std::string &resource, double time) {
  if (time > 0)
    cost.addBound(resource, cost.latency * (time / priced));
}

void KernelLines::work(double body, double launch, const Figure &energy) {
  cost.work->compute = body * scale;
  cost.work->launch = launch * scale;
  cost.work->computeEnergy = energy;
}

void KernelLines::finish(tile::KernelOp kernel, const KernelChip &chip, KernelNeeds needs) {
  cost.macs = needs.work.macs;
  cost.flops = needs.work.flops;
  if (auto clock = chip.chip.clock())
    cost.cycles = cost.latency * *clock;
  cost.area = areaOf(chip.chip);
  cost.provenance.library = kernel.library().str();
  cost.notes = std::move(needs.compute.notes);
  noteLeftOut(chip.chip, cost);
  if (!chip.generation.measured().isCertain())
    cost.errors.addKnown("kernels of `" + chip.generation.symbol().str() + "`");
  addLeakage(chip.chip, cost);
  cost.describe(PartKind::Kernel, kernel.symbol(), kernel->range());
  cost.breakdown.composition = Composition::Overlap;
}

llvm::Optional<KernelNeeds> gpu::kernelNeeds(const ir::Operation &run, const ir::Operation &target,
                                             DiagnosticEngine &diagnostics) {
  llvm::Optional<KernelWork> work = kernelWork(run, diagnostics);
  auto compute = work ? computeTime(Chip(target), *work, run, diagnostics) : llvm::None;
  if (!compute)
    return llvm::None;
  return KernelNeeds{std::move(*work), std::move(*compute)};
}

double gpu::extentOf(const ir::AttrDict &extents, llvm::StringRef index) {
  const ir::Attribute *value = extents.find(index);
  return value ? static_cast<double>(value->asInt()) : 1;
}
