// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/ExpertKernel.h"

#include "backends/gpu/ExpertPrice.h"
#include "ir/core/CycleTime.h"
#include "ir/core/Module.h"
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
  figures.resident = op.realAttr("resident", 1);
  figures.otherTime = seconds("other_time");
  figures.choiceTime = seconds("choice_time");
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
  work.choices = count("all_rows");
  work.moved = family->hasAttr("all_rows") ? work.choices : work.rows;
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

static void addLines(KernelLines &lines, const LibraryQuery &of, const ExpertPrice &price) {
  const KernelChip &chip = of.chip;
  lines.part(PartKind::Compute, of.compute.slowestUnit(), price.units, of.compute.energy);
  auto written = static_cast<double>(of.work.writtenBytes);
  if (chip.outermost)
    lines.traffic(*chip.outermost, std::max(0.0, price.memoryBytes - written), written,
                  price.memory + price.moves);
  lines.part(PartKind::Launch, "launch", price.launch);
  lines.part(PartKind::Memory, "moves", price.moves);
  lines.part(PartKind::Launch, "choices", price.choices);
  double largest = std::max({price.units, price.memory, price.cache, price.power});
  if (largest == price.units) {
    double share = price.body / price.units;
    lines.bound("compute " + of.compute.slowestUnit().str(),
                std::min(price.products, price.units) * share);
    lines.bound("blocks", std::max(0.0, price.units - price.products) * share);
  } else if (largest == price.memory) {
    lines.bound("memory " + chip.outermost->name().str(), price.body);
  } else if (largest == price.cache) {
    lines.bound("memory " + (chip.cache ? chip.cache : chip.outermost)->name().str(), price.body);
  } else {
    lines.bound("power", price.body);
  }
  lines.bound("moves", price.moves);
  lines.bound("choices", price.choices);
  lines.bound("launch", price.launch);
}

Cost gpu::expertKernelCost(const LibraryQuery &of) {
  const KernelChip &chip = of.chip;
  tile::ExpertsOp experts = tile::expertsOf(*of.kernel);
  tile::FamilyOp family = familyOf(*of.kernel, of.kernel.library(), experts);
  Tile tile{extentOf(of.kernel.tile(), "m"), extentOf(of.kernel.tile(), "n"), 1};
  ExpertPrice price = expertPrice(chip.residentDesign(), figuresOf(family, chip),
                                  workOf(experts, family, chip), tile);
  KernelLines lines(of, price.total, family);
  addLines(lines, of, price);
  lines.work(price.body + price.moves + price.choices, price.launch);
  lines.power(family, experts.format(), static_cast<double>(of.work.macs));
  Cost cost = lines.finish(
      price.products / price.total,
      fmt::format("{} {}x{}", of.kernel.library(), tile.rows, tile.columns),
      "launch + sum over products of (units^p + memory^p + power^p)^(1/p) + moves + choices");
  cost.addNote(fmt::format("{:.4g} of {} experts have rows, {:.4g} of them each", price.active,
                           experts->intAttr("experts"),
                           static_cast<double>(experts->intAttr("rows")) / price.active));
  return cost;
}
