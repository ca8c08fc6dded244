// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/maestro/Levels.h"

#include "ir/common/diagnostics/Maestro.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace perfc;
using namespace perfc::maestro;
using dataflow::Directive;
using dataflow::DirectiveKind;
using dataflow::Sizes;

const Map &Level::mapOf(char dim) const {
  return *llvm::find_if(maps, [&](const Map &map) { return map.dim == dim; });
}

std::vector<const Map *> Level::spatial() const {
  std::vector<const Map *> result;
  for (const Map &map : maps)
    if (map.spatial)
      result.push_back(&map);
  return result;
}

namespace {

/// Clusters of one lane could be nested without end.
constexpr size_t maxLevels = 8;

class Translator {
public:
  Translator(const dataflow::Layer &layer, DiagnosticEngine &diagnostics)
      : layer(layer), diagnostics(diagnostics) {
    auto [input, filter, output] = layer.tensors();
    for (char dim : input + filter)
      tensorDims.insert(dim);
  }

  llvm::Optional<std::vector<Level>> run(int64_t pes);

private:
  bool split(int64_t pes);
  bool addMap(const Directive &directive, Level &level);
  void complete(Level &level, const Level *above);
  void applyStride(Level &level, bool inner);

  const dataflow::Layer &layer;
  DiagnosticEngine &diagnostics;
  std::set<char> tensorDims;
  std::vector<Level> levels;
};

} // namespace

bool Translator::addMap(const Directive &directive, Level &level) {
  auto same = [&](const Map &map) { return map.dim == directive.dim; };
  if (!layer.dims.count(directive.dim)) {
    diagnostics.report(directive.range, diag::DataflowUnknownDim, layerTypeName(layer.type),
                       std::string(1, directive.dim));
    return false;
  }
  if (llvm::any_of(level.maps, same)) {
    diagnostics.report(directive.range, diag::DataflowMappedTwice, std::string(1, directive.dim));
    return false;
  }
  level.maps.push_back(
      {directive.kind == DirectiveKind::Spatial, directive.size, directive.offset, directive.dim});
  return true;
}

bool Translator::split(int64_t pes) {
  levels.push_back({{}, pes, {}});
  bool good = true;
  auto close = [&](SourceRange where) {
    if (!good || !levels.back().spatial().empty())
      return;
    diagnostics.report(where, diag::DataflowNothingSpatial, levels.size());
    good = false;
  };
  for (const Directive &directive : layer.directives) {
    if (directive.kind != DirectiveKind::Cluster) {
      good &= addMap(directive, levels.back());
      continue;
    }
    close(directive.range);
    if (levels.size() == maxLevels) {
      diagnostics.report(directive.range, diag::DataflowTooDeep, maxLevels);
      return false;
    }
    levels.front().fanout /= directive.size;
    if (levels.front().fanout == 0) {
      diagnostics.report(directive.range, diag::DataflowTooFewPes, pes);
      return false;
    }
    levels.push_back({{}, directive.size, {}});
  }
  close(layer.range);
  return good;
}

void Translator::complete(Level &level, const Level *above) {
  auto isMapped = [&](char dim) {
    return llvm::any_of(level.maps, [&](const Map &map) { return map.dim == dim; });
  };
  if (above)
    for (const Map &map : above->maps)
      if (!isMapped(map.dim))
        level.maps.insert(level.maps.begin(), {false, map.size, map.offset, map.dim});
  for (char dim : tensorDims)
    if (!isMapped(dim))
      level.maps.push_back({false, level.sizes.at(dim), level.sizes.at(dim), dim});
}

/// A window of `size` rows holds n outputs; it becomes the rows that they use, and advances by n.
void Translator::applyStride(Level &level, bool inner) {
  for (Map &map : level.maps) {
    char window = layer.type == dataflow::LayerType::Gemm ? 0 : dataflow::windowOf(map.dim);
    int64_t stride = window ? layer.stride(map.dim) : 1;
    if (stride == 1)
      continue;
    int64_t rows = layer.dims.at(window);
    if (map.size < rows)
      continue;
    int64_t outputs = (map.size + stride - rows) / stride;
    map.size = outputs * std::min(stride, rows) + std::max<int64_t>(rows - stride, 0);
    map.offset = outputs * (inner && rows < stride ? rows : stride);
  }
}

llvm::Optional<std::vector<Level>> Translator::run(int64_t pes) {
  if (!split(pes))
    return llvm::None;
  Sizes sizes = layer.dims;
  for (size_t i = 0; i < levels.size(); ++i) {
    Level &level = levels[i];
    level.sizes = sizes;
    complete(level, i ? &levels[i - 1] : nullptr);
    applyStride(level, i != 0);
    for (const Map &map : level.maps)
      sizes[map.dim] = std::min(map.size, sizes.at(map.dim));
  }
  return std::move(levels);
}

llvm::Optional<std::vector<Level>> maestro::translate(const dataflow::Layer &layer, int64_t pes,
                                                      DiagnosticEngine &diagnostics) {
  return Translator(layer, diagnostics).run(pes);
}
