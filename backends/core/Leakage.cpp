// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Leakage.h"

using namespace perfc;

llvm::Optional<CostPart> perfc::leakage(const Chip &chip, const Uncertain &seconds) {
  if (chip.isPart())
    return leakage(chip.whole(), seconds);
  CostPart part;
  part.label = leakageLabel.str();
  part.kind = PartKind::Memory;
  auto add = [&](const auto &piece) {
    auto power = piece.view.leak();
    if (!power)
      return;
    CostPart line;
    line.kind = PartKind::Memory;
    line.label = piece.name().str();
    line.location = piece.view->range();
    line.energy = Figure(power->toUncertain() * seconds * static_cast<double>(piece.copies));
    part.energy += line.energy;
    part.children.push_back(std::move(line));
  };
  for (const ChipMemory &memory : chip.memories())
    add(memory);
  for (const ChipUnit &unit : chip.units())
    add(unit);
  return part.children.empty() ? llvm::Optional<CostPart>() : std::move(part);
}

void perfc::addLeakage(const Chip &chip, Cost &cost) {
  llvm::Optional<CostPart> leaking = leakage(chip, cost.latency);
  if (!leaking)
    return;
  cost.energy += leaking->energy;
  cost.breakdown.children.push_back(std::move(*leaking));
}
