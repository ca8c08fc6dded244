// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Leakage.h"

using namespace perfc;

/// By part of the chip.
static CostPart leakagePart(const Chip &chip, const Uncertain &seconds) {
  if (chip.isPart())
    return leakagePart(chip.whole(), seconds);
  CostPart part(PartKind::Memory, "leakage");
  auto add = [&](const auto &piece) {
    auto power = piece.view.leak();
    if (!power)
      return;
    part.children.emplace_back(
        PartKind::Memory, piece.name(), piece.view->range(), 0,
        Figure(power->toUncertain() * seconds * static_cast<double>(piece.copies)));
    part.energy += part.children.back().energy;
  };
  for (const ChipMemory &memory : chip.memories())
    add(memory);
  for (const ChipUnit &unit : chip.units())
    add(unit);
  return part;
}

llvm::Optional<Figure> perfc::leakage(const Chip &chip, const Uncertain &seconds) {
  CostPart part = leakagePart(chip, seconds);
  return part.children.empty() ? llvm::Optional<Figure>() : std::move(part.energy);
}

void perfc::addLeakage(const Chip &chip, Cost &cost) {
  CostPart part = leakagePart(chip, cost.latency);
  if (part.children.empty())
    return;
  cost.energy += part.energy;
  cost.leakageEnergy = part.energy;
  cost.breakdown.children.push_back(std::move(part));
}
