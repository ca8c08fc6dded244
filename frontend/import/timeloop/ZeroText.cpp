// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/TimeloopText.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::timeloop;

/// Fixed-structured tiles hold their share exactly: so many of each group, where a small group says
/// it.
static std::string densityText(const Density &density) {
  if (density.distribution == Distribution::FixedStructured)
    for (int group = 1; group <= 64; ++group) {
      double kept = density.value * group;
      if (kept == std::floor(kept))
        return fmt::format("structured {}, {}", static_cast<int>(kept), group);
    }
  return fmt::format("density {}", decimal(density.value));
}

/// The format of the language that is nearest to the forms of the ranks.
static llvm::StringRef formatText(const Representation &form) {
  if (form.ranks.empty())
    return "uncompressed";
  auto hasOffsets = [](const Rank &rank) { return rank.format == RankFormat::UOP; };
  switch (form.ranks.back().format) {
  case RankFormat::B:
    return "bitmask";
  case RankFormat::RLE:
    return "rle";
  case RankFormat::CP:
    return llvm::any_of(form.ranks, hasOffsets) ? "csr" : "coordinate";
  default:
    return "uncompressed";
  }
}

/// "; format csr at DRAM" for each memory that has a form of the tensor, outermost first.
static std::string formatsText(const Input &input, unsigned space) {
  std::string text;
  for (size_t i = input.memories.size(); i-- > 0;)
    if (const Representation *form = input.sparse.representation(static_cast<unsigned>(i), space))
      text += fmt::format("; format {} at {}", formatText(*form), input.memories[i].name);
  return text;
}

std::vector<std::string> timeloop::zeroLines(const Input &input) {
  std::vector<std::string> lines;
  const SparseInput &sparse = input.sparse;
  if (!sparse.optimized)
    return lines;
  auto name = [&](unsigned space) { return input.problem.spaces[space].name; };
  for (const Density &density : sparse.densities) {
    lines.push_back(fmt::format("tensor {} {{ {}{} }}", name(density.space), densityText(density),
                                formatsText(input, density.space)));
  }
  // One line for each pair, however many memories have it.
  std::vector<std::string> seen;
  for (SavingKind kind : {SavingKind::Skipping, SavingKind::Gating})
    for (const Saving &saving : sparse.savings)
      for (unsigned leader : saving.leaders) {
        std::string pair = fmt::format("{} when {} == 0", name(saving.target), name(leader));
        bool isDense = !sparse.density(leader);
        if (saving.kind != kind || isDense || llvm::is_contained(seen, pair))
          continue;
        lines.push_back(fmt::format("{} {}", wordOf(kind), pair));
        seen.push_back(std::move(pair));
      }
  return lines;
}
