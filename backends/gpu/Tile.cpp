// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/Tile.h"

#include "backends/core/ComputeTime.h"
#include "backends/core/Leakage.h"
#include "backends/core/MemoryTraffic.h"
#include "backends/gpu/AttentionKernel.h"
#include "backends/gpu/ConvolutionKernel.h"
#include "backends/gpu/ExpertKernel.h"
#include "backends/gpu/LibraryKernel.h"
#include "backends/gpu/StreamKernel.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/loopnest/LoopnestOps.h"
#include "ir/phase/PhaseOps.h"
#include "ir/tile/LayerOps.h"
#include "ir/tile/LibraryOps.h"
#include "ir/tile/TileOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::gpu;

bool TileProvider::serves(const ir::Operation &op) const { return op.is(tile::KernelOp::opName); }

namespace {
/// What one block does.
struct Block {
  int64_t macs = 0;
  int64_t loaded = 0;
  int64_t stored = 0;
  std::string memory; ///< where it loads from
};
} // namespace

static Block blockOf(tile::KernelOp op) {
  Block block;
  for (const ir::Operation &part : op->body()) {
    if (auto load = ir::as<tile::LoadOp>(part)) {
      block.loaded += load.bytes();
      block.memory = load.from().str();
    } else if (auto compute = ir::as<tile::ComputeOp>(part)) {
      block.macs += compute.macs();
    } else if (auto store = ir::as<tile::StoreOp>(part)) {
      block.stored += store.bytes();
      if (block.memory.empty())
        block.memory = store.to().str();
    }
  }
  return block;
}

/// The op.kernel that is cut into blocks; a nest leads to its own. Null when it is missing.
static const ir::Operation *kernelOf(tile::KernelOp op) {
  const ir::Operation *run = op->module() ? op->module()->lookup(op.run()) : nullptr;
  if (auto nest = ir::as<loopnest::NestOp>(run))
    run = op->module()->lookup(nest.kernel());
  return run && run->is(op::KernelOp::opName) ? run : nullptr;
}

/// What a nest leaves out: bytes that only the elementwise statements fused after it read.
static double bytesBesideNest(const CostQuery &query) {
  tile::KernelOp op = ir::as<tile::KernelOp>(query.op);
  const ir::Operation *run = op->module() ? op->module()->lookup(op.run()) : nullptr;
  bool isNest = run && run->is(loopnest::NestOp::opName);
  return isNest ? static_cast<double>(phase::finishBytes(phase::finishOperands(query.placement)))
                : 0;
}

namespace {
class TileEvaluator {
public:
  TileEvaluator(const CostQuery &query, DiagnosticEngine &diagnostics)
      : op(ir::as<tile::KernelOp>(query.op)), target(*query.target), chip(target),
        block(blockOf(op)), besideNest(bytesBesideNest(query)), diagnostics(diagnostics) {}

  llvm::Optional<Cost> run();

private:
  llvm::Optional<Cost> libraryCost(const ir::Operation &kernel);
  void addCompute(Cost &cost);
  void addMemories(Cost &cost);
  void finish(Cost &cost);

  tile::KernelOp op;
  const ir::Operation &target;
  Chip chip;
  Block block;
  double besideNest; ///< bytes read once, from the memory that the blocks load from
  DiagnosticEngine &diagnostics;
  KernelWork work;
  ComputeTime compute; ///< of all blocks on the whole chip
  // What limits, so far.
  Uncertain slowest;
  std::string bound;
};
} // namespace

/// Waves of blocks at full width.
void TileEvaluator::addCompute(Cost &cost) {
  double rounds = static_cast<double>(op.waves()) * static_cast<double>(op.units()) /
                  static_cast<double>(std::max<int64_t>(1, op.blocks()));
  slowest = compute.latency * rounds;
  bound = "compute " + compute.slowestUnit().str();
  cost.energy += compute.energy;
  cost.work->computeEnergy = compute.energy;
  for (const UnitTime &unit : compute.units) {
    Uncertain time = unit.latency * rounds;
    cost.work->compute += time;
    cost.breakdown.children.emplace_back(PartKind::Compute, unit.unit, unit.location, time,
                                         unit.energy);
  }
}

void TileEvaluator::addMemories(Cost &cost) {
  auto add = [&](MemoryTraffic traffic, const Uncertain &time) {
    cost.energy += traffic.energy;
    traffic.latency = time;
    cost.breakdown.children.push_back(partOf(traffic));
    if (time.central() > slowest.central()) {
      slowest = time;
      bound = "memory " + traffic.memory;
    }
    cost.traffic.push_back(std::move(traffic));
  };
  const ChipMemory *outermost = chip.outermost();
  if (outermost && outermost->name() != block.memory) {
    MemoryTraffic traffic = trafficOf(*outermost, static_cast<double>(work.readBytes),
                                      static_cast<double>(work.writtenBytes));
    add(traffic, traffic.latency);
  }
  auto source = llvm::find_if(
      chip.memories(), [&](const ChipMemory &memory) { return memory.name() == block.memory; });
  if (source == chip.memories().end())
    return;
  double blocks = static_cast<double>(op.blocks());
  MemoryTraffic traffic =
      trafficOf(*source, static_cast<double>(block.loaded) * blocks + besideNest,
                static_cast<double>(block.stored) * blocks);
  double rounds =
      static_cast<double>(op.waves()) * static_cast<double>(op.units()) / std::max(1.0, blocks);
  add(traffic, traffic.latency * rounds);
}

void TileEvaluator::finish(Cost &cost) {
  cost.latency = slowest;
  cost.addBound(bound, slowest);
  if (!work.isJoined)
    cost.addLaunch(chip.launch());
  cost.macs = work.macs;
  cost.flops = work.flops;
  if (auto clock = chip.clock())
    cost.cycles = cost.latency * *clock;
  cost.area = areaOf(chip);
  cost.notes = compute.notes;
  noteLeftOut(chip, cost);
  if (!chip.dispatches())
    cost.addNote(fmt::format("no array of `{}` dispatches blocks: its units count as always busy, "
                             "as in the roofline",
                             chip.name()));
  cost.provenance = Provenance::of("tile");
  addLeakage(chip, cost);
  cost.describe(PartKind::Kernel, op.symbol(), op->range());
  cost.breakdown.composition = Composition::Overlap;
}

/// By what the library's kernel computes.
llvm::Optional<Cost> TileEvaluator::libraryCost(const ir::Operation &kernel) {
  auto needed = computeTime(chip, work, kernel, diagnostics);
  if (!needed)
    return llvm::None;
  LibraryQuery query{op, KernelChip(target), std::move(work), std::move(*needed)};
  if (tile::attentionOf(*op))
    return attentionKernelCost(query);
  if (tile::streamOf(*op))
    return streamKernelCost(query);
  if (tile::expertsOf(*op))
    return expertKernelCost(query);
  if (tile::convolutionOf(*op))
    return convolutionKernelCost(query);
  return libraryKernelCost(query);
}

llvm::Optional<Cost> TileEvaluator::run() {
  const ir::Operation *kernel = kernelOf(op);
  if (!kernel) {
    diagnostics.report(op->range(), diag::NoCost, op.run());
    return llvm::None;
  }
  llvm::Optional<KernelWork> exact = kernelWork(*kernel, diagnostics);
  if (!exact)
    return llvm::None;
  work = std::move(*exact);
  if (!op.library().empty())
    return libraryCost(*kernel);
  llvm::Optional<ComputeTime> needed = computeTime(chip, work, *kernel, diagnostics);
  // Partial tiles are computed in full: the multiply-accumulates of whole blocks.
  KernelWork executed = work;
  double full = static_cast<double>(block.macs) * static_cast<double>(op.blocks());
  double padding = work.macs > 0 ? std::max(1.0, full / static_cast<double>(work.macs)) : 1;
  for (MacWork &macs : executed.macsByFormat)
    macs.count = static_cast<int64_t>(static_cast<double>(macs.count) * padding);
  llvm::Optional<ComputeTime> all = computeTime(chip, executed, *kernel, diagnostics);
  if (!needed || !all)
    return llvm::None;
  compute = *all;
  Cost cost;
  addCompute(cost);
  addMemories(cost);
  Uncertain latency = work.isJoined ? slowest : slowest + chip.launch();
  if (latency.central() > 0)
    cost.utilization = needed->macLatency / latency;
  finish(cost);
  return cost;
}

std::vector<llvm::Optional<Cost>> TileProvider::evaluate(llvm::ArrayRef<CostQuery> queries,
                                                         DiagnosticEngine &diagnostics) {
  std::vector<llvm::Optional<Cost>> costs;
  for (const CostQuery &query : queries)
    costs.push_back(TileEvaluator(query, diagnostics).run());
  return costs;
}
