// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/FlatNest.h"
#include "backends/loopnest/analysis/Validate.h"

using namespace perfc;
using namespace perfc::loopnest;

unsigned FlatNest::parent(unsigned level, unsigned tensor) const {
  do
    --level;
  while (!levels[level].keeps[tensor]);
  return level;
}

bool FlatNest::shares(unsigned loop, unsigned tensor) const {
  const FlatLoop &l = parallel[loop];
  const Axis &axis = arrays[l.array].place->axes[l.axis];
  return axis.shares(tensor, tensor == output);
}

/// Steps without one of their own are the product of the factors further in.
static void resolveSteps(FlatNest &flat) {
  std::vector<FlatLoop *> loops;
  for (std::vector<FlatLoop> *list : {&flat.temporal, &flat.parallel})
    for (FlatLoop &loop : *list) {
      loops.resize(std::max<size_t>(loops.size(), loop.order + 1));
      loops[loop.order] = &loop;
    }
  std::vector<int64_t> step(flat.nest->dims.size(), 1);
  for (auto it = loops.rbegin(); it != loops.rend(); ++it)
    for (FlatDrive &drive : (*it)->drives)
      if (drive.step == 0) {
        drive.step = step[drive.dim];
        step[drive.dim] *= (*it)->factor;
      }
}

static void resolveStrides(FlatNest &flat) {
  for (const FlatArray &array : flat.arrays) {
    llvm::SmallVector<int64_t, 4> stride(array.place->axes.size(), 1);
    for (unsigned i = array.end; i-- > array.begin;) {
      FlatLoop &loop = flat.parallel[i];
      loop.stride = stride[loop.axis];
      stride[loop.axis] *= loop.factor;
    }
  }
}

static void addLoops(FlatNest &flat, const Place &place) {
  bool array = place.kind == PlaceKind::Array;
  for (const Loop &loop : place.loops) {
    if (loop.factor == 1)
      continue;
    FlatLoop result;
    result.factor = loop.factor;
    result.order = flat.temporal.size() + flat.parallel.size();
    for (const Drive &drive : loop.drives) {
      flat.plainLoops &= !drive.step && loop.drives.size() == 1;
      if (!drive.step || *drive.step != 0)
        result.drives.push_back({drive.dim, drive.step.getValueOr(0)});
    }
    result.array = array ? flat.arrays.size() : 0;
    result.axis = loop.axis;
    (array ? flat.parallel : flat.temporal).push_back(std::move(result));
  }
}

static void addPlace(FlatNest &flat, const Place &place) {
  unsigned begin = flat.parallel.size();
  if (place.kind == PlaceKind::Memory) {
    FlatLevel level{unsigned(flat.temporal.size()), begin, unsigned(flat.temporal.size() + begin),
                    llvm::SmallVector<bool, 8>(flat.nest->tensors.size(), false)};
    for (unsigned tensor : place.keep)
      level.keeps[tensor] = true;
    flat.levels.push_back(level);
    flat.memories.push_back(&place);
  }
  addLoops(flat, place);
  if (place.kind == PlaceKind::Array)
    flat.arrays.push_back({&place, begin, unsigned(flat.parallel.size())});
}

llvm::Optional<FlatNest> loopnest::flatten(const Nest &nest, std::vector<AnalysisError> &errors) {
  size_t before = errors.size();
  checkStructure(nest, errors);
  if (errors.size() == before)
    checkCoverage(nest, errors);
  if (errors.size() != before)
    return llvm::None;
  FlatNest flat;
  flat.nest = &nest;
  for (unsigned t = 0; t < nest.tensors.size(); ++t)
    if (nest.tensors[t].isOutput)
      flat.output = t;
  for (const Place &place : nest.places)
    addPlace(flat, place);
  unsigned temporal = flat.temporal.size(), parallel = flat.parallel.size();
  flat.levels.push_back({temporal, parallel, temporal + parallel,
                         llvm::SmallVector<bool, 8>(nest.tensors.size(), true)});
  resolveSteps(flat);
  resolveStrides(flat);
  return flat;
}
