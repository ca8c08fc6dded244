// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Chip.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;

void perfc::noteLeftOut(const Chip &chip, Cost &cost) {
  std::vector<std::string> names;
  for (const ChipMemory &memory : chip.memories()) {
    bool isCounted = llvm::any_of(
        cost.traffic, [&](const MemoryTraffic &known) { return known.memory == memory.name(); });
    if (!isCounted && (memory.view.readEnergy() || memory.view.writeEnergy()))
      names.push_back(fmt::format("`{}`", memory.name()));
  }
  if (names.empty())
    return;
  cost.energy.isPartial = true;
  cost.addNote(fmt::format("energy leaves out that of {}, whose bytes this level does not count",
                           fmt::join(names, ", ")));
}

std::string perfc::unlimitedNote(const Chip &chip) {
  const ChipMemory *outer = chip.outermost();
  if (!outer || outer->view.bandwidth() || outer->view.readBandwidth() ||
      outer->view.writeBandwidth())
    return "";
  return fmt::format("bandwidth of memory `{}` is not given: what moves there takes no time",
                     outer->name());
}

Figure perfc::areaOf(const Chip &chip) {
  if (chip.isPart())
    return areaOf(chip.whole());
  if (auto own = chip.op.area())
    return own->toUncertain();
  Figure sum;
  bool isGiven = false;
  auto add = [&](llvm::StringRef kind, const auto &part) {
    auto area = part.view.area();
    sum += area ? Figure(area->toUncertain() * static_cast<double>(part.copies))
                : Figure::notGiven(kind, part.name());
    isGiven |= area.hasValue();
  };
  for (const ChipMemory &memory : chip.memories())
    if (!memory.view.isOffChip())
      add("memory", memory);
  for (const ChipUnit &unit : chip.units())
    add("compute", unit);
  return isGiven ? sum : Figure::notGiven("chip", chip.name());
}
