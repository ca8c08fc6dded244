// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ChipParts.h"

#include "passes/analysis/Chip.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// What `part` of a chip stands in, or is, directly in the chip.
static Operation *outermostAround(Operation *part) {
  while (!part->parentOp()->is(target::ChipOp::opName))
    part = part->parentOp();
  return part;
}

/// The memory of the chip before `top`, which stands directly in it; null when there is none.
static target::MemoryOp memoryBefore(Operation &top) {
  for (Operation &part : *top.parentRegion()) {
    if (&part == &top)
      break;
    if (auto memory = as<target::MemoryOp>(part))
      return memory;
  }
  return {};
}

static target::MemoryOp firstMemoryIn(Operation &top) {
  target::MemoryOp first;
  top.walk([&](Operation &part) {
    if (!first)
      first = as<target::MemoryOp>(part);
  });
  return first;
}

/// True when `path` ends in the name of `part`, after names of arrays around it in their order.
static bool isNamed(const Operation &part, llvm::StringRef path) {
  auto [before, last] = path.rsplit('.');
  if (last.empty())
    return part.symbol() == path;
  if (part.symbol() != last)
    return false;
  for (const Operation *around = part.parentOp(); around; around = around->parentOp())
    if (around->is(target::ArrayOp::opName) && isNamed(*around, before))
      return true;
  return false;
}

Operation *passes::partNamed(target::ChipOp chip, llvm::StringRef path) {
  Operation *found = nullptr;
  chip->body().walk([&](Operation &part) {
    if (!found && !part.is(target::NetworkOp::opName) && isNamed(part, path))
      found = &part;
  });
  return found;
}

Supply passes::supplyOf(Operation &place) {
  Supply supply;
  std::vector<Operation *> seen;
  for (Operation *top = outermostAround(&place); !llvm::is_contained(seen, top);) {
    seen.push_back(top);
    if (target::MemoryOp memory = memoryBefore(*top)) {
      supply.home = memory;
      break;
    }
    target::NetworkOp network = target::feedOf(*top);
    if (!network) {
      supply.home = firstMemoryIn(*top);
      break;
    }
    supply.way.insert(supply.way.begin(), network);
    top = outermostAround(network.op);
  }
  return supply;
}

//===-- Making parts
//---------------------------------------------------------------------------===//

/// The figure of all copies of what stands where `part` does.
static llvm::Optional<Quantity> inAllCopies(const llvm::Optional<Quantity> &one,
                                            const Operation &part) {
  if (!one)
    return llvm::None;
  Rational copies(target::copiesIn(*part.parentOp()).getValueOr(INT64_MAX));
  QuantityError error = QuantityError::None;
  if (auto all = apply("*", *one, Quantity(copies), error))
    return all;
  return Quantity(one->toUncertain() * copies.toDouble(), one->dimension());
}

/// The smaller one of those that are given.
static llvm::Optional<Quantity> least(const llvm::Optional<Quantity> &a,
                                      const llvm::Optional<Quantity> &b) {
  if (!a || !b)
    return a ? a : b;
  return b->toDouble() < a->toDouble() ? b : a;
}

static llvm::Optional<Quantity> sum(const llvm::Optional<Quantity> &a,
                                    const llvm::Optional<Quantity> &b) {
  if (!a || !b)
    return a ? a : b;
  QuantityError error = QuantityError::None;
  if (auto exact = apply("+", *a, *b, error))
    return exact;
  return Quantity(a->toUncertain() + b->toUncertain(), a->dimension());
}

static void set(Operation &op, llvm::StringRef name, const llvm::Optional<Quantity> &value) {
  if (value)
    op.setAttr(name, *value);
}

/// What the memory of `supply` is beyond its networks, before the other parts of `chip`.
static void addSupply(target::ChipOp chip, const Supply &supply, Builder &builder) {
  target::NetworkOp last = supply.way.back();
  Operation &memory =
      *builder.createBefore(chip->body().front(), target::MemoryOp::opName, last->location());
  memory.setSymbol(last.symbol().empty() ? supply.home.symbol() : last.symbol());
  target::MemoryOp home = supply.home;
  set(memory, "capacity", inAllCopies(home.capacity(), *home));
  llvm::Optional<Quantity> link; // the narrowest network
  auto latency = home.latency();
  auto read = home.readEnergy(), write = home.writeEnergy();
  for (target::NetworkOp network : supply.way) {
    link = least(link, inAllCopies(network.bandwidth(), *network));
    latency = sum(sum(latency, network.latency()), network.hopLatency());
    auto energy = sum(network.energy(), network.hopEnergy());
    read = read && energy ? sum(read, energy) : llvm::None;
    write = write && energy ? sum(write, energy) : llvm::None;
  }
  set(memory, "bandwidth", least(inAllCopies(home.bandwidth(), *home), link));
  if (home.readBandwidth())
    set(memory, "read_bandwidth", least(inAllCopies(home.readBandwidth(), *home), link));
  if (home.writeBandwidth())
    set(memory, "write_bandwidth", least(inAllCopies(home.writeBandwidth(), *home), link));
  set(memory, "latency", latency);
  set(memory, "read_energy", read);
  set(memory, "write_energy", write);
  if (home.isOffChip())
    memory.setAttr("off_chip", Attribute::unit());
}

/// True for `outer` and all in it.
static bool isIn(const Operation *part, const Operation &outer) {
  while (part && part != &outer)
    part = part->parentOp();
  return part;
}

/// True for a network that leads out of the array in which it stands.
static bool leadsOut(const Operation &part) {
  auto network = as<target::NetworkOp>(part);
  if (!network || network.to().empty())
    return false;
  bool isInside = false;
  part.parentOp()->walk(
      [&](const Operation &inner) { isInside |= inner.symbol() == network.to(); });
  return !isInside;
}

/// Takes out what does not lead to the units in `place`.
static void takeOutBeside(target::ChipOp chip, const Operation &place) {
  std::vector<const Operation *> units;
  place.walk([&](const Operation &part) {
    if (part.is(target::ComputeOp::opName))
      units.push_back(&part);
  });
  std::vector<Operation *> beside;
  chip->body().walk([&](Operation &part) {
    bool isInBeside = llvm::any_of(beside, [&](Operation *outer) { return isIn(&part, *outer); });
    auto leadsTo = [&](const Operation *unit) {
      return &part == unit || (!part.is(target::ComputeOp::opName) && isOnWay(part, *unit));
    };
    bool isBeside =
        part.is(target::NetworkOp::opName) ? leadsOut(part) : llvm::none_of(units, leadsTo);
    if (isBeside && !isInBeside)
      beside.push_back(&part);
  });
  for (Operation *part : beside)
    part->erase();
}

target::ChipOp passes::makePart(target::ChipOp chip, Operation &place, llvm::StringRef symbol,
                                const OpRegistry &registry) {
  ValueMap values;
  target::ChipOp part(&chip->clone(*chip->parentRegion(), values, chip.op));
  part->setSymbol(symbol);
  part->setAttr("of", Attribute::symbol(chip.symbol()));
  Supply supply = supplyOf(place);
  takeOutBeside(part, *partNamed(part, place.symbol()));
  if (!supply.way.empty() && supply.home) {
    Builder builder(registry);
    addSupply(part, supply, builder);
  }
  return part;
}
