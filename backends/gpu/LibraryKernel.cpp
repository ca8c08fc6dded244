// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/LibraryKernel.h"

#include "ir/core/Module.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::gpu;

namespace {

/// Builds the cost of one kernel.
class LibraryKernelCost {
public:
  explicit LibraryKernelCost(const LibraryQuery &of)
      : of(of), kernel(of.kernel), chip(of.chip), product(tile::productOf(*kernel)),
        library(kernel->module()->lookup<tile::LibraryOp>(kernel.library())),
        family(tile::gemmFor(library, product)), design(chip.design()),
        work(productWork(product, chip)),
        figures(familyFigures(family, chip, product.format(), kernel->hasAttr("eager"))),
        tile{extentOf(kernel.tile(), "m"), extentOf(kernel.tile(), "n"),
             extentOf(kernel.grid(), "k")},
        price(priced()) {}

  Cost cost();

private:
  ProductPrice priced() const { return ProductPricer(design, figures, {}).price(work, tile); }
  Uncertain latency();
  void addParts(KernelLines &lines);
  void addBounds(KernelLines &lines);

  const LibraryQuery &of;
  tile::KernelOp kernel;
  const KernelChip &chip;
  tile::ProductOp product;
  tile::LibraryOp library;
  tile::FamilyOp family;
  Design design;
  ProductWork work;
  FamilyFigures figures;
  Tile tile;
  ProductPrice price;
};

} // namespace

/// The price, with how far it moves with the chip's uncertain figures to first order, times what
/// was measured of the generation's kernels over their prices.
Uncertain LibraryKernelCost::latency() {
  struct Source {
    Uncertain value;
    double *place;
  };
  std::vector<Source> sources;
  auto add = [&](const llvm::Optional<Quantity> &figure, double &place) {
    if (figure && !figure->toUncertain().isCertain())
      sources.push_back({figure->toUncertain(), &place});
  };
  if (chip.outermost)
    add(chip.outermost->view.bandwidth(), design.bandwidth);
  if (chip.cache)
    add(chip.cache->view.capacity(), design.cache);
  add(chip.op.tdp(), design.power);
  add(chip.op.boost(), work.rate);
  Uncertain result = price.total;
  for (const Source &source : sources) {
    constexpr double step = 1e-4;
    double centre = *source.place;
    *source.place = centre * (1 + step);
    double above = priced().total;
    *source.place = centre * (1 - step);
    double perShare = (above - priced().total) / (2 * step);
    *source.place = centre;
    double figure = source.value.central();
    result += (source.value - figure) * (figure > 0 ? perShare / figure : 0);
  }
  return result * chip.measured(family);
}

void LibraryKernelCost::addParts(KernelLines &lines) {
  lines.part(PartKind::Compute, of.compute.slowestUnit(), price.units, of.compute.energy);
  if (chip.outermost)
    lines.traffic(*chip.outermost, price.readBytes + price.quantiseReadBytes,
                  price.writtenBytes + price.quantiseWrittenBytes, price.memory);
  if (chip.cache) {
    double blocks = static_cast<double>(kernel.blocks()), depth = extentOf(kernel.tile(), "k");
    double loaded = blocks * depth * (tile.rows * work.leftSize + tile.columns * work.rightSize);
    lines.traffic(*chip.cache, loaded, blocks * tile.rows * tile.columns * work.resultSize,
                  std::max(price.loads, price.cache));
  }
  lines.part(PartKind::Launch, "launch", price.launch);
  if (price.quantise > 0)
    lines.part(PartKind::Launch, "quantise", price.quantise);
  if (price.split > 0)
    lines.part(PartKind::Launch, "split", price.split);
}

/// What the parts of the sum of limits have of the time goes to the largest of them.
void LibraryKernelCost::addBounds(KernelLines &lines) {
  double largest = std::max({price.units, price.loads, price.memory, price.cache, price.power});
  if (largest == price.units) {
    double share = price.body / price.units;
    lines.bound("compute " + of.compute.slowestUnit().str(), price.products * share);
    lines.bound("tail", price.tail * share);
    lines.bound("blocks", price.blocks * share);
  } else if (largest == price.loads) {
    lines.bound("operands", price.body);
  } else if (largest == price.cache) {
    lines.bound("memory " + (chip.cache ? chip.cache : chip.outermost)->name().str(), price.body);
  } else if (largest == price.memory) {
    lines.bound("memory " + chip.outermost->name().str(), price.body);
  } else {
    lines.bound("power", price.body);
  }
  lines.bound("split", price.split);
  lines.bound("quantise", price.quantise);
  lines.bound("launch", price.launch);
}

Cost LibraryKernelCost::cost() {
  KernelLines lines(of, price.total, latency());
  addParts(lines);
  addBounds(lines);
  lines.work(price.body, price.launch + price.quantise + price.split);
  lines.power(family, product.format(), work.batch * work.m * work.n * work.k);
  std::string split = tile.split > 1 ? fmt::format(" split {}", tile.split) : "";
  return lines.finish(price.products / price.total,
                      fmt::format("{} {}x{}{}", library.symbol(), tile.rows, tile.columns, split),
                      "launch + (units^p + loads^p + memory^p + cache^p + power^p)^(1/p) + split");
}

Cost gpu::libraryKernelCost(const LibraryQuery &of) { return LibraryKernelCost(of).cost(); }
