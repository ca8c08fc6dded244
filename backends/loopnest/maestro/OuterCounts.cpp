// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/maestro/OuterCounts.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::maestro;
using dataflow::Layer;
using dataflow::LayerType;
using loopnest::Nest;

namespace {

/// A map in the coordinates of the nest: tiles of `size` that start `step` apart.
struct NestMap {
  bool spatial;
  int64_t size;
  int64_t step;
  char dim;
};

class NestBuilder {
public:
  NestBuilder(const Layer &layer, const Level &level, std::string &reason)
      : layer(layer), level(level), reason(reason) {}

  llvm::Optional<Nest> run();

private:
  bool fail(std::string why) {
    reason = std::move(why);
    return false;
  }
  int64_t sizeOf(char dim) const { return layer.outputSize(dim); }
  unsigned numberOf(char dim) const {
    return static_cast<unsigned>(llvm::StringRef(names).find(dim));
  }
  bool toOutputs(const Map &map, NestMap &result);
  void addTensors();
  void addTensor(llvm::StringRef name, llvm::StringRef dims, bool isOutput);
  bool addLoops(llvm::ArrayRef<NestMap> maps);
  loopnest::Drive drive(const NestMap &map, int64_t step) const;

  const Layer &layer;
  const Level &level;
  std::string &reason;
  std::string names; ///< the dimensions; Y and X are rows and columns of the output
  Nest nest;
};

} // namespace

/// A window of rows becomes the outputs that lie in it. When the filter's rows move along with the
/// window, lane by lane, the outputs stay by as much.
bool NestBuilder::toOutputs(const Map &map, NestMap &result) {
  result = {map.spatial, std::min(map.size, level.sizes.at(map.dim)), map.offset, map.dim};
  char window = layer.type == LayerType::Gemm ? 0 : dataflow::windowOf(map.dim);
  if (!window)
    return true;
  const Map &taps = level.mapOf(window);
  bool together = map.spatial && taps.spatial;
  int64_t stride = layer.stride(map.dim), rows = std::min(taps.size, level.sizes.at(window));
  int64_t advance = map.offset - (together ? taps.offset : 0);
  if (taps.spatial && !map.spatial)
    return fail(fmt::format("{} is spread over lanes without {}", window, map.dim));
  if (result.size < rows)
    return fail(fmt::format("a tile of {} is smaller than the filter", map.dim));
  if (advance < 0 || advance % stride)
    return fail(fmt::format("{} does not advance by whole outputs", map.dim));
  result.size = std::min((result.size - rows) / stride + 1, sizeOf(map.dim));
  result.step = advance / stride;
  return true;
}

void NestBuilder::addTensor(llvm::StringRef name, llvm::StringRef dims, bool isOutput) {
  loopnest::Tensor tensor;
  tensor.name = name.str();
  tensor.isOutput = isOutput;
  for (char dim : dims) {
    char window = layer.type == LayerType::Gemm || isOutput ? 0 : dataflow::windowOf(dim);
    loopnest::Subscript subscript;
    subscript.terms.push_back({numberOf(dim), window ? layer.stride(dim) : 1});
    if (window)
      subscript.terms.push_back({numberOf(window), 1});
    tensor.ranks.push_back(std::move(subscript));
  }
  nest.tensors.push_back(std::move(tensor));
}

void NestBuilder::addTensors() {
  auto [input, filter, output] = layer.tensors();
  for (char dim : input + filter)
    if (!llvm::StringRef(names).contains(dim)) {
      names += dim;
      nest.dims.push_back({std::string(1, dim), sizeOf(dim)});
    }
  addTensor("input", input, false);
  addTensor("filter", filter, false);
  addTensor("output", output, true);
}

/// Where `step` is what the loops further in cover, the loop is a digit of its dimension.
loopnest::Drive NestBuilder::drive(const NestMap &map, int64_t step) const {
  if (map.step == map.size)
    return {numberOf(map.dim), llvm::None};
  return {numberOf(map.dim), step};
}

/// Positions of a tile that steps through `size`.
static int64_t positionsOf(const NestMap &map, int64_t size) {
  return map.step && size > map.size ? (size - map.size - 1) / map.step + 2 : 1;
}

/// Spatial maps share the lane number, so their lanes are one loop.
bool NestBuilder::addLoops(llvm::ArrayRef<NestMap> maps) {
  using loopnest::PlaceKind;
  nest.places.resize(4);
  nest.places[0] = {PlaceKind::Memory, "L2", {0, 1, 2}, {}, {}};
  nest.places[1] = {PlaceKind::Memory, "held", {0, 1, 2}, {}, {}};
  nest.places[2] = {PlaceKind::Array, "clusters", {}, {{"x", level.fanout}}, {}};
  nest.places[3] = {PlaceKind::Memory, "L1", {}, {}, {}};
  loopnest::Loop lanes;
  bool folds = false;
  for (const NestMap &map : maps) {
    if (!llvm::StringRef(names).contains(map.dim))
      continue; // in no tensor
    int64_t positions = positionsOf(map, sizeOf(map.dim));
    int64_t width = map.spatial ? std::min(positions, level.fanout) : 1;
    int64_t times = (positions - 1) / width + 1;
    if (times > 1)
      nest.places[0].loops.push_back({{drive(map, map.step * width)}, times, 0});
    if (width > 1) {
      if (!lanes.drives.empty() && (folds || times > 1 || lanes.factor != width))
        return fail("two spatial maps take different numbers of lanes");
      lanes.drives.push_back(drive(map, map.step));
      lanes.factor = width;
      folds |= times > 1;
    }
    if (map.size > 1)
      nest.places[3].loops.push_back({{{numberOf(map.dim), llvm::None}}, map.size, 0});
  }
  if (lanes.factor > 1)
    nest.places[2].loops.push_back(lanes);
  return true;
}

llvm::Optional<Nest> NestBuilder::run() {
  std::vector<NestMap> maps;
  for (const Map &map : level.maps)
    if (!toOutputs(map, maps.emplace_back()))
      return llvm::None;
  addTensors();
  if (!addLoops(maps))
    return llvm::None;
  return std::move(nest);
}

llvm::Optional<Nest> maestro::outerNest(const Layer &layer, const Level &level,
                                        std::string &reason) {
  return NestBuilder(layer, level, reason).run();
}

llvm::Optional<OuterCounts> maestro::countOuter(const Layer &layer, const Level &level,
                                                std::string &reason) {
  llvm::Optional<Nest> nest = outerNest(layer, level, reason);
  if (!nest)
    return llvm::None;
  loopnest::AnalysisOptions options;
  options.hops = false;
  loopnest::AnalysisResult result = loopnest::analyse(*nest, options);
  if (!result.counts) {
    reason = result.errors.front().message();
    return llvm::None;
  }
  OuterCounts counts;
  counts.steps = 1;
  for (const loopnest::Loop &loop : nest->places[0].loops)
    counts.steps *= loop.factor;
  const auto &held = result.counts->memories[1].tensors;
  counts.inputReads = held[0]->fills;
  counts.filterReads = held[1]->fills;
  counts.outputWrites = held[2]->writebacks;
  return counts;
}
