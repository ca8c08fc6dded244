// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DataflowPlan.h"

#include "ir/common/diagnostics/Maestro.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;
using loopnest::ClusterOp;
using loopnest::DirectiveOp;

namespace {

/// How one level maps an index: tiles of `tile` values, `step` apart.
struct IndexMap {
  unsigned index;
  int64_t tile;
  int64_t step;
  bool spatial;
  DirectiveOp source;
};

/// The directives between two clusters.
struct ClusterLevel {
  std::vector<DirectiveOp> directives;
  int64_t lanes = 1;
};

class DataflowPlanner {
public:
  DataflowPlanner(const Chip &chip, const Statement &statement, loopnest::DataflowOp dataflow,
                  DiagnosticEngine &diagnostics)
      : chip(chip), statement(statement), dataflow(dataflow),
        diagnostics(diagnostics), plan{&chip, &statement, {}, {}} {}

  llvm::Optional<NestPlan> run();

private:
  bool fail(SourceRange where, const std::string &reason) {
    diagnostics.report(where, diag::DataflowNotNested, dataflow.source(), reason);
    return false;
  }
  bool findPlaces();
  bool split();
  bool mapLevel(size_t number);
  bool toIndex(const ClusterLevel &level, DirectiveOp directive, llvm::Optional<IndexMap> &map);
  bool windowToIndex(const ClusterLevel &level, DirectiveOp directive,
                     llvm::Optional<IndexMap> &map);
  bool addLoops(size_t number, const IndexMap &map);
  void addLoop(unsigned place, const IndexMap &map, int64_t factor, bool parallel);
  void fitOuterLoops();
  void addTileLoops();

  const Chip &chip;
  const Statement &statement;
  loopnest::DataflowOp dataflow;
  DiagnosticEngine &diagnostics;
  NestPlan plan;
  std::vector<ClusterLevel> levels;
  std::vector<int64_t> extents;     ///< of the tile that the level at hand iterates over
  unsigned array = 0;               ///< the place whose elements the lanes are
  unsigned outer = 0;               ///< the memory around it
  unsigned inner = 0;               ///< the innermost memory in it, else the array
  llvm::Optional<unsigned> onLanes; ///< the index that is spread over the lanes of this level
};

} // namespace

/// The lanes are the elements of the first array, the outer level steps through the memory around
/// it, and tiles are executed from the innermost memory in it.
bool DataflowPlanner::findPlaces() {
  auto isLane = [](const Place &place) { return place.isArray && !place.isDispatched; };
  auto found = llvm::find_if(chip.places, isLane);
  if (found == chip.places.end() || found == chip.places.begin()) {
    diagnostics.report(dataflow->range(), diag::DataflowChip, chip.op.symbol(),
                       "it has no array inside a memory");
    return false;
  }
  array = static_cast<unsigned>(found - chip.places.begin());
  if (found->axes.size() != 1 ||
      llvm::any_of(llvm::make_range(found + 1, chip.places.end()), isLane)) {
    diagnostics.report(dataflow->range(), diag::DataflowChip, chip.op.symbol(),
                       "lanes are numbered along one axis of one array");
    return false;
  }
  outer = array - 1;
  inner = static_cast<unsigned>(chip.places.size()) - 1;
  return true;
}

bool DataflowPlanner::split() {
  levels.emplace_back();
  int64_t left = chip.places[array].axes.front().size;
  int64_t all = left;
  for (Operation &op : dataflow->body()) {
    auto cluster = as<ClusterOp>(&op);
    if (!cluster) {
      levels.back().directives.push_back(DirectiveOp(&op));
      continue;
    }
    left /= cluster.size();
    if (left == 0) {
      diagnostics.report(op.range(), diag::DataflowTooFewPes, all);
      return false;
    }
    levels.push_back({{}, cluster.size()});
  }
  levels.front().lanes = left;
  return true;
}

/// A window over a * p + b * r, where p is an index of the output: n values of p with the taps of r
/// that are mapped beside it take (n - 1) * a + (taps - 1) * b + 1 values. When window and taps
/// move along the lanes together, p moves by the difference.
bool DataflowPlanner::windowToIndex(const ClusterLevel &level, DirectiveOp directive,
                                    llvm::Optional<IndexMap> &map) {
  std::vector<std::string> names = directive.indices();
  std::vector<int64_t> coefficients = directive.coefficients();
  SourceRange where = directive->range();
  std::string window = directive.name().str();
  llvm::Optional<unsigned> first = statement.find(names[0]), second;
  if (names.size() == 2)
    second = statement.find(names[1]);
  if (!first || !second || statement.isReduction(*first) == statement.isReduction(*second))
    return fail(where, fmt::format("`{}` is no window of one output index", window));
  unsigned output = *first, tap = *second;
  int64_t a = coefficients[0], b = coefficients[1];
  if (statement.isReduction(output)) {
    std::swap(output, tap);
    std::swap(a, b);
  }
  int64_t taps = extents[tap], tapOffset = 0;
  bool tapsSpatial = false;
  for (DirectiveOp other : level.directives)
    if (other.indices() == std::vector<std::string>{statement.names[tap]}) {
      taps = std::min(taps, other.size());
      tapOffset = other.isSpatial() ? other.offset() : 0;
      tapsSpatial = other.isSpatial();
    }
  if (tapsSpatial && !directive.isSpatial())
    return fail(where, fmt::format("`{}` is on the lanes, its window `{}` is not",
                                   statement.names[tap], window));
  int64_t rest = directive.size() - (taps - 1) * b - 1;
  int64_t advance = directive.offset() - (directive.isSpatial() ? tapOffset * b : 0);
  if (rest < 0)
    return fail(where, fmt::format("a window of {} values of `{}` is smaller than its {} taps",
                                   directive.size(), window, taps));
  if (advance < 0 || advance % a != 0)
    return fail(where, fmt::format("`{}` does not advance by whole values of `{}`", window,
                                   statement.names[output]));
  map = IndexMap{output, rest / a + 1, advance / a, directive.isSpatial(), directive};
  return true;
}

bool DataflowPlanner::toIndex(const ClusterLevel &level, DirectiveOp directive,
                              llvm::Optional<IndexMap> &map) {
  if (directive.indices().size() != 1 || directive.coefficients().front() != 1)
    return windowToIndex(level, directive, map);
  llvm::Optional<unsigned> index = statement.find(directive.indices().front());
  if (index)
    map = IndexMap{*index, directive.size(), directive.offset(), directive.isSpatial(), directive};
  return true;
}

void DataflowPlanner::addLoop(unsigned place, const IndexMap &map, int64_t factor, bool parallel) {
  if (factor == 1)
    return;
  PlannedLoop loop{place, llvm::None, {map.index}, factor, map.source.op};
  if (parallel)
    loop.axis = 0;
  plan.loops.push_back(std::move(loop));
}

/// Steps of tiles through the extent, with a fold where there are more of them than lanes. Only the
/// outermost steps through an index may end with a tile that is cut.
bool DataflowPlanner::addLoops(size_t number, const IndexMap &map) {
  int64_t extent = extents[map.index], tile = std::min(map.tile, extent);
  if (tile == extent)
    return true;
  std::string name = statement.names[map.index];
  SourceRange where = map.source->range();
  if (map.step != tile)
    return fail(where,
                fmt::format("tiles of {} values of `{}` start {} apart", tile, name, map.step));
  int64_t steps = (extent - 1) / tile + 1;
  int64_t lanes = map.spatial ? std::min(steps, levels[number].lanes) : 1;
  int64_t folds = (steps - 1) / lanes + 1;
  bool isOuter = extent == std::max<int64_t>(1, statement.extents[map.index]);
  if (!isOuter && (extent % tile != 0 || steps % lanes != 0))
    return fail(where, fmt::format("{} values of `{}` are no whole number of steps of {}", extent,
                                   name, tile * lanes));
  if (map.spatial && onLanes)
    return fail(where, fmt::format("`{}` and `{}` share a lane number, which leaves points out",
                                   statement.names[*onLanes], name));
  if (map.spatial)
    onLanes = map.index;
  addLoop(number == 0 ? outer : array, map, folds, false);
  addLoop(array, map, lanes, true);
  extents[map.index] = tile;
  return true;
}

bool DataflowPlanner::mapLevel(size_t number) {
  std::vector<IndexMap> maps;
  for (DirectiveOp directive : levels[number].directives) {
    llvm::Optional<IndexMap> map;
    if (!toIndex(levels[number], directive, map))
      return false;
    if (!map)
      continue;
    if (llvm::any_of(maps, [&](const IndexMap &other) { return other.index == map->index; })) {
      diagnostics.report(directive->range(), diag::DataflowMappedTwice,
                         statement.names[map->index]);
      return false;
    }
    maps.push_back(*map);
  }
  onLanes = llvm::None;
  // Steps in time go before the lanes: the nest does not depend on where among them a fold stands,
  // but on the order of the folds and steps.
  size_t first = plan.loops.size();
  for (const IndexMap &map : maps)
    if (!addLoops(number, map))
      return false;
  std::stable_partition(plan.loops.begin() + first, plan.loops.end(),
                        [](const PlannedLoop &loop) { return !loop.axis; });
  return true;
}

/// The loops of the first level run at the nearest memory whose tile they leave small enough.
void DataflowPlanner::fitOuterLoops() {
  for (unsigned place = outer; place > 0; --place) {
    if (chip.places[place].isArray || chip.places[place - 1].isArray ||
        !chip.places[place].capacityBits)
      return;
    for (PlannedLoop &loop : plan.loops) {
      auto kept = keptBits(statement, chip.places[place], plan.tile(plan.positionOf(place)));
      if (loop.place != place || totalBits(kept) <= *chip.places[place].capacityBits)
        break;
      loop.place = place - 1;
    }
  }
}

void DataflowPlanner::addTileLoops() {
  for (unsigned index = 0; index < extents.size(); ++index)
    if (extents[index] > 1)
      plan.loops.push_back({inner, llvm::None, {index}, extents[index], nullptr});
}

llvm::Optional<NestPlan> DataflowPlanner::run() {
  for (unsigned place = 0; place < chip.places.size(); ++place)
    plan.places.push_back(place);
  for (int64_t extent : statement.extents)
    extents.push_back(std::max<int64_t>(1, extent));
  if (!findPlaces() || !split())
    return llvm::None;
  for (size_t number = 0; number < levels.size(); ++number)
    if (!mapLevel(number))
      return llvm::None;
  addTileLoops();
  fitOuterLoops();
  return std::move(plan);
}

llvm::Optional<NestPlan> passes::planFromDataflow(const Chip &chip, const Statement &statement,
                                                  loopnest::DataflowOp dataflow,
                                                  DiagnosticEngine &diagnostics) {
  return DataflowPlanner(chip, statement, dataflow, diagnostics).run();
}
