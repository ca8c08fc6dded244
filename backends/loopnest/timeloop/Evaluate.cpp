// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/sparse/Sparse.h"

#include "ir/common/diagnostics/Timeloop.h"

#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

/// Tiles must fit, and fill what the level asks to be filled.
static bool checkCapacities(const Input &input, const Tiles &tiles, DiagnosticEngine &diagnostics) {
  for (unsigned memory = 0; memory < input.memories.size(); ++memory) {
    const Level &level = input.memories[memory];
    if (!level.attributes.words)
      continue;
    int64_t used = 0;
    std::string parts;
    for (unsigned space = 0; space < input.spaceCount(); ++space)
      if (const Tile &tile = tiles[space][memory]; tile.keep && tile.size) {
        used += tile.size;
        parts += fmt::format("{}{} {}", parts.empty() ? "" : " + ",
                             input.problem.spaces[space].name, tile.size);
      }
    double capacity = std::floor(static_cast<double>(*level.attributes.words) /
                                 level.attributes.multipleBuffering);
    if (static_cast<double>(used) > capacity) {
      diagnostics.report(input.placements[memory].place, diag::TimeloopCapacity, level.name,
                         capacity, used, parts);
      return false;
    }
    if (static_cast<double>(used) < capacity * level.attributes.minUtilization) {
      diagnostics.report(input.placements[memory].place, diag::TimeloopUnderused, level.name,
                         level.attributes.minUtilization, capacity, used);
      return false;
    }
  }
  return true;
}

static llvm::Optional<Actions> denseActions(const Tiles &tiles, const ComputeResult &compute) {
  Actions actions;
  for (const std::vector<Tile> &column : tiles) {
    actions.spaces.emplace_back();
    for (const Tile &tile : column)
      actions.spaces.back().push_back({{tile.reads},
                                       {tile.fills},
                                       {tile.updates},
                                       tile.reductions,
                                       static_cast<double>(tile.instances)});
  }
  actions.compute.random = compute.actual;
  return actions;
}

static void warnOfWrapping(const Input &input, const Tiles &tiles, DiagnosticEngine &diagnostics) {
  for (unsigned space = 0; space < input.spaceCount(); ++space)
    for (unsigned memory = 0; memory < input.memories.size(); ++memory)
      if (tiles[space][memory].wrapped)
        diagnostics.report(input.placements[memory].place, diag::TimeloopWrapped,
                           input.problem.spaces[space].name, input.memories[memory].name);
}

static void warnOfClusters(const Input &input, DiagnosticEngine &diagnostics) {
  for (const Level &memory : input.memories)
    if (memory.instances < memory.attributes.clusterSize)
      diagnostics.report(memory.place, diag::TimeloopClusters, memory.name,
                         counted(memory.instances, "instance"), memory.attributes.clusterSize);
}

llvm::Optional<Result> timeloop::evaluate(const Input &input, DiagnosticEngine &diagnostics) {
  if (!checkInput(input, diagnostics))
    return llvm::None;
  LoopList list(input);
  llvm::Optional<AnalysisResult> analysis = analyse(input, list, diagnostics);
  if (!analysis)
    return llvm::None;
  Tiles tiles = countTiles(input, list, *analysis);
  ComputeResult compute = reportCompute(input, list, *analysis);
  llvm::Optional<Actions> actions = input.sparse.optimized
                                        ? applySparsity(input, list, tiles, compute, diagnostics)
                                        : denseActions(tiles, compute);
  if (!actions || !checkCapacities(input, tiles, diagnostics))
    return llvm::None;
  warnOfWrapping(input, tiles, diagnostics);
  warnOfClusters(input, diagnostics);
  llvm::Optional<Result> result =
      report(input, list, tiles, *actions, std::move(compute), diagnostics);
  if (result)
    result->isSparse = input.sparse.optimized;
  return result;
}
