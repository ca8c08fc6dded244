// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/KernelLines.h"

#include "backends/core/Chip.h"
#include "backends/core/Leakage.h"
#include "backends/core/MemoryTraffic.h"

using namespace perfc;
using namespace perfc::gpu;

KernelLines::KernelLines(const LibraryQuery &of, double priced, Uncertain latency)
    : of(of), chip(of.chip), priced(priced), scale(latency.central() / priced) {
  cost.latency = std::move(latency);
  cost.energy = of.compute.energy;
}

void KernelLines::part(PartKind kind, llvm::StringRef label, double time, Figure energy) {
  CostPart part;
  part.label = label.str();
  part.kind = kind;
  part.latency = time * scale;
  part.energy = std::move(energy);
  if (kind == PartKind::Compute)
    cost.work->unit = max(cost.work->unit, part.latency);
  cost.breakdown.children.push_back(std::move(part));
}

void KernelLines::traffic(const ChipMemory &memory, double read, double written, double time) {
  MemoryTraffic traffic = trafficOf(memory, read, written);
  traffic.latency = time * scale;
  cost.energy += traffic.energy;
  cost.breakdown.children.push_back(partOf(traffic));
  cost.traffic.push_back(std::move(traffic));
}

void KernelLines::bound(const std::string &resource, double time) {
  if (time > 0)
    cost.addBound(resource, cost.latency * (time / priced));
}

void KernelLines::work(double body, double launch) {
  cost.work->compute = body * scale;
  cost.work->launch = launch * scale;
  cost.work->computeEnergy = of.compute.energy;
}

/// Puts `energy` in the places of the parts.
void KernelLines::ownPower(const KernelEnergy &energy, const Figure &operations) {
  Uncertain measured = chip.generation.measuredEnergy();
  Figure memory(measured * energy.memory), none(0.0);
  double seconds = cost.latency.central();
  Uncertain time = seconds > 0 ? cost.latency * (1 / seconds) : Uncertain(1);
  Figure idle(time * measured * energy.idle), issue(time * measured * energy.issue);
  for (MemoryTraffic &traffic : cost.traffic)
    traffic.energy = chip.outermost && traffic.memory == chip.outermost->name() ? memory : none;
  bool isFirst = true;
  for (CostPart &part : cost.breakdown.children) {
    if (part.kind == PartKind::Compute) {
      part.energy = isFirst ? operations : none;
      isFirst = false;
    } else if (part.kind == PartKind::Memory) {
      part.energy = chip.outermost && part.label == chip.outermost->name() ? memory : none;
    }
  }
  cost.breakdown.children.emplace_back(PartKind::Compute, "issue", SourceRange(), 0, issue);
  cost.breakdown.children.emplace_back(PartKind::Memory, "idle", SourceRange(), 0, idle);
  cost.energy = operations;
  for (const Figure *part : {&memory, &issue, &idle})
    cost.energy += *part;
  cost.leakageEnergy = idle;
  cost.work->computeEnergy = operations;
  cost.work->computeEnergy += issue;
  hasOwnPower = true;
}

void KernelLines::power(tile::FamilyOp family, DType format, double macs) {
  PowerDesign design = chip.powerDesign();
  if (design.limit <= 0)
    return;
  double perMac = chip.rateFor(format).energy * chip.generation->realAttr("dynamic", 1);
  KernelActivity activity;
  activity.operations = macs * perMac;
  activity.share = family->realAttr("activity");
  for (const MemoryTraffic &traffic : cost.traffic)
    if (chip.outermost && traffic.memory == chip.outermost->name())
      activity.bytes += traffic.bytes();
  KernelEnergy energy = kernelEnergy(design, activity, cost.latency.central());
  // What the units have of the limit is in the price of kernels that say it.
  bool isHeld = family->hasAttr("board");
  cost.work->demand = {energy.issue + (isHeld ? energy.operations : activity.operations),
                       isHeld ? energy.memory : activity.bytes * design.byteEnergy, energy.idle,
                       design.reached * design.limit * cost.latency.central(),
                       cost.work->unit.central()};
  Figure operations(chip.generation.measuredEnergy() * energy.operations);
  if (perMac <= 0 && macs > 0)
    operations += Figure::notGiven("generation", chip.generation.symbol());
  ownPower(energy, operations);
}

Cost KernelLines::finish(double utilization, std::string mapping, std::string formula) {
  cost.macs = of.work.macs;
  cost.flops = of.work.flops;
  cost.utilization = utilization;
  if (auto clock = chip.chip.clock())
    cost.cycles = cost.latency * *clock;
  cost.area = areaOf(chip.chip);
  cost.provenance = {"tile", std::move(mapping), std::move(formula), of.kernel.library().str()};
  cost.notes = of.compute.notes;
  if (!chip.generation.measured().isCertain())
    cost.errors.addKnown("kernels of `" + chip.generation.symbol().str() + "`");
  if (!hasOwnPower) {
    noteLeftOut(chip.chip, cost);
    addLeakage(chip.chip, cost);
  }
  cost.describe(PartKind::Kernel, of.kernel.symbol(), of.kernel->range());
  cost.breakdown.composition = Composition::Overlap;
  return std::move(cost);
}

double gpu::extentOf(const ir::AttrDict &extents, llvm::StringRef index) {
  const ir::Attribute *value = extents.find(index);
  return value ? static_cast<double>(value->asInt()) : 1;
}
