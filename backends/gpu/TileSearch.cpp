// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/TileSearch.h"

#include "backends/gpu/AttentionKernel.h"
#include "backends/gpu/ConvolutionKernel.h"
#include "backends/gpu/ExpertKernel.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Gpu.h"
#include "ir/study/AllOps.h"
#include "ir/tile/LayerOps.h"
#include "ir/tile/TileOps.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace perfc;
using namespace perfc::gpu;

namespace {

class TileSearch {
public:
  TileSearch(ir::Module &module, DiagnosticEngine &diagnostics)
      : module(module), diagnostics(diagnostics), builder(allOps()) {}

  /// Replaces `choice`; false after a report.
  bool choose(tile::ChoiceOp choice);

private:
  const KernelChip &chipOf(const ir::Operation &op) {
    return chips.try_emplace(&op, op).first->second;
  }
  bool chooseProduct(tile::ChoiceOp choice, const KernelChip &chip, tile::LibraryOp library);
  bool chooseAttention(tile::ChoiceOp choice, const KernelChip &chip, tile::LibraryOp library);
  bool chooseLayer(tile::ChoiceOp choice, const KernelChip &chip, const ir::Operation &layer);
  bool hasUnits(tile::ChoiceOp choice, const KernelChip &chip, DType format, bool hasFamily);
  bool fits(tile::ChoiceOp choice, const KernelChip &chip, tile::FamilyOp family,
            const llvm::Optional<Tile> &tile);
  ir::Operation *kernelFor(tile::ChoiceOp choice);
  void finish(tile::ChoiceOp choice, ir::Operation &kernel);
  void replace(tile::ChoiceOp choice, tile::ProductOp product, const KernelChip &chip,
               const FamilyFigures &family, const Tile &tile);
  void addWork(ir::Operation &kernel, tile::ProductOp product, const KernelChip &chip);

  ir::Module &module;
  DiagnosticEngine &diagnostics;
  ir::Builder builder;
  std::map<const ir::Operation *, KernelChip> chips;
};

} // namespace

bool TileSearch::choose(tile::ChoiceOp choice) {
  const KernelChip &chip = chipOf(*module.lookup(choice.target()));
  auto library = module.lookup<tile::LibraryOp>(choice.library());
  if (auto experts = tile::expertsOf(*choice))
    return chooseLayer(choice, chip, *experts);
  if (auto convolution = tile::convolutionOf(*choice))
    return chooseLayer(choice, chip, *convolution);
  return tile::productOf(*choice) ? chooseProduct(choice, chip, library)
                                  : chooseAttention(choice, chip, library);
}

/// False, reported, where nothing multiplies `format` on the chip, or no kernel of the library.
bool TileSearch::hasUnits(tile::ChoiceOp choice, const KernelChip &chip, DType format,
                          bool hasFamily) {
  if (hasFamily && chip.generation && !chip.unitsFor(format).empty())
    return true;
  diagnostics.report(choice->range(), diag::NoUnitFor, chip.chip.name(), "multiply-accumulates",
                     dtypeName(format));
  return false;
}

bool TileSearch::fits(tile::ChoiceOp choice, const KernelChip &chip, tile::FamilyOp family,
                      const llvm::Optional<Tile> &tile) {
  if (tile)
    return true;
  diagnostics
      .report(choice->range(), diag::NoTileFits, choice.library(), chip.chip.name(),
              fmt::format("a step of each takes more than the memory of a unit{}",
                          chip.staging ? ", `" + chip.staging->name().str() + "`" : ""))
      .note(family->range(), "the tiles are declared here");
  return false;
}

bool TileSearch::chooseProduct(tile::ChoiceOp choice, const KernelChip &chip,
                               tile::LibraryOp library) {
  tile::ProductOp product = tile::productOf(*choice);
  tile::FamilyOp family = tile::gemmFor(library, product);
  if (!hasUnits(choice, chip, product.format(), family.op != nullptr))
    return false;
  FamilyFigures figures = familyFigures(family, chip, product.format(), choice->hasAttr("eager"));
  ProductPricer pricer(chip.design(), figures, tileList(family));
  llvm::Optional<Tile> tile = pricer.fastest(productWork(product, chip));
  if (!fits(choice, chip, family, tile))
    return false;
  replace(choice, product, chip, figures, *tile);
  return true;
}

bool TileSearch::chooseAttention(tile::ChoiceOp choice, const KernelChip &chip,
                                 tile::LibraryOp library) {
  tile::AttentionOp attention = tile::attentionOf(*choice);
  tile::FamilyOp family = tile::attentionFor(library, attention);
  DType products = family ? tile::productsOf(family, attention) : attention.format();
  if (!hasUnits(choice, chip, products, family.op != nullptr))
    return false;
  Design design = chip.residentDesign();
  AttentionFigures figures = attentionFigures(family, chip);
  AttentionWork work = attentionWork(attention, family, chip);
  llvm::Optional<Tile> tile = fastestAttention(design, figures, tileList(family), work);
  if (!fits(choice, chip, family, tile))
    return false;
  ir::Operation *kernel = kernelFor(choice);
  ir::ValueMap map;
  attention->clone(kernel->body(), map);
  describeAttention(*kernel, attention, attentionPrice(design, figures, work, *tile), *tile, chip,
                    products, builder);
  finish(choice, *kernel);
  return true;
}

/// A layer has a tile of rows and columns, and maybe an algorithm.
bool TileSearch::chooseLayer(tile::ChoiceOp choice, const KernelChip &chip,
                             const ir::Operation &layer) {
  llvm::Optional<LayerTile> found;
  if (chip.generation)
    found = layer.is(tile::ExpertsOp::opName) ? expertTile(choice, chip)
                                              : convolutionTile(choice, chip);
  if (!found)
    return hasUnits(choice, chip, *parseDType(layer.stringAttr("format")), false);
  ir::Operation *kernel = kernelFor(choice);
  auto units = static_cast<int64_t>(chip.units);
  int64_t blocks = found->rows * found->columns, waves = ceilDivide(blocks, units);
  kernel->setAttr("grid", ir::AttrDict{{"m", found->rows}, {"n", found->columns}});
  kernel->setAttr("tile", ir::AttrDict{{"m", std::llround(found->tile.rows)},
                                       {"n", std::llround(found->tile.columns)}});
  kernel->setAttr("blocks", blocks);
  kernel->setAttr("units", units);
  kernel->setAttr("waves", waves);
  kernel->setAttr("occupancy", Quantity(*Rational::make(blocks, waves * units)));
  ir::ValueMap map;
  ir::Operation &part = layer.clone(kernel->body(), map);
  if (!found->algorithm.empty())
    part.setAttr("algorithm", found->algorithm);
  finish(choice, *kernel);
  return true;
}

/// A kernel for `choice`, still without its symbol and library.
ir::Operation *TileSearch::kernelFor(tile::ChoiceOp choice) {
  ir::Operation *kernel = builder.createBefore(*choice, tile::KernelOp::opName, choice->location());
  for (llvm::StringRef name : {"run", "target"})
    kernel->setAttr(name, *choice->attr(name));
  return kernel;
}

void TileSearch::finish(tile::ChoiceOp choice, ir::Operation &kernel) {
  if (choice->hasAttr("eager"))
    kernel.setAttr("eager", ir::Attribute::unit());
  kernel.setAttr("library", *choice->attr("library"));
  std::string symbol = choice.symbol().str();
  choice->erase();
  kernel.setSymbol(symbol);
}

/// What one block reads of a factor and writes of the result, and what it computes.
void TileSearch::addWork(ir::Operation &kernel, tile::ProductOp product, const KernelChip &chip) {
  const ir::AttrDict &tile = kernel.dictAttr("tile");
  int64_t m = tile.find("m")->asInt(), n = tile.find("n")->asInt(), k = tile.find("k")->asInt();
  std::vector<std::string> tensors = product->stringsAttr("tensors");
  std::string memory = (chip.cache ? chip.cache : chip.outermost)->name().str();
  auto bytes = [](DType format, int64_t elements) {
    return ceilDivide(storedBits(format, elements).getValueOr(0), 8);
  };
  auto load = [&](const std::string &tensor, int64_t size) {
    ir::Operation *op = builder.create(kernel.body(), tile::LoadOp::opName, kernel.location());
    op->setAttr("tensor", tensor);
    op->setAttr("bytes", size);
    op->setAttr("from", memory);
  };
  load(tensors[0], bytes(product.left(), m * k));
  load(tensors[1], bytes(product.right(), k * n));
  ir::Operation *compute =
      builder.create(kernel.body(), tile::ComputeOp::opName, kernel.location());
  compute->setAttr("macs", m * n * k);
  compute->setAttr("flops", 2 * m * n * k);
  compute->setAttr("unit", chip.unitsFor(product.format()).front().unit->name());
  ir::Operation *store = builder.create(kernel.body(), tile::StoreOp::opName, kernel.location());
  store->setAttr("tensor", tensors[2]);
  store->setAttr("bytes", bytes(product.result(), m * n));
  store->setAttr("to", memory);
}

void TileSearch::replace(tile::ChoiceOp choice, tile::ProductOp product, const KernelChip &chip,
                         const FamilyFigures &family, const Tile &tile) {
  auto rows = static_cast<int64_t>(tile.rows), columns = static_cast<int64_t>(tile.columns),
       split = static_cast<int64_t>(tile.split), units = static_cast<int64_t>(chip.units);
  auto step = static_cast<int64_t>(family.stepProducts(storedBytes(product.left())));
  int64_t depth = ceilDivide(ceilDivide(product.k(), step), split) * step;
  int64_t gridRows = ceilDivide(product.m(), rows), gridColumns = ceilDivide(product.n(), columns);
  int64_t blocks = product.batch() * gridRows * gridColumns * split;
  int64_t waves = ceilDivide(blocks, units);
  ir::Operation *kernel = kernelFor(choice);
  kernel->setAttr(
      "grid",
      ir::AttrDict{{"batch", product.batch()}, {"m", gridRows}, {"n", gridColumns}, {"k", split}});
  kernel->setAttr("tile", ir::AttrDict{{"m", rows}, {"n", columns}, {"k", depth}});
  kernel->setAttr("blocks", blocks);
  kernel->setAttr("units", units);
  kernel->setAttr("waves", waves);
  kernel->setAttr("occupancy", Quantity(*Rational::make(blocks, waves * units)));
  ir::ValueMap map;
  product->clone(kernel->body(), map);
  addWork(*kernel, product, chip);
  finish(choice, *kernel);
}

bool gpu::chooseTiles(ir::Module &module, DiagnosticEngine &diagnostics) {
  TileSearch search(module, diagnostics);
  std::vector<tile::ChoiceOp> choices;
  for (ir::Operation &op : module.body())
    if (auto choice = ir::as<tile::ChoiceOp>(op))
      choices.push_back(choice);
  bool good = true;
  for (tile::ChoiceOp choice : choices)
    good &= search.choose(choice);
  return good;
}
