// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/NestEmission.h"

#include "passes/PartialSums.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// `tensor`, or with a number when several accesses reach it.
static std::string uniqueName(llvm::StringSet<> &taken, llvm::StringRef tensor) {
  std::string name = tensor.str();
  for (unsigned i = 1; !taken.insert(name).second; ++i)
    name = tensor.str() + "_" + std::to_string(i);
  return name;
}

void NestEmitter::emitTensors(Region &into, const NestPlan &plan, PreparedKernel &kernel,
                              const StatementGroup &group) {
  llvm::StringSet<> taken;
  const Statement &statement = *group.main;
  const Location &location = statement.op->location();
  auto add = [&](const Access &access, bool isOutput) {
    auto tensor = builder.create<loopnest::TensorOp>(into, location);
    tensor->setSymbol(uniqueName(taken, access.tensor));
    tensor->setAttr("role", memoryRole(access.operand.role(), isOutput));
    tensor->setAttr("bits", int64_t(bitsOf(access.format)));
    if (int64_t block = scaleBlockOf(access.format)) {
      tensor->setAttr("block", block);
      tensor->setAttr("scale", int64_t(scaleBitsOf(access.format)));
    }
    if (isOutput)
      tensor->setAttr("output", Attribute::unit());
    if (isOutput)
      setPartial(*tensor.op, *plan.chip, statement);
    tensor->setAttr("map", *access.map);
    tensor->setAttr("shape", Attribute::ints(access.shape));
    std::string &text = kernel.accesses[&access];
    if (text.empty())
      text = isl.access(statement, access);
    tensor->setAttr("access", text);
  };
  for (const Access &read : statement.reads)
    add(read, false);
  add(statement.write, true);
}

/// The symbols that `emitTensors` gives to the tensors that the memory `place` keeps.
static std::vector<std::string> keptNames(const NestPlan &plan, unsigned place) {
  llvm::StringSet<> taken;
  std::vector<std::string> names;
  for (const Access &read : plan.statement->reads) {
    std::string name = uniqueName(taken, read.tensor);
    if (plan.isKept(place, read, /*isWritten=*/false))
      names.push_back(std::move(name));
  }
  if (plan.isKept(place, plan.statement->write, /*isWritten=*/true))
    names.push_back(uniqueName(taken, plan.statement->write.tensor));
  return names;
}

void NestEmitter::emitLoops(Region &into, const NestPlan &plan) {
  const Location &location = plan.statement->op->location();
  // What the loops further in cover, per index.
  llvm::SmallVector<int64_t, 8> cover(plan.statement->extents.size(), 1), tileSteps = cover;
  for (const PlannedWindow &window : plan.windows)
    tileSteps[window.index] = window.step;
  std::vector<std::vector<int64_t>> stepsOf(plan.loops.size());
  for (size_t i = plan.loops.size(); i-- > 0;)
    for (unsigned index : plan.loops[i].indices) {
      const PlannedLoop &loop = plan.loops[i];
      int64_t &step = loop.numbersTiles ? tileSteps[index] : cover[index];
      stepsOf[i].push_back(step);
      step *= loop.factor;
    }
  Region *region = &into;
  size_t next = 0;
  for (unsigned p : plan.places) {
    const Place &place = plan.chip->places[p];
    auto at = builder.create<loopnest::AtOp>(*region, location);
    at->setAttr("place", place.name);
    if (!plan.keeps.empty() && !place.isArray)
      at->setAttr("keep", Attribute::strings(keptNames(plan, p)));
    region = &at->body();
    for (; next < plan.loops.size() && plan.loops[next].place == p; ++next) {
      const PlannedLoop &loop = plan.loops[next];
      if (loop.factor == 1)
        continue;
      std::vector<std::string> names;
      for (unsigned index : loop.indices)
        names.push_back(plan.statement->names[index]);
      Location from = loop.source ? loop.source->location() : location;
      Operation *op;
      if (loop.axis) {
        op = builder.create<loopnest::ParallelOp>(*region, from).op;
        op->setAttr("axis", place.name.str() + "." + place.axes[*loop.axis].name.str());
        op->setAttr("indices", Attribute::strings(names));
        op->setAttr("factor", loop.factor);
        op->setAttr("steps", Attribute::ints(stepsOf[next]));
      } else {
        op = builder.create<loopnest::ForOp>(*region, from).op;
        op->setAttr("index", names[0]);
        op->setAttr("factor", loop.factor);
        op->setAttr("step", stepsOf[next][0]);
      }
      if (loop.numbersTiles)
        op->setAttr("window", Attribute::unit());
      region = &op->body();
    }
  }
  auto compute = builder.create<loopnest::ComputeOp>(*region, location);
  compute->setAttr("unit", plan.unit.symbol());
}

void NestEmitter::fill(Operation &nest, const NestPlan &plan, PreparedKernel &kernel,
                       const StatementGroup &group, const Operation *written) {
  const Statement &statement = *group.main;
  nest.setAttr("kernel", Attribute::symbol(kernel.kernel.op.symbol()));
  nest.setAttr("statement", statement.number);
  nest.setAttr("target", Attribute::symbol(plan.chip->op.symbol()));
  nest.setAttr("mapping", written ? written->stringAttr("source") : llvm::StringRef("default"));
  std::string &domain = kernel.domains[statement.number];
  if (domain.empty())
    domain = isl.domain(statement);
  nest.setAttr("domain", domain);
  AttrDict windows;
  for (const PlannedWindow &window : plan.windows) {
    AttrDict tiles;
    tiles.set("step", window.step);
    tiles.set("extent", window.extent);
    tiles.set("count", window.count);
    windows.set(statement.names[window.index], std::move(tiles));
  }
  if (!windows.empty())
    nest.setAttr("windows", std::move(windows));
  if (written && written->hasAttr("timeloop"))
    nest.setAttr("timeloop", written->listAttr("timeloop"));
  emitTensors(nest.body(), plan, kernel, group);
  emitLoops(nest.body(), plan);
}

Location passes::nestLocation(const StatementGroup &group, const Operation *written) {
  Location location = group.main->op->location();
  for (const Statement *epilogue : group.epilogues)
    location.fuse(epilogue->op->location());
  if (written)
    location.fuse(written->location());
  return location;
}

void passes::describe(const FusedPlan &plan, Operation &fused) {
  std::vector<std::string> tensors, places;
  for (const FusedTensor &tensor : plan.tensors) {
    tensors.push_back(tensor.name);
    places.push_back(tensor.memory);
  }
  fused.setAttr("at", plan.place);
  fused.setAttr("tensors", Attribute::strings(tensors));
  fused.setAttr("places", Attribute::strings(places));
  if (!plan.finished.empty())
    fused.setAttr("finished", Attribute::strings(plan.finished));
  AttrList rescales;
  for (const Rescale &rescale : plan.rescales) {
    AttrDict entry;
    entry.set("tensor", rescale.tensor);
    entry.set("count", rescale.count);
    if (rescale.isStatistics)
      entry.set("statistics", Attribute::unit());
    rescales.push_back(std::move(entry));
  }
  if (!rescales.empty())
    fused.setAttr("rescale", std::move(rescales));
  AttrDict kept;
  for (const KeptElements &one : plan.kept)
    kept.set(one.tensor, one.count);
  if (!kept.empty())
    fused.setAttr("kept", std::move(kept));
  fused.setAttr("blocks", plan.blocks);
}
