// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/maestro/Phases.h"

using namespace perfc;
using namespace perfc::maestro;

// Divisions truncate toward zero, as the tool's do; some dividends are negative.

static std::vector<Phase> temporalPhases(const Map &map, int64_t size) {
  int64_t steady = (size - map.size) / map.offset;
  std::vector<Phase> phases{{PhaseKind::Init, 1, size <= map.size, size < map.size}};
  if (map.size < size && steady > 0)
    phases.push_back({PhaseKind::Steady, steady});
  if (size >= map.size && steady * map.offset + map.size < size)
    phases.push_back({PhaseKind::Edge, 1, false, true});
  return phases;
}

/// Folds after the first in which every lane has a full tile.
static int64_t steadyFolds(const Map &map, int64_t size, int64_t fanout) {
  return ((size - map.size) / map.offset + 1) / fanout - 1;
}

static std::vector<Phase> spatialPhases(const Map &map, int64_t size, int64_t fanout) {
  int64_t covered = map.size + map.offset * (fanout - 1), fold = map.offset * fanout;
  int64_t steady = steadyFolds(map, size, fanout);
  std::vector<Phase> phases{{PhaseKind::Init, 1, size <= covered, size < covered, size < covered}};
  if (covered < size && steady > 0)
    phases.push_back({PhaseKind::Steady, steady});
  if (covered < size && size < (steady + 1) * fold + covered && steady * fold + covered != size) {
    int64_t rest = size - (steady + 1) * fold;
    int64_t active = rest < map.size ? 1 : (rest - map.size) / map.offset + 1;
    bool partial = (active - 1) * map.offset + map.size < rest;
    phases.push_back({PhaseKind::Edge, 1, false, true, partial});
  }
  return phases;
}

std::vector<Phase> maestro::phasesOf(const Map &map, int64_t size, int64_t fanout) {
  return map.spatial ? spatialPhases(map, size, fanout) : temporalPhases(map, size);
}

static int64_t activeAtEdge(const Level &level) {
  const Map &map = *level.spatial().front();
  int64_t size = level.sizes.at(map.dim), covered = map.offset * (level.fanout - 1) + map.size;
  if (size <= map.size)
    return 1;
  if (size > covered) {
    int64_t steady = steadyFolds(map, size, level.fanout);
    int64_t rest = size - (steady + 1) * map.offset * level.fanout;
    return rest < map.size ? 1 : (rest - map.size) / map.offset + 1;
  }
  int64_t active = (size - map.size) / map.offset + 1;
  return active + (map.offset * (active - 1) + map.size < size ? 1 : 0);
}

static MappedSize mappedSize(const Map &map, int64_t size) {
  int64_t steps = std::max<int64_t>((size - map.size) / map.offset, 0);
  int64_t rest = size - (steps + 1) * map.offset;
  if (rest < 0)
    rest = size;
  bool cut = steps * map.offset + map.size < size || map.size > size;
  bool still = !map.spatial && size <= map.size;
  return {map.size, still ? 0 : std::min(map.size, map.offset), cut ? rest : map.size,
          std::max<int64_t>(map.offset - (map.size - rest), 0)};
}

Extents maestro::extentsOf(const dataflow::Layer &layer, const Level &level) {
  Extents result;
  result.activeAtEdge = activeAtEdge(level);
  for (const Map &map : level.maps)
    result.input[map.dim] = mappedSize(map, level.sizes.at(map.dim));
  result.output = result.input;
  if (layer.type == dataflow::LayerType::Gemm)
    return result;
  for (char dim : {'Y', 'X'}) {
    const MappedSize &rows = result.input.at(dim);
    const MappedSize &window = result.input.at(dataflow::windowOf(dim));
    MappedSize &out = result.output.at(dim);
    const Map &map = level.mapOf(dim);
    // The tool's output tile leaves the stride out.
    out.full = rows.full - window.full + 1;
    out.fresh = std::min(map.offset, map.size);
    out.edge = rows.edge - window.edge + 1;
    out.edgeFresh = std::min(map.offset, out.edge);
  }
  return result;
}
