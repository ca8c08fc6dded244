// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ChipModel.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

llvm::StringRef passes::memoryRole(llvm::StringRef operandRole, bool isWritten) {
  if (isWritten)
    return "output";
  return operandRole == "weight" ? "weight" : "input";
}

bool Place::keeps(llvm::StringRef role) const {
  if (isArray)
    return false;
  target::MemoryOp memory(op);
  return memory.keeps(role) || (role == "input" && memory.keeps("cache")) ||
         (role == "output" && memory.keeps("intermediate"));
}

static Place memoryPlace(target::MemoryOp memory) {
  Place place{memory.op, memory.symbol(), false, {}, llvm::None};
  if (auto capacity = memory.capacity()) {
    double bits = std::floor(capacity->toDouble() * 8);
    // Beyond 2^62 nothing is limited.
    if (bits < 4.6e18)
      place.capacityBits = static_cast<int64_t>(bits);
  }
  return place;
}

static Place arrayPlace(target::ArrayOp array) {
  Place place{array.op, array.symbol(), true, {}, llvm::None, array.isDispatched()};
  target::NetworkOp network;
  for (Operation &part : array->body())
    if (!network)
      network = as<target::NetworkOp>(part);
  std::vector<std::string> multicast, reduce;
  if (network) {
    multicast = network.multicast();
    reduce = network.reduce();
  }
  for (const AttrDict::Entry &axis : array.axes().entries())
    place.axes.push_back({axis.first, axis.second.asInt(),
                          !network || llvm::is_contained(multicast, axis.first),
                          !network || llvm::is_contained(reduce, axis.first)});
  return place;
}

static void addParts(Region &region, Chip &chip) {
  for (Operation &part : region) {
    if (auto memory = as<target::MemoryOp>(part)) {
      chip.places.push_back(memoryPlace(memory));
    } else if (auto array = as<target::ArrayOp>(part)) {
      chip.places.push_back(arrayPlace(array));
      addParts(part.body(), chip);
    } else if (auto unit = as<target::ComputeOp>(part)) {
      chip.units.push_back(unit);
    }
  }
}

Chip::Chip(target::ChipOp chip) : op(chip) { addParts(chip->body(), *this); }

llvm::Optional<unsigned> Chip::find(llvm::StringRef place) const {
  for (unsigned i = 0; i < places.size(); ++i)
    if (places[i].name == place)
      return i;
  return llvm::None;
}

llvm::StringRef Chip::unit(bool isMac) const {
  for (target::ComputeOp unit : units)
    if (unit.ops().empty() == isMac)
      return unit.symbol();
  return units.empty() ? llvm::StringRef() : units.front().symbol();
}
