// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/StreamKernel.h"

#include "backends/gpu/KernelLines.h"

using namespace perfc;
using namespace perfc::gpu;

/// Bytes of the outermost memory go in the proportion in which they are read and written.
static void addStreamLines(KernelLines &lines, const KernelChip &chip, const KernelWork &work,
                           const StreamPrice &price, const ComputeTime &compute) {
  lines.part(PartKind::Compute, compute.slowestUnit(), std::max(price.compute, price.rows),
             compute.energy);
  double once = static_cast<double>(work.readBytes + work.writtenBytes);
  double read = once > 0 ? static_cast<double>(work.readBytes) / once : 0;
  if (chip.outermost)
    lines.traffic(*chip.outermost, price.memoryBytes * read, price.memoryBytes * (1 - read),
                  price.memory);
  if (chip.cache)
    lines.traffic(*chip.cache, price.bytes * read, price.bytes * (1 - read), price.units);
  lines.part(PartKind::Launch, "launch", price.launch);
  double largest = std::max({price.memory, price.units, price.compute, price.rows});
  std::string cache = (chip.cache ? chip.cache : chip.outermost)->name().str();
  if (largest == price.memory)
    lines.bound("memory " + chip.outermost->name().str(), price.body);
  else if (largest == price.units)
    lines.bound("memory " + cache, price.body);
  else
    lines.bound(largest == price.rows ? "blocks" : "compute " + compute.slowestUnit().str(),
                price.body);
  lines.bound("launch", price.launch);
}

llvm::Optional<Cost> gpu::streamKernelCost(tile::KernelOp kernel, const ir::Operation &run,
                                           const ir::Operation &target,
                                           DiagnosticEngine &diagnostics) {
  auto needs = kernelNeeds(run, target, diagnostics);
  if (!needs)
    return llvm::None;
  KernelChip chip(target);
  const KernelWork &needed = needs->work;
  const ComputeTime &compute = needs->compute;
  tile::StreamOp stream = tile::streamOf(*kernel);
  auto library = kernel->module()->lookup<tile::LibraryOp>(kernel.library());
  StreamWork work = streamWork(stream);
  work.bytes = static_cast<double>(needed.readBytes + needed.writtenBytes);
  work.compute = compute.latency.central() / chip.boost;
  tile::FamilyOp family = tile::streamFor(library, stream.kind());
  StreamDesign design =
      streamDesign(family, chip, kernel->hasAttr("eager"), stream->intAttr("inputs"));
  StreamPrice price = streamPrice(design, work);
  Cost cost;
  cost.latency = Uncertain(price.total) * chip.measured(family);
  cost.energy = compute.energy;
  KernelLines lines(cost, price.total);
  addStreamLines(lines, chip, needed, price, compute);
  lines.work(price.body, price.launch, compute.energy);
  lines.power(chip, family, DType::FP32, 0);
  cost.provenance = {"tile", library.symbol().str() + " " + stream.kind().str(),
                     "launch + norm of memory, units, rows and operations"};
  lines.finish(kernel, chip, std::move(*needs));
  return cost;
}
