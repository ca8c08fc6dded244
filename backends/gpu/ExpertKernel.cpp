// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/ExpertKernel.h"

#include "backends/gpu/ExpertPrice.h"
#include "backends/gpu/KernelLines.h"
#include "ir/core/CycleTime.h"
#include "ir/tile/LayerOps.h"

using namespace perfc;
using namespace perfc::gpu;

static ExpertFigures figuresOf(tile::FamilyOp family, const KernelChip &chip) {
  const ir::Operation &op = *family;
  ExpertFigures figures;
  auto seconds = [&](llvm::StringRef name) { return ir::secondsOf(op, name, chip.clock); };
  figures.launch = seconds("launch");
  figures.step = op.realAttr("step", 128);
  figures.stepTime = seconds("step_time");
  figures.blockTime = seconds("block_time");
  figures.loss = op.realAttr("loss");
  figures.reached = op.realAttr("reached", 1);
  figures.overlap = op.realAttr("overlap");
  figures.moves = op.realAttr("moves");
  figures.tokenMoves = op.realAttr("token_moves");
  figures.lastWave = op.realAttr("last_wave", 1);
  return figures;
}

static ExpertWork workOf(tile::ExpertsOp experts, tile::FamilyOp family, const KernelChip &chip) {
  ExpertWork work;
  const ir::Operation &op = *experts;
  auto count = [&](llvm::StringRef name) { return static_cast<double>(op.intAttr(name)); };
  std::vector<int64_t> widths = experts.widths(), depths = experts.depths();
  for (size_t i = 0; i < widths.size(); ++i)
    work.products.push_back({static_cast<double>(widths[i]), static_cast<double>(depths[i])});
  std::string spread = op.stringAttr("spread").str();
  work.rows = count("rows");
  passes::ExpertSpread law{spread, op.realAttr("theta"), op.realAttr("most"),
                           static_cast<double>(op.intAttr("chosen", 0))};
  work.loads = passes::expertLoads(law, work.rows, op.intAttr("experts"), count("tokens"));
  work.moved = family->hasAttr("all_rows") ? count("all_rows") : work.rows;
  work.tokens = count("tokens");
  work.tokenBytes = count("token_bytes");
  work.rowBytes = count("row_bytes");
  work.leftSize = storedBytes(experts.left());
  work.weightSize = storedBytes(experts.weights());
  FormatRate rate = chip.rateFor(experts.format());
  work.rate = rate.macs;
  work.energy = rate.energy;
  work.copies = static_cast<double>(op.intAttr("copies", 0));
  work.narrow = std::max<double>(1, std::round(16 / static_cast<double>(bitsOf(rate.runsIn))));
  return work;
}

static tile::FamilyOp familyOf(const ir::Operation &op, llvm::StringRef library,
                               tile::ExpertsOp experts) {
  auto found = op.module()->lookup<tile::LibraryOp>(library);
  return tile::familyFor(found, "experts", experts.format(), experts.weights());
}

llvm::Optional<LayerTile> gpu::expertTile(tile::ChoiceOp choice, const KernelChip &chip) {
  tile::ExpertsOp experts = tile::expertsOf(*choice);
  tile::FamilyOp family = familyOf(*choice, choice.library(), experts);
  if (!family || chip.unitsFor(experts.format()).empty())
    return llvm::None;
  ExpertWork work = workOf(experts, family, chip);
  llvm::Optional<Tile> tile =
      fastestExpertTile(chip.residentDesign(), figuresOf(family, chip), work, tileList(family));
  if (!tile)
    return llvm::None;
  double rows = 0, widest = 1;
  for (const passes::ExpertRows &load : work.loads)
    rows += load.experts * std::ceil(load.rows / tile->rows);
  for (const GroupedExtents &extents : work.products)
    widest = std::max(widest, extents.n);
  return LayerTile{*tile, std::max<int64_t>(1, std::llround(std::ceil(rows - 1e-9))),
                   std::llround(std::ceil(widest / tile->columns)), ""};
}

static void addLines(KernelLines &lines, const KernelChip &chip, const KernelWork &needed,
                     const ExpertPrice &price, const ComputeTime &compute) {
  lines.part(PartKind::Compute, compute.slowestUnit(), price.units, compute.energy);
  auto written = static_cast<double>(needed.writtenBytes);
  if (chip.outermost)
    lines.traffic(*chip.outermost, std::max(0.0, price.memoryBytes - written), written,
                  price.memory + price.moves);
  lines.part(PartKind::Launch, "launch", price.launch);
  lines.part(PartKind::Memory, "moves", price.moves);
  double largest = std::max({price.units, price.memory, price.power});
  if (largest == price.units) {
    double share = price.body / price.units;
    lines.bound("compute " + compute.slowestUnit().str(),
                std::min(price.products, price.units) * share);
    lines.bound("blocks", std::max(0.0, price.units - price.products) * share);
  } else if (largest == price.memory) {
    lines.bound("memory " + chip.outermost->name().str(), price.body);
  } else {
    lines.bound("power", price.body);
  }
  lines.bound("moves", price.moves);
  lines.bound("launch", price.launch);
}

llvm::Optional<Cost> gpu::expertKernelCost(tile::KernelOp kernel, const ir::Operation &run,
                                           const ir::Operation &target,
                                           DiagnosticEngine &diagnostics) {
  auto needs = kernelNeeds(run, target, diagnostics);
  if (!needs)
    return llvm::None;
  KernelChip chip(target);
  const KernelWork &needed = needs->work;
  const ComputeTime &compute = needs->compute;
  tile::ExpertsOp experts = tile::expertsOf(*kernel);
  tile::FamilyOp family = familyOf(*kernel, kernel.library(), experts);
  Tile tile{extentOf(kernel.tile(), "m"), extentOf(kernel.tile(), "n"), 1};
  ExpertPrice price = expertPrice(chip.residentDesign(), figuresOf(family, chip),
                                  workOf(experts, family, chip), tile);
  Cost cost;
  cost.latency = Uncertain(price.total) * chip.measured(family);
  cost.energy = compute.energy;
  KernelLines lines(cost, price.total);
  addLines(lines, chip, needed, price, compute);
  lines.work(price.body + price.moves, price.launch, compute.energy);
  lines.power(chip, family, experts.format(), static_cast<double>(needed.macs));
  cost.utilization = price.products / price.total;
  cost.provenance = {"tile", fmt::format("{} {}x{}", kernel.library(), tile.rows, tile.columns),
                     "launch + sum over products of (units^p + memory^p + power^p)^(1/p) + moves"};
  lines.finish(kernel, chip, std::move(*needs));
  cost.addNote(fmt::format("{:.4g} of {} experts have rows, {:.4g} of them each", price.active,
                           experts->intAttr("experts"),
                           static_cast<double>(experts->intAttr("rows")) / price.active));
  return cost;
}
