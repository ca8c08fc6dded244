// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/StreamKernel.h"

#include "ir/core/Module.h"
#include "ir/op/OpOps.h"

using namespace perfc;
using namespace perfc::gpu;

/// Bytes of the outermost memory go in the proportion in which they are read and written.
static void addLines(KernelLines &lines, const LibraryQuery &of, const StreamPrice &price) {
  const KernelChip &chip = of.chip;
  lines.part(PartKind::Compute, of.compute.slowestUnit(), std::max(price.compute, price.rows),
             of.compute.energy);
  double once = static_cast<double>(of.work.readBytes + of.work.writtenBytes);
  double read = once > 0 ? static_cast<double>(of.work.readBytes) / once : 0;
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
    lines.bound(largest == price.rows ? "blocks" : "compute " + of.compute.slowestUnit().str(),
                price.body);
  lines.bound("launch", price.launch);
}

/// Elements that an elementwise kernel loads and stores, by the format of its first operand.
static double elementsOf(const LibraryQuery &of) {
  const ir::Operation *run = of.kernel->module()->lookup(of.kernel.run());
  for (const ir::Operation &part : run->body())
    if (auto operand = ir::as<op::OperandOp>(part))
      if (auto format = parseDType(operand->stringAttr("dtype")))
        return static_cast<double>(of.work.readBytes + of.work.writtenBytes) / storedBytes(*format);
  return 0;
}

Cost gpu::streamKernelCost(const LibraryQuery &of) {
  const auto &[kernel, chip, needed, compute] = of;
  tile::StreamOp stream = tile::streamOf(*kernel);
  auto library = kernel->module()->lookup<tile::LibraryOp>(kernel.library());
  StreamWork work = streamWork(stream);
  work.bytes = static_cast<double>(needed.readBytes + needed.writtenBytes);
  work.compute = compute.latency.central() / chip.boost;
  tile::FamilyOp family = tile::streamFor(library, stream.kind());
  StreamDesign design =
      streamDesign(family, chip, kernel->hasAttr("eager"), stream->intAttr("inputs"));
  if (needed.isJoined)
    design.launch = design.host = 0;
  if (work.rows == 0 && design.elementTime > 0) {
    work.rows = 1;
    work.rowLength = elementsOf(of);
  }
  StreamPrice price = streamPrice(design, work);
  KernelLines lines(of, price.total, family);
  addLines(lines, of, price);
  lines.work(price.body, price.launch);
  lines.power(family, DType::FP32, 0);
  return lines.finish(0, library.symbol().str() + " " + stream.kind().str(),
                      "launch + norm of memory, units, rows and operations");
}
