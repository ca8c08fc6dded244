// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/exact/Reuse.h"

#include "backends/loopnest/exact/Residence.h"
#include "passes/analysis/SetCount.h"
#include "llvm/ADT/StringSet.h"
#include <fmt/format.h>
#include <isl/constraint.h>
#include <isl/local_space.h>
#include <isl/space.h>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// Loops by the names of their indices and places.
struct LoopNames {
  std::vector<std::string> temporal, parallel;         ///< as a sentence has them
  std::vector<std::string> temporalDims, parallelDims; ///< as coordinates, each once
};

class ReuseReader {
public:
  ReuseReader(isl_ctx *context, const FlatNest &flat, unsigned level, unsigned tensor)
      : context(context), flat(flat), sets(context, flat), level(level), tensor(tensor) {}

  llvm::Optional<Reuse> run();

private:
  void readNames();
  std::string text(const IslSet &set);
  int64_t count(const IslSet &set);
  IslSet begunBy(const IslSet &set, llvm::Optional<unsigned> loop) const;
  Residence residence() const;
  std::vector<LaneReuse> lanesBetween(unsigned outer, unsigned inner);

  isl_ctx *context;
  const FlatNest &flat;
  NestSets sets;
  unsigned level, tensor;
  LoopNames names;
  bool isTooLarge = false;
};

} // namespace

/// A coordinate has one name, of letters, digits and underscores.
static std::string uniqueDim(llvm::StringSet<> &taken, llvm::StringRef index,
                             llvm::StringRef place) {
  std::string name;
  for (char c : index)
    name += isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (taken.insert(name).second)
    return name;
  name += "_" + place.str();
  std::string candidate = name;
  for (unsigned i = 1; !taken.insert(candidate).second; ++i)
    candidate = name + std::to_string(i);
  return candidate;
}

void ReuseReader::readNames() {
  llvm::StringSet<> taken;
  for (const Place &place : flat.nest->places)
    for (const Loop &loop : place.loops) {
      if (loop.factor == 1)
        continue;
      std::vector<std::string> indices;
      for (const Drive &drive : loop.drives)
        indices.push_back(flat.nest->dims[drive.dim].name);
      std::string index = fmt::format("{}", fmt::join(indices, ", "));
      bool isArray = place.kind == PlaceKind::Array;
      std::string where =
          isArray ? "along " + place.name + "." + place.axes[loop.axis].name : "at " + place.name;
      (isArray ? names.parallel : names.temporal)
          .push_back(fmt::format("{} = {} {}", index, loop.factor, where));
      (isArray ? names.parallelDims : names.temporalDims)
          .push_back(uniqueDim(taken, indices.empty() ? "lane" : indices.front(), place.name));
    }
}

/// A set of (e, i, x) as a relation (e, i) -> x.
std::string ReuseReader::text(const IslSet &set) {
  unsigned epochs = sets.epochDims(level), instances = sets.instanceDims(level);
  isl_map *map = isl_map_from_range(set.take());
  map = isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, epochs + instances);
  for (unsigned e = 0; e < epochs; ++e)
    map = isl_map_set_dim_name(map, isl_dim_in, e, names.temporalDims[e].c_str());
  for (unsigned i = 0; i < instances; ++i)
    map = isl_map_set_dim_name(map, isl_dim_in, epochs + i, names.parallelDims[i].c_str());
  const std::string &name = flat.nest->tensors[tensor].name;
  map = isl_map_coalesce(isl_map_set_tuple_name(map, isl_dim_out, name.c_str()));
  // The ranges of loops are known.
  map = isl_map_gist_domain(map, sets.box(level).take());
  char *text = isl_map_to_str(map);
  std::string result = text ? text : "";
  free(text);
  isl_map_free(map);
  isTooLarge |= result.empty();
  return result;
}

int64_t ReuseReader::count(const IslSet &set) {
  llvm::Optional<int64_t> number = isTooLarge ? llvm::None : countPoints(set);
  isTooLarge |= !number;
  return number.getValueOr(0);
}

/// The part of `set`, in (e, i, …), of the epochs that a step of `loop` begins: those further in
/// are at their first one. Without a loop, of the first epoch.
IslSet ReuseReader::begunBy(const IslSet &set, llvm::Optional<unsigned> loop) const {
  isl_set *part = set.take();
  for (unsigned inner = loop ? *loop + 1 : 0; inner < sets.epochDims(level); ++inner)
    part = isl_set_fix_si(part, isl_dim_set, inner, 0);
  return loop ? isl_set_lower_bound_si(part, isl_dim_set, *loop, 1) : part;
}

/// What is held in the memory: of a result, less what those outside of it gave up.
Residence ReuseReader::residence() const {
  if (tensor != flat.output)
    return residenceIn(sets, level, tensor, nullptr);
  llvm::Optional<Residence> parent;
  for (unsigned outer = 1; outer < level; ++outer)
    if (flat.levels[outer].keeps[tensor])
      parent = residenceIn(sets, outer, tensor, parent ? parent.getPointer() : nullptr);
  return residenceIn(sets, level, tensor, parent ? parent.getPointer() : nullptr);
}

/// { x -> x', one less in `coordinate` }.
static IslMap previousLane(isl_ctx *context, unsigned dims, unsigned coordinate) {
  isl_map *map = isl_map_universe(isl_space_alloc(context, 0, dims, dims));
  for (unsigned c = 0; c < dims; ++c)
    if (c != coordinate)
      map = isl_map_equate(map, isl_dim_in, int(c), isl_dim_out, int(c));
  isl_constraint *row =
      isl_constraint_alloc_equality(isl_local_space_from_space(isl_map_get_space(map)));
  row = isl_constraint_set_coefficient_si(row, isl_dim_in, int(coordinate), 1);
  row = isl_constraint_set_coefficient_si(row, isl_dim_out, int(coordinate), -1);
  return isl_map_add_constraint(map, isl_constraint_set_constant_si(row, -1));
}

std::vector<LaneReuse> ReuseReader::lanesBetween(unsigned outer, unsigned inner) {
  std::vector<LaneReuse> result;
  unsigned epochs = sets.epochDims(inner);
  IslSet tile = sets.tile(inner, tensor);
  unsigned dims = epochs + sets.instanceDims(inner) + sets.ranks(tensor);
  for (unsigned p = flat.levels[outer].parallel; p < flat.levels[inner].parallel; ++p) {
    LaneReuse lanes{names.parallel[p], flat.parallel[p].factor, 0, 0, flat.shares(p, tensor)};
    IslSet later = isl_set_lower_bound_si(tile.take(), isl_dim_set, epochs + p, 1);
    IslMap next = isl_map_reverse(previousLane(context, dims, epochs + p).take());
    lanes.words = count(later);
    lanes.alike = count(intersection(later, image(tile, next)));
    result.push_back(std::move(lanes));
  }
  return result;
}

llvm::Optional<Reuse> ReuseReader::run() {
  readNames();
  Reuse result;
  IslSet tile = sets.tile(level, tensor), active = sets.active(level);
  // The outermost memory holds everything from the begin.
  IslSet entering = level == 0 ? tile : residence().entering;
  result.tile = text(tile);
  if (isl_set_is_equal(tile.get(), entering.get()) != isl_bool_true)
    result.anew = text(entering);
  result.entering = count(entering);
  result.first = count(begunBy(entering, llvm::None));
  for (unsigned loop = 0; loop < sets.epochDims(level); ++loop)
    result.loops.push_back({names.temporal[loop], count(begunBy(active, loop)),
                            count(begunBy(tile, loop)), count(begunBy(entering, loop))});
  if (level > 0) {
    unsigned outer = flat.parent(level, tensor);
    result.outer = flat.memories[outer]->name;
    result.from = lanesBetween(outer, level);
  }
  unsigned inner = level + 1;
  while (!flat.levels[inner].keeps[tensor])
    ++inner;
  if (inner < flat.lanes())
    result.inner = flat.memories[inner]->name;
  result.to = lanesBetween(level, inner);
  return isTooLarge ? llvm::None : llvm::Optional<Reuse>(std::move(result));
}

llvm::Optional<Reuse> loopnest::reuseOf(const FlatNest &flat, unsigned level, unsigned tensor,
                                        const ExactLimits &limits) {
  IslContext context(limits.operations);
  return ReuseReader(context.get(), flat, level, tensor).run();
}
