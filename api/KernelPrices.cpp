// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/KernelPrices.h"

#include "backends/gpu/Figures.h"
#include "frontend/build/Compilation.h"
#include "ir/study/AllOps.h"
#include <limits>
#include <map>

using namespace perfc;
using namespace perfc::api;

namespace {

/// Kernels of one format on one chip.
struct Kernels {
  const gpu::KernelChip &chip;
  gpu::ProductPricer pricer;
  double rate, energy;
};

} // namespace

struct KernelPrices::Tables {
  ir::Module module;
  std::map<std::string, gpu::KernelChip> chips;
  std::map<std::string, std::unique_ptr<Kernels>> kernels;

  const gpu::KernelChip *chipNamed(const std::string &name);
  Kernels *find(const ProductQuery &query, std::string &problem);
};

KernelPrices::KernelPrices(Context context, const std::string &program)
    : tables(std::make_unique<Tables>()) {
  FileId file = context.sources.add("<kernels>", program);
  Compilation compilation(context.sources, context.diagnostics, allOps());
  if (compilation.load(file, {}))
    compilation.buildAll(tables->module);
}

KernelPrices::~KernelPrices() = default;

const gpu::KernelChip *KernelPrices::Tables::chipNamed(const std::string &name) {
  const ir::Operation *op = module.lookup(name);
  if (!op || !op->is(target::ChipOp::opName) || !op->hasAttr("generation"))
    return nullptr;
  return &chips.try_emplace(name, *op).first->second;
}

/// The family of the library that is asked for, else of the first of the generation that has one.
static tile::FamilyOp familyOf(const ir::Module &module, const gpu::KernelChip &chip,
                               const ProductQuery &query) {
  std::vector<std::string> names = chip.generation.libraries();
  if (!query.library.empty())
    names = {query.library};
  for (const std::string &name : names)
    if (auto library = ir::as<tile::LibraryOp>(module.lookup(name)))
      if (tile::FamilyOp family =
              tile::gemmFor(library, query.format, query.weights, query.batch > 1))
        return family;
  return {};
}

Kernels *KernelPrices::Tables::find(const ProductQuery &query, std::string &problem) {
  std::string key =
      fmt::format("{} {} {} {} {} {}", query.chip, query.library, dtypeName(query.format),
                  dtypeName(query.weights), query.isEager, query.batch > 1);
  if (auto known = kernels.find(key); known != kernels.end())
    return known->second.get();
  const gpu::KernelChip *chip = chipNamed(query.chip);
  if (!chip) {
    problem = fmt::format("no chip `{}` with a generation", query.chip);
    return nullptr;
  }
  tile::FamilyOp family = familyOf(module, *chip, query);
  if (!family) {
    problem = fmt::format("no kernels for {}", dtypeName(query.format));
    return nullptr;
  }
  gpu::FormatRate rate = chip->rateFor(query.format);
  if (rate.macs <= 0) {
    problem = fmt::format("the chip does not multiply {}", dtypeName(query.format));
    return nullptr;
  }
  gpu::ProductPricer pricer(chip->design(),
                            gpu::familyFigures(family, *chip, query.format, query.isEager),
                            gpu::tileList(family));
  auto made = std::make_unique<Kernels>(Kernels{*chip, std::move(pricer), rate.macs, rate.energy});
  return kernels.emplace(key, std::move(made)).first->second.get();
}

llvm::Optional<Uncertain> KernelPrices::seconds(const ProductQuery &query, std::string &problem) {
  Kernels *found = tables->find(query, problem);
  if (!found)
    return llvm::None;
  gpu::ProductWork work;
  work.batch = static_cast<double>(query.batch);
  work.m = static_cast<double>(query.m);
  work.n = static_cast<double>(query.n);
  work.k = static_cast<double>(query.k);
  work.leftSize = storedBytes(query.format);
  work.rightSize = storedBytes(query.weights);
  work.resultSize = std::max(2.0, work.leftSize);
  work.leftBytes = work.batch * work.m * work.k * work.leftSize;
  work.rightBytes = work.batch * work.k * work.n * work.rightSize;
  work.resultBytes = work.batch * work.m * work.n * work.resultSize;
  work.rate = found->rate;
  work.energy = found->energy;
  work.copies = query.copies > 0 ? static_cast<double>(query.copies)
                                 : std::numeric_limits<double>::infinity();
  work.isCold = query.isCold;
  llvm::Optional<gpu::Tile> tile = found->pricer.fastest(work);
  if (!tile) {
    problem = "no tile fits the memory of a unit";
    return llvm::None;
  }
  return Uncertain(found->pricer.price(work, *tile).total) * found->chip.generation.measured();
}

/// The kernels of the library that is asked for, else of the first of the generation that has some.
static tile::FamilyOp streamsOf(const ir::Module &module, const gpu::KernelChip &chip,
                                const StreamQuery &query) {
  std::vector<std::string> names = chip.generation.libraries();
  if (!query.library.empty())
    names = {query.library};
  for (const std::string &name : names)
    if (auto library = ir::as<tile::LibraryOp>(module.lookup(name)))
      if (tile::FamilyOp family = tile::streamFor(library, query.kind))
        return family;
  return {};
}

llvm::Optional<Uncertain> KernelPrices::seconds(const StreamQuery &query, std::string &problem) {
  const gpu::KernelChip *chip = tables->chipNamed(query.chip);
  tile::FamilyOp family = chip ? streamsOf(tables->module, *chip, query) : tile::FamilyOp();
  if (!family) {
    problem = chip ? fmt::format("no kernels for {}", query.kind)
                   : fmt::format("no chip `{}` with a generation", query.chip);
    return llvm::None;
  }
  double elements = static_cast<double>(query.rows) * static_cast<double>(query.columns);
  double size = storedBytes(query.format);
  gpu::StreamWork work;
  work.bytes = elements * query.bytes;
  if (query.kind != "elementwise") {
    work.rows = static_cast<double>(query.rows);
    work.rowBytes = static_cast<double>(query.columns) * size;
    work.passBytes = elements * size * (query.kind == "softmax" ? 2 : 1);
  }
  if (auto unit = chip->chip.unitFor(query.function, query.format))
    work.compute = elements / (unit->rate.central() * chip->boost);
  gpu::StreamDesign design = gpu::streamDesign(family, *chip, query.isEager, query.inputs);
  return Uncertain(gpu::streamPrice(design, work).total) * chip->generation.measured();
}
