// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/exact/NestSets.h"
#include "passes/analysis/IslConjunction.h"
#include <isl/constraint.h>
#include <isl/local_space.h>
#include <isl/space.h>
#include <isl/val.h>

using namespace perfc;
using namespace perfc::loopnest;

IslSet loopnest::without(const IslSet &set, unsigned first, unsigned count) {
  return isl_set_project_out(set.take(), isl_dim_set, first, count);
}

IslSet loopnest::withAny(const IslSet &set, unsigned first, unsigned count) {
  return isl_set_insert_dims(set.take(), isl_dim_set, first, count);
}

IslSet loopnest::difference(const IslSet &a, const IslSet &b) {
  return isl_set_subtract(a.take(), b.take());
}

IslSet loopnest::intersection(const IslSet &a, const IslSet &b) {
  return isl_set_intersect(a.take(), b.take());
}

IslSet loopnest::image(const IslSet &set, const IslMap &map) {
  return isl_set_apply(set.take(), map.take());
}

IslMap loopnest::withElements(const IslMap &map, unsigned dims) {
  isl_ctx *context = isl_map_get_ctx(map.get());
  IslMap same = isl_map_identity(isl_space_alloc(context, 0, dims, dims));
  return isl_map_flat_product(map.take(), std::move(same).take());
}

/// The loops that drive each dimension: coordinate of (t, p) and step.
static std::vector<IslConjunction::Terms> drivesOf(const FlatNest &flat) {
  std::vector<IslConjunction::Terms> drives(flat.nest->dims.size());
  unsigned at = 0;
  for (const std::vector<FlatLoop> *list : {&flat.temporal, &flat.parallel})
    for (const FlatLoop &loop : *list) {
      for (const FlatDrive &drive : loop.drives)
        drives[drive.dim].push_back({at, drive.step});
      ++at;
    }
  return drives;
}

static void addBox(IslConjunction &rows, llvm::ArrayRef<FlatLoop> loops, unsigned at) {
  for (const FlatLoop &loop : loops)
    rows.within({{at++, 1}}, 0, loop.factor);
}

NestSets::NestSets(isl_ctx *context, const FlatNest &flat) : context(context), flat(flat) {
  IslConjunction rows(context, unsigned(flat.temporal.size() + flat.parallel.size()));
  addBox(rows, flat.temporal, 0);
  addBox(rows, flat.parallel, unsigned(flat.temporal.size()));
  std::vector<IslConjunction::Terms> drives = drivesOf(flat);
  for (unsigned d = 0; d < drives.size(); ++d)
    rows.within(drives[d], 0, flat.nest->dims[d].size);
  for (const Subscript &condition : flat.nest->conditions) {
    IslConjunction::Terms terms;
    for (const Term &term : condition.terms)
      for (auto [loop, step] : drives[term.dim])
        terms.push_back({loop, step * term.coefficient});
    rows.add(false, terms, condition.constant);
  }
  all = rows.take();
}

IslSet NestSets::box(unsigned level) const {
  unsigned epochs = epochDims(level), instances = instanceDims(level);
  IslConjunction rows(context, epochs + instances);
  addBox(rows, llvm::makeArrayRef(flat.temporal).take_front(epochs), 0);
  addBox(rows, llvm::makeArrayRef(flat.parallel).take_front(instances), epochs);
  return rows.take();
}

/// Of { (t, p, …) }, the loops outside `level` and what follows the loops.
static IslSet outside(const IslSet &set, const FlatNest &flat, unsigned level) {
  unsigned temporal = unsigned(flat.temporal.size()), parallel = unsigned(flat.parallel.size());
  const FlatLevel &here = flat.levels[level];
  IslSet result = without(set, temporal + here.parallel, parallel - here.parallel);
  return without(result, here.temporal, temporal - here.temporal);
}

IslSet NestSets::active(unsigned level) const { return outside(all, flat, level); }

IslSet NestSets::tile(unsigned level, unsigned tensor) const {
  unsigned loops = unsigned(flat.temporal.size() + flat.parallel.size());
  IslConjunction rows(context, loops + ranks(tensor));
  std::vector<IslConjunction::Terms> drives = drivesOf(flat);
  unsigned at = loops;
  for (const Subscript &rank : flat.nest->tensors[tensor].ranks) {
    IslConjunction::Terms terms{{at, -1}};
    for (const Term &term : rank.terms)
      for (auto [loop, step] : drives[term.dim])
        terms.push_back({loop, step * term.coefficient});
    rows.add(true, terms, rank.constant);
    if (rank.extent)
      rows.within({{at, 1}}, 0, *rank.extent);
    ++at;
  }
  return outside(intersection(rows.take(), withAny(all, loops, ranks(tensor))), flat, level);
}

IslMap NestSets::before(unsigned level) const {
  unsigned epochs = epochDims(level), instances = instanceDims(level), dims = epochs + instances;
  IslMap result = isl_map_empty(isl_space_alloc(context, 0, dims, dims));
  for (unsigned advancing = 0; advancing < epochs; ++advancing) {
    isl_map *step = isl_map_universe(isl_space_alloc(context, 0, dims, dims));
    for (unsigned c = 0; c < dims; ++c) {
      if (c < advancing || c >= epochs) {
        step = isl_map_equate(step, isl_dim_in, int(c), isl_dim_out, int(c));
      } else if (c > advancing) {
        step = isl_map_fix_si(step, isl_dim_in, c, 0);
        step = isl_map_fix_val(step, isl_dim_out, c,
                               isl_val_int_from_si(context, flat.temporal[c].factor - 1));
      } else {
        isl_constraint *row =
            isl_constraint_alloc_equality(isl_local_space_from_space(isl_map_get_space(step)));
        row = isl_constraint_set_coefficient_si(row, isl_dim_in, int(c), 1);
        row = isl_constraint_set_coefficient_si(row, isl_dim_out, int(c), -1);
        step = isl_map_add_constraint(step, isl_constraint_set_constant_si(row, -1));
      }
    }
    result = isl_map_union(std::move(result).take(), step);
  }
  IslSet bounds = box(level);
  result = isl_map_intersect_domain(std::move(result).take(), bounds.take());
  return isl_map_intersect_range(std::move(result).take(), std::move(bounds).take());
}
