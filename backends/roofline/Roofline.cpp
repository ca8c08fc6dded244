// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/roofline/Roofline.h"

#include "backends/core/ComputeTime.h"
#include "backends/core/Leakage.h"
#include "backends/core/MemoryTraffic.h"

using namespace perfc;
using namespace perfc::roofline;

bool RooflineProvider::serves(const ir::Operation &op) const { return op.is(op::KernelOp::opName); }

/// The parts of a kernel that overlap.
static std::vector<CostPart> partsOf(const ComputeTime &compute, const Cost &cost) {
  std::vector<CostPart> parts;
  CostPart computing(PartKind::Compute, "", {}, compute.latency, compute.energy);
  for (const UnitTime &unit : compute.units) {
    computing.label += (computing.label.empty() ? "" : " + ") + unit.unit;
    computing.children.emplace_back(PartKind::Compute, unit.unit, unit.location, unit.latency,
                                    unit.energy);
  }
  if (computing.children.size() == 1)
    computing = computing.children.front();
  if (!compute.units.empty())
    parts.push_back(std::move(computing));
  for (const MemoryTraffic &memory : cost.traffic)
    parts.push_back(partOf(memory));
  return parts;
}

static llvm::Optional<Cost> evaluateOne(const CostQuery &query, WorkMemo &works,
                                        DiagnosticEngine &diagnostics) {
  const KernelWork *work = works.of(*query.op, diagnostics);
  if (!work)
    return llvm::None;
  Chip chip(*query.target);
  llvm::Optional<ComputeTime> compute = computeTime(chip, *work, *query.op, diagnostics);
  if (!compute)
    return llvm::None;
  Cost cost;
  cost.macs = work->macs;
  cost.flops = work->flops;
  cost.notes = compute->notes;
  cost.energy = cost.work->computeEnergy = compute->energy;
  cost.work->compute = compute->latency;
  Uncertain memoryTime = 0;
  if (const ChipMemory *memory = chip.outermost()) {
    cost.traffic.push_back(trafficOf(*memory,
                                     static_cast<double>(work->readBytes), // each operand once
                                     static_cast<double>(work->writtenBytes)));
    memoryTime = cost.traffic.front().latency;
    cost.energy += cost.traffic.front().energy;
  }
  cost.latency = max(compute->latency, memoryTime);
  cost.breakdown.children = partsOf(*compute, cost);
  if (compute->latency.central() >= memoryTime.central() && !compute->units.empty())
    cost.addBound("compute " + compute->slowestUnit().str(), compute->latency);
  else if (!cost.traffic.empty())
    cost.addBound("memory " + cost.traffic.front().memory, memoryTime);
  if (!work->isJoined)
    cost.addLaunch(chip.launch());
  if (cost.latency.central() > 0)
    cost.utilization = compute->macLatency / cost.latency;
  if (auto clock = chip.clock())
    cost.cycles = cost.latency * *clock;
  cost.area = areaOf(chip);
  noteLeftOut(chip, cost);
  cost.provenance = Provenance::of("roofline");
  addLeakage(chip, cost);
  cost.describe(PartKind::Kernel, query.op->symbol(), query.op->range());
  cost.breakdown.composition = Composition::Overlap;
  return cost;
}

std::vector<llvm::Optional<Cost>> RooflineProvider::evaluate(llvm::ArrayRef<CostQuery> queries,
                                                             DiagnosticEngine &diagnostics) {
  std::vector<llvm::Optional<Cost>> costs;
  for (const CostQuery &query : queries)
    costs.push_back(evaluateOne(query, works, diagnostics));
  return costs;
}
