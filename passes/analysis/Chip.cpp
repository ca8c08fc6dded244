// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Chip.h"

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

static bool keepsRole(target::MemoryOp memory, llvm::StringRef role) {
  return memory.keeps(role) || (role == "input" && memory.keeps("cache")) ||
         (role == "output" && memory.keeps("intermediate"));
}

bool Place::keeps(llvm::StringRef role) const {
  return !isArray && keepsRole(target::MemoryOp(op), role);
}

/// Where words of `role` go that enter `array`: the first memory in it that keeps them, else a
/// unit, which is `part` if that is one.
static bool leadsTo(const Operation &array, llvm::StringRef part, llvm::StringRef role) {
  const Operation *memory = nullptr;
  bool isUnit = false;
  array.walk([&](const Operation &inner) {
    if (auto candidate = as<target::MemoryOp>(inner); candidate && !memory)
      memory = keepsRole(candidate, role) ? &inner : nullptr;
    isUnit |= inner.is(target::ComputeOp::opName) && inner.symbol() == part;
  });
  return memory ? memory->symbol() == part : isUnit;
}

target::NetworkOp passes::networkFor(const Operation &array, llvm::StringRef role) {
  target::NetworkOp general;
  for (const Operation &part : array.body()) {
    auto network = as<target::NetworkOp>(part);
    if (!network)
      continue;
    std::vector<std::string> carried = network.carry();
    if (!carried.empty() && !llvm::is_contained(carried, role))
      continue;
    if (!network.to().empty() && !leadsTo(array, network.to(), role))
      continue;
    if (!carried.empty() || !network.to().empty())
      return network;
    if (!general)
      general = network;
  }
  return general;
}

bool passes::sharesAlong(const Operation &array, llvm::StringRef axis, llvm::StringRef role) {
  auto isNetwork = [](const Operation &part) { return part.is(target::NetworkOp::opName); };
  if (llvm::none_of(array.body(), isNetwork))
    return true;
  target::NetworkOp network = networkFor(array, role);
  return network &&
         llvm::is_contained(role == "output" ? network.reduce() : network.multicast(), axis);
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
  for (const AttrDict::Entry &axis : array.axes().entries())
    place.axes.push_back({axis.first, axis.second.asInt(),
                          sharesAlong(*array.op, axis.first, "input") ||
                              sharesAlong(*array.op, axis.first, "weight"),
                          sharesAlong(*array.op, axis.first, "output")});
  return place;
}

/// True when `outer` is `inner` or around it.
static bool holds(const Operation &outer, const Operation &inner) {
  const Operation *at = &inner;
  while (at && at != &outer)
    at = at->parentOp();
  return at;
}

bool passes::isOnWay(const Operation &place, const Operation &part) {
  if (place.is(target::ArrayOp::opName))
    return holds(place, part);
  // What stands after a memory in its block is fed by it, or else the units of the block.
  bool isAfter = false, isLast = true;
  for (const Operation &beside : *place.parentRegion()) {
    if (isAfter && holds(beside, part))
      return true;
    isLast &=
        !isAfter || !(beside.is(target::ComputeOp::opName) || beside.is(target::ArrayOp::opName));
    isAfter |= &beside == &place;
  }
  return isLast && part.is(target::ComputeOp::opName) &&
         part.parentRegion() == place.parentRegion();
}

void Chip::collect(Region &region, std::vector<target::ArrayOp> &arrays, int64_t copies) {
  for (Operation &part : region) {
    if (auto memory = as<target::MemoryOp>(part)) {
      places.push_back(memoryPlace(memory));
      memoryList.push_back({memory, arrays, copies});
    } else if (auto unit = as<target::ComputeOp>(part)) {
      unitList.push_back({unit, arrays, copies});
    } else if (auto array = as<target::ArrayOp>(part)) {
      places.push_back(arrayPlace(array));
      arrays.push_back(array);
      collect(part.body(), arrays, copies * array.instances());
      arrays.pop_back();
    }
  }
}

Chip::Chip(target::ChipOp chip) : op(chip) {
  std::vector<target::ArrayOp> arrays;
  collect(chip->body(), arrays, 1);
}

Chip::Chip(const Operation &chip) : Chip(target::ChipOp(const_cast<Operation *>(&chip))) {}

Chip::Chip(target::ChipOp chip, target::ComputeOp unit) : Chip(chip) {
  llvm::erase_if(places, [&](const Place &place) { return !isOnWay(*place.op, *unit.op); });
}

llvm::Optional<unsigned> Chip::find(llvm::StringRef place) const {
  for (unsigned i = 0; i < places.size(); ++i)
    if (places[i].name == place)
      return i;
  return llvm::None;
}
