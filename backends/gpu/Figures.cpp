// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/Figures.h"

#include "ir/core/CycleTime.h"
#include "ir/core/Module.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace perfc;
using namespace perfc::gpu;

KernelChip::KernelChip(const ir::Operation &target)
    : op(ir::as<target::ChipOp>(target)), chip(target),
      generation(ir::as<target::GenerationOp>(op->module()->lookup(op->symbolAttr("generation")))) {
  for (const ChipUnit &unit : chip.units()) {
    double all = 1;
    for (target::ArrayOp array : unit.arrays)
      all *= array.isDispatched() ? static_cast<double>(array.instances()) : 1;
    units = std::max(units, all);
  }
  outermost = chip.outermost();
  for (const ChipMemory &memory : chip.memories()) {
    auto isFed = [&](const ChipUnit &unit) { return passes::isOnWay(*memory.view, *unit.view); };
    if (llvm::none_of(chip.units(), isFed))
      continue;
    bool isInUnit =
        llvm::any_of(memory.arrays, [](target::ArrayOp array) { return array.isDispatched(); });
    if (isInUnit && !staging)
      staging = &memory;
    else if (!isInUnit && &memory != outermost)
      cache = &memory;
  }
  auto quoted = op.clock(), highest = op.boost();
  if (quoted && highest && quoted->toDouble() > 0) {
    clock = highest->toDouble();
    boost = clock / quoted->toDouble();
  }
}

static double capacityOf(const ChipMemory *memory) {
  auto capacity = memory ? memory->view.capacity() : llvm::None;
  return capacity ? capacity->toDouble() : 0;
}

double KernelChip::core() const {
  if (generation->hasAttr("core"))
    return generation->realAttr("core");
  double rate = 0;
  for (const UnitRate &unit : unitsFor(DType::FP16))
    rate += unit.rate.central();
  return 2 * rate / units * boost / clock;
}

Design KernelChip::design() const {
  Design design;
  const ir::Operation &figures = *generation;
  design.units = units;
  auto bandwidth = outermost ? outermost->view.readBandwidth() : llvm::None;
  if (!bandwidth && outermost)
    bandwidth = outermost->view.bandwidth();
  if (bandwidth)
    design.bandwidth = bandwidth->toDouble();
  design.reached = figures.realAttr("bandwidth", 1);
  design.cache = capacityOf(cache) * figures.realAttr("cache", 1);
  design.cacheBandwidth = figures.realAttr("cache_bandwidth") * design.bandwidth;
  design.staging = capacityOf(staging);
  design.core = core() * clock;
  if (auto limit = op.tdp())
    design.power = limit->toDouble();
  design.launch =
      figures.hasAttr("launch") ? ir::secondsOf(figures, "launch", clock) : chip.launch().central();
  design.split = ir::secondsOf(figures, "split", clock);
  design.overlap = figures.realAttr("overlap");
  return design;
}

Design KernelChip::residentDesign() const {
  Design resident = design();
  double shared = generation->realAttr("cache", 1);
  if (shared > 0)
    resident.cache *= generation->realAttr("attention_cache", shared) / shared;
  return resident;
}

/// Energies are given for a core of 4096 operations, as a wider one moves fewer operands for each,
/// and for vector lanes at 1.5 GHz, whose voltage goes with the clock (docs/cost-model.md).
static double energyScale(const KernelChip &chip, DType format) {
  constexpr double givenWidth = 4096, givenClock = 1.5e9;
  bool isOfLanes = bitsOf(format) >= 32;
  if (isOfLanes)
    return chip.clock / givenClock;
  return chip.core() > 0 ? std::sqrt(givenWidth / chip.core()) : 1;
}

/// The format of the same elements whose energy generations give: scales of blocks add nothing.
static DType energyFormat(DType format) {
  return format == DType::MXFP8 ? DType::FP8 : format == DType::MXFP4 ? DType::NVFP4 : format;
}

FormatRate KernelChip::rateFor(DType format) const {
  FormatRate rate{0, 0, format};
  for (const UnitRate &unit : unitsFor(format)) {
    rate.macs += unit.rate.central() * boost;
    rate.runsIn = unit.dtype.getValueOr(format);
  }
  const ir::AttrDict &energies = generation.energy();
  const ir::Attribute *energy = energies.find(dtypeName(rate.runsIn));
  if (!energy)
    energy = energies.find(dtypeName(energyFormat(rate.runsIn)));
  if (energy)
    rate.energy = energy->asQuantity().toDouble() * energyScale(*this, rate.runsIn);
  return rate;
}

PowerDesign KernelChip::powerDesign() const {
  PowerDesign design;
  auto limit = op.tdp();
  const ir::Operation &figures = *generation;
  if (!limit || !figures.hasAttr("idle"))
    return design;
  design.limit = limit->toDouble();
  design.reached = figures.realAttr("reached_power", 1);
  design.idle = figures.realAttr("idle");
  design.byteEnergy = figures.realAttr("byte_energy");
  return design;
}

Uncertain KernelChip::measured(tile::FamilyOp family) const {
  Uncertain ofChip = generation.measured();
  Uncertain ofKernels = family->valueOf("measured")->asQuantity().toUncertain();
  return ofKernels.halfWidth() > ofChip.halfWidth() ? ofKernels : ofChip;
}

FamilyFigures gpu::familyFigures(tile::FamilyOp family, const KernelChip &chip, DType format,
                                 bool isEager) {
  const ir::Operation &op = *family;
  FamilyFigures figures;
  auto seconds = [&](llvm::StringRef name) { return ir::secondsOf(op, name, chip.clock); };
  figures.launch = seconds("launch");
  figures.step = op.realAttr("step", 128);
  figures.stepTime = seconds("step_time");
  figures.overlapsSteps = op.hasAttr("overlap_steps");
  figures.products = op.realAttr("products", 1);
  figures.edge = op.realAttr("edge");
  figures.epilogue = op.realAttr("epilogue");
  figures.lastWave = op.realAttr("last_wave", 1);
  // A chip without units for the format runs products in one that activations come in.
  figures.quantises = op.hasAttr("quantise_row") && chip.rateFor(format).runsIn == format;
  figures.quantiseLaunch = seconds("quantise_launch");
  figures.quantiseRow = seconds("quantise_row");
  figures.quantiseElement = seconds("quantise_element");
  figures.oneRow = seconds("one_row");
  figures.host = isEager ? seconds("host") : 0;
  figures.hasOwnCore = op.hasAttr("own_core");
  figures.overlap = op.realAttr("overlap");
  figures.powerOverlap = op.realAttr("power_overlap");
  figures.reached = op.realAttr("bandwidth");
  figures.pitch = op.realAttr("pitch");
  figures.narrowCopies = op.realAttr("narrow_copies", 1);
  figures.raster = op.realAttr("raster");
  figures.split = op.hasAttr("split") ? seconds("split") : -1;
  figures.splitWrites = op.hasAttr("split_writes");
  figures.powerShare = op.realAttr("power", 1);
  figures.board = op.realAttr("board");
  return figures;
}

TileList gpu::tileList(tile::FamilyOp family) {
  TileList list;
  for (const ir::Operation &part : family->body()) {
    auto shapes = ir::as<tile::ShapesOp>(part);
    size_t begin = list.size();
    for (int64_t rows : shapes.rows())
      for (int64_t columns : shapes.columns())
        for (int64_t split : shapes.splits()) {
          list.rows.push_back(static_cast<double>(rows));
          list.columns.push_back(static_cast<double>(columns));
          list.splits.push_back(static_cast<double>(split));
        }
    if (part.hasAttr("aligned"))
      list.words.push_back({begin, list.size(), static_cast<double>(part.intAttr("aligned"))});
    if (auto most = shapes.upTo())
      list.rules.push_back({begin, list.size(), static_cast<double>(*most)});
  }
  return list;
}

ProductWork gpu::productWork(tile::ProductOp product, const KernelChip &chip) {
  ProductWork work;
  work.batch = static_cast<double>(product.batch());
  work.m = static_cast<double>(product.m());
  work.n = static_cast<double>(product.n());
  work.k = static_cast<double>(product.k());
  work.leftSize = storedBytes(product.left());
  work.rightSize = storedBytes(product.right());
  work.resultSize = storedBytes(product.result());
  work.leftBytes = static_cast<double>(product.leftBytes());
  work.rightBytes = static_cast<double>(product.rightBytes());
  work.resultBytes = static_cast<double>(product.resultBytes());
  work.otherBytes = static_cast<double>(product.otherBytes());
  work.copies = product.hasWeights() ? std::numeric_limits<double>::infinity() : 0;
  if (product->hasAttr("copies"))
    work.copies = static_cast<double>(product->intAttr("copies"));
  work.isCold = product->hasAttr("cold");
  work.alignment = static_cast<double>(product.alignment());
  work.isTf32 = product.format() == DType::TF32;
  FormatRate rate = chip.rateFor(product.format());
  work.rate = rate.macs;
  work.energy = rate.energy;
  return work;
}

StreamDesign gpu::streamDesign(tile::FamilyOp family, const KernelChip &chip, bool isEager,
                               int64_t inputs) {
  Design whole = chip.design();
  const ir::Operation &op = *family, &figures = *chip.generation;
  StreamDesign design;
  design.units = whole.units;
  // What is appended to caches goes to rows here and there, at the rate of products.
  bool isAppended = family.kind().endswith("append");
  double reached = isAppended ? whole.reached : figures.realAttr("stream", whole.reached);
  design.bandwidth = whole.bandwidth * reached;
  design.cache = isAppended ? whole.cache
                            : capacityOf(chip.cache) *
                                  figures.realAttr("stream_cache", figures.realAttr("cache", 1));
  design.unitBandwidth = op.realAttr("unit_bytes") * chip.clock;
  design.held = op.realAttr("held") * whole.staging;
  design.launch = op.hasAttr("launch") ? ir::secondsOf(op, "launch", chip.clock) : whole.launch;
  design.rowTime = ir::secondsOf(op, "row_time", chip.clock);
  design.elementTime = ir::secondsOf(op, "element_time", chip.clock);
  design.unaligned = op.realAttr("unaligned", 1);
  bool isUnary = inputs == 1 && op.hasAttr("host_unary");
  if (isEager)
    design.host = ir::secondsOf(op, isUnary ? "host_unary" : "host", chip.clock);
  design.ahead = op.realAttr("ahead");
  return design;
}

StreamWork gpu::streamWork(tile::StreamOp stream) {
  StreamWork work;
  work.rows = static_cast<double>(stream->intAttr("rows"));
  work.rowLength = static_cast<double>(stream->intAttr("row_length"));
  work.rowBytes = static_cast<double>(stream->intAttr("row_bytes"));
  work.passBytes = static_cast<double>(stream->intAttr("pass_bytes"));
  return work;
}
