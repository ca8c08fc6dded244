// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/ChipChecks.h"

#include "ir/common/diagnostics/Hardware.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/common/diagnostics/Systems.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <fmt/format.h>

using namespace perfc;

namespace {

class ChipChecks {
public:
  ChipChecks(ir::Operation &chip, DiagnosticEngine &diagnostics)
      : chip(chip), diagnostics(diagnostics) {}

  void names();
  void networks();
  void units(const ir::Operation &block);

private:
  void feed(ir::Operation &network, ir::Operation &array);

  ir::Operation &chip;
  DiagnosticEngine &diagnostics;
  /// Networks from other arrays, by the array that they feed.
  llvm::DenseMap<const ir::Operation *, const ir::Operation *> feeds;
};

} // namespace

/// True for a unit, or what has one in it.
static bool hasUnit(const ir::Operation &part) {
  bool found = part.is("target.compute");
  part.walk([&](const ir::Operation &inner) { found |= inner.is("target.compute"); });
  return found;
}

/// Warns of memories after which nothing is fed, and of arrays that compute nothing.
void ChipChecks::units(const ir::Operation &block) {
  // From the last part on: whether a unit is fed from there. The last memories feed the block's
  // own.
  bool isFed =
      llvm::any_of(block.body(), [](const auto &part) { return part.is("target.compute"); });
  std::vector<const ir::Operation *> parts;
  for (const ir::Operation &part : block.body())
    parts.push_back(&part);
  for (const ir::Operation *part : llvm::reverse(parts)) {
    if (part->is("target.memory") && !isFed)
      diagnostics.report(part->range(), diag::WordWithoutEffect, "memory " + part->symbol().str(),
                         "it feeds what stands after it, and no unit does");
    if (part->is("target.array") && !hasUnit(*part))
      diagnostics.report(part->range(), diag::WordWithoutEffect, "array " + part->symbol().str(),
                         "no unit is in it");
    else if (part->is("target.array"))
      units(*part);
    isFed |= hasUnit(*part);
  }
}

/// Mappings, loop nests and results call a part of a chip by its name alone.
void ChipChecks::names() {
  llvm::StringMap<const ir::Operation *> places, ofUnits;
  chip.walk([&](const ir::Operation &part) {
    bool isMemory = part.is("target.memory"), isUnit = part.is("target.compute");
    if (!isMemory && !isUnit && !part.is("target.array"))
      return;
    auto [known, isNew] = (isUnit ? ofUnits : places).try_emplace(part.symbol(), &part);
    if (isNew)
      return;
    diagnostics
        .report(part.range(), diag::DuplicatePart,
                isMemory ? "memory"
                : isUnit ? "compute"
                         : "array",
                part.symbol())
        .note(known->second->range(), "this part of the chip has that name")
        .help("mappings and results call a part by its name alone");
  });
}

/// A network that leads out of its array feeds one that stands directly in the chip and has no
/// memory before it there.
void ChipChecks::feed(ir::Operation &network, ir::Operation &array) {
  auto report = [&](const std::string &why) {
    diagnostics.report(network.range(), diag::WordWithoutEffect, "network", why);
  };
  if (!array.parentOp()->is("target.chip"))
    return report(fmt::format("`{}` is in `{}`, whose memories feed it", array.symbol(),
                              array.parentOp()->symbol()));
  for (const ir::Operation &before : *array.parentRegion()) {
    if (&before == &array)
      break;
    if (before.is("target.memory"))
      return report(fmt::format("memory `{}` stands before `{}` and feeds it", before.symbol(),
                                array.symbol()));
  }
  auto [known, isFirst] = feeds.try_emplace(&array, &network);
  if (!isFirst)
    report(fmt::format("another network feeds `{}`", array.symbol()));
}

/// A network leads `to` a memory or unit of its array, or to another array.
void ChipChecks::networks() {
  std::vector<llvm::StringRef> known;
  chip.walk([&](ir::Operation &part) {
    if (!part.symbol().empty())
      known.push_back(part.symbol());
  });
  chip.walk([&](ir::Operation &part) {
    llvm::StringRef to = part.is("target.network") ? part.stringAttr("to") : "";
    if (to.empty())
      return;
    if (!llvm::is_contained(known, to)) {
      diagnostics.report(part.range(), diag::UnknownPlace, chip.symbol(), to).suggest(to, known);
      return;
    }
    const ir::Operation &around = *part.parentOp();
    bool isInside = false;
    around.walk([&](const ir::Operation &inner) {
      isInside |= inner.symbol() == to && (inner.is("target.memory") || inner.is("target.compute"));
    });
    ir::Operation *array = nullptr;
    chip.walk([&](ir::Operation &other) {
      bool holds = false;
      other.walk([&](const ir::Operation &inner) { holds |= &inner == &part; });
      if (other.symbol() == to && other.is("target.array") && !holds)
        array = &other;
    });
    if (array)
      feed(part, *array);
    else if (!isInside)
      diagnostics.report(part.range(), diag::NetworkLeadsNowhere, around.symbol(), to,
                         "which is no memory and no unit in it");
  });
}

void perfc::checkChip(ir::Operation &chip, DiagnosticEngine &diagnostics) {
  ChipChecks checks(chip, diagnostics);
  checks.names();
  checks.networks();
  if (hasUnit(chip))
    checks.units(chip);
}
