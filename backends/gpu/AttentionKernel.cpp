// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/AttentionKernel.h"

#include "ir/core/CycleTime.h"
#include <cmath>

using namespace perfc;
using namespace perfc::gpu;

//===-- From the IR --------------------------------------------------------------------------===//

AttentionFigures gpu::attentionFigures(tile::FamilyOp family, const KernelChip &chip) {
  const ir::Operation &op = *family;
  auto seconds = [&](llvm::StringRef name) { return ir::secondsOf(op, name, chip.clock); };
  auto count = [&](llvm::StringRef name) { return static_cast<double>(op.intAttr(name, 0)); };
  AttentionFigures figures;
  figures.isDecode = family.kind().endswith("decode");
  figures.launch = seconds("launch");
  figures.appendLaunch = seconds("append_launch");
  figures.overlap = op.realAttr("overlap", chip.generation->realAttr("overlap"));
  figures.block = seconds("block");
  figures.fill = seconds("fill");
  figures.products = op.realAttr("products", 1);
  figures.hasOwnCore = op.hasAttr("own_core");
  figures.exponentials = op.realAttr("exponentials", 1);
  figures.softmaxOverlap = op.realAttr("softmax_overlap");
  figures.tail = op.realAttr("tail");
  figures.chain = op.realAttr("chain", 1);
  figures.dequantise = seconds("dequantise");
  figures.isSynchronous = op.hasAttr("synchronous");
  llvm::StringRef packs = op.stringAttr("packs");
  figures.packs = packs == "all"   ? AttentionFigures::Pack::All
                  : packs == "one" ? AttentionFigures::Pack::One
                                   : AttentionFigures::Pack::None;
  figures.wideRows = count("wide_rows");
  figures.pad = count("pad");
  figures.stepElements = count("step_elements");
  figures.unitBytes = op.realAttr("unit_bytes") * chip.clock;
  figures.queryPasses = op.realAttr("query_passes");
  figures.cacheReads = op.realAttr("cache_reads", 1);
  figures.cached = op.realAttr("cached", 1);
  figures.quantiseRow = seconds("quantise_row");
  figures.quantiseElement = seconds("quantise_element");
  figures.split = op.hasAttr("split") ? seconds("split") : chip.design().split;
  figures.splitEach = op.realAttr("split_each");
  return figures;
}

AttentionWork gpu::attentionWork(tile::AttentionOp attention, tile::FamilyOp family,
                                 const KernelChip &chip) {
  AttentionWork work;
  work.sequences = static_cast<double>(attention.sequences());
  work.heads = static_cast<double>(attention.heads());
  work.group = static_cast<double>(attention.group());
  work.queries = static_cast<double>(attention.queries());
  work.keys = static_cast<double>(attention.keys());
  work.scoreFeatures = static_cast<double>(attention.scoreFeatures());
  work.valueFeatures = static_cast<double>(attention.valueFeatures());
  work.window = static_cast<double>(attention.window());
  work.isCausal = attention.isCausal();
  work.stride = static_cast<double>(attention.stride());
  work.sharesValues = attention->hasAttr("shared");
  work.querySize = std::max(2.0, storedBytes(attention.format())); // as they come, and results
  work.cacheSize = storedBytes(attention.cache());
  work.otherBytes = static_cast<double>(attention.otherBytes());
  DType products = tile::productsOf(family, attention);
  FormatRate rate = chip.rateFor(products);
  work.rate = rate.macs;
  work.energy = rate.energy;
  work.macsPerCore = 16 / bitsOf(products);
  if (auto unit = chip.chip.unitFor("exp", attention.format()))
    work.exponentials = unit->rate.central() * chip.boost;
  return work;
}

//===-- Blocks -------------------------------------------------------------------------------===//

void gpu::describeAttention(ir::Operation &kernel, tile::AttentionOp attention,
                            const AttentionPrice &price, const Tile &tile, const KernelChip &chip,
                            DType products, ir::Builder &builder) {
  auto units = static_cast<int64_t>(chip.units), split = static_cast<int64_t>(tile.split);
  auto blocks = static_cast<int64_t>(price.count), rows = static_cast<int64_t>(tile.rows);
  auto step = static_cast<int64_t>(price.keys);
  int64_t seen =
      attention.window() > 0 ? std::min(attention.window(), attention.keys()) : attention.keys();
  int64_t keys = std::max(step, ceilDivide(ceilDivide(seen, step), split) * step);
  int64_t waves = ceilDivide(blocks, units);
  kernel.setAttr("grid", ir::AttrDict{{"q", blocks / split}, {"k", split}});
  kernel.setAttr("tile", ir::AttrDict{{"q", rows}, {"k", keys}, {"step", step}});
  kernel.setAttr("blocks", blocks);
  kernel.setAttr("units", units);
  kernel.setAttr("waves", waves);
  kernel.setAttr("occupancy", Quantity(*Rational::make(blocks, waves * units)));
  std::string memory = (chip.cache ? chip.cache : chip.outermost)->name().str();
  std::vector<std::string> tensors = attention->stringsAttr("tensors");
  auto bytes = [](DType format, int64_t elements) {
    return ceilDivide(storedBits(format, elements).getValueOr(0), 8);
  };
  auto move = [&](llvm::StringRef name, const std::string &tensor, int64_t size,
                  llvm::StringRef way) {
    ir::Operation *op = builder.create(kernel.body(), name, kernel.location());
    op->setAttr("tensor", tensor);
    op->setAttr("bytes", size);
    op->setAttr(way, memory);
  };
  auto load = [&](size_t tensor, DType format, int64_t elements) {
    move(tile::LoadOp::opName, tensors[tensor], bytes(format, elements), "from");
  };
  load(0, attention.format(), rows * attention.scoreFeatures());
  load(1, attention.cache(), keys * attention.scoreFeatures());
  if (!attention->hasAttr("shared"))
    load(2, attention.cache(), keys * attention.valueFeatures());
  int64_t macs = rows * keys * (attention.scoreFeatures() + attention.valueFeatures());
  ir::Operation *compute =
      builder.create(kernel.body(), tile::ComputeOp::opName, kernel.location());
  compute->setAttr("macs", macs);
  compute->setAttr("flops", 2 * macs);
  compute->setAttr("unit", chip.unitsFor(products).front().unit->name());
  move(tile::StoreOp::opName, tensors[3],
       bytes(attention.format(), rows * attention.valueFeatures()), "to");
}

//===-- Costs --------------------------------------------------------------------------------===//

namespace {

/// Builds the cost of one kernel.
class AttentionKernelCost {
public:
  explicit AttentionKernelCost(const LibraryQuery &of)
      : of(of), chip(of.chip), attention(tile::attentionOf(*of.kernel)),
        library(of.kernel->module()->lookup<tile::LibraryOp>(of.kernel.library())),
        family(tile::attentionFor(library, attention)), tile{extentOf(of.kernel.tile(), "q"),
                                                             extentOf(of.kernel.tile(), "step"),
                                                             extentOf(of.kernel.grid(), "k")},
        price(attentionPrice(chip.residentDesign(), attentionFigures(family, chip),
                             attentionWork(attention, family, chip), tile)) {}

  Cost cost();

private:
  void addParts(KernelLines &lines);
  void addBounds(KernelLines &lines);
  std::string unitOf(llvm::StringRef function) const;

  const LibraryQuery &of;
  const KernelChip &chip;
  tile::AttentionOp attention;
  tile::LibraryOp library;
  tile::FamilyOp family;
  Tile tile;
  AttentionPrice price;
};

} // namespace

/// The unit of products, or that of an element function.
std::string AttentionKernelCost::unitOf(llvm::StringRef function) const {
  if (function.empty())
    return chip.unitsFor(tile::productsOf(family, attention)).front().unit->name().str();
  auto unit = chip.chip.unitFor(function, attention.format());
  return unit ? unit->unit->name().str() : "";
}

void AttentionKernelCost::addParts(KernelLines &lines) {
  lines.part(PartKind::Compute, unitOf(""), std::max(price.products, price.arrival),
             of.compute.energy);
  if (price.exponentials > 0)
    lines.part(PartKind::Compute, unitOf("exp"), price.exponentials);
  if (chip.outermost)
    lines.traffic(*chip.outermost, price.readBytes, price.writtenBytes, price.memory);
  if (chip.cache)
    lines.traffic(*chip.cache, price.loadedBytes, price.storedBytes, 0);
  lines.part(PartKind::Launch, "launch", price.launch);
  for (const auto &[label, time] :
       {std::make_pair("quantise", price.quantise), std::make_pair("append", price.append),
        std::make_pair("split", price.split)})
    if (time > 0)
      lines.part(PartKind::Launch, label, time);
}

/// What the parts of the sum of limits have of the time goes to the largest of them.
void AttentionKernelCost::addBounds(KernelLines &lines) {
  double largest = std::max({price.units, price.memory, price.power});
  if (largest == price.units) {
    double share = price.body / price.units;
    double beside = std::min(price.units, price.blocks + price.tail);
    double steps = price.units - beside;
    double most = std::max({price.products, price.exponentials, price.arrival});
    std::string resource = most == price.products       ? "compute " + unitOf("")
                           : most == price.exponentials ? "compute " + unitOf("exp")
                                                        : "operands";
    lines.bound(resource, steps * share);
    lines.bound("tail", std::min(price.tail, beside) * share);
    lines.bound("blocks", std::max(0.0, beside - price.tail) * share);
  } else if (largest == price.memory) {
    lines.bound("memory " + chip.outermost->name().str(), price.body);
  } else {
    lines.bound("power", price.body);
  }
  lines.bound("split", price.split);
  lines.bound("quantise", price.quantise);
  lines.bound("append", price.append);
  lines.bound("launch", price.launch);
}

Cost AttentionKernelCost::cost() {
  KernelLines lines(of, price.total, family);
  addParts(lines);
  addBounds(lines);
  lines.work(price.body, price.total - price.body);
  lines.power(family, tile::productsOf(family, attention), static_cast<double>(of.work.macs));
  std::string split = tile.split > 1 ? fmt::format(" split {}", tile.split) : "";
  return lines.finish(
      std::min(1.0, of.compute.macLatency.central() / chip.boost / price.total),
      fmt::format("{} {} {}x{}{}", library.symbol(), family.kind(), tile.rows, tile.columns, split),
      "launch + (units^p + memory^p + power^p)^(1/p) + split + quantise");
}

Cost gpu::attentionKernelCost(const LibraryQuery &of) { return AttentionKernelCost(of).cost(); }
