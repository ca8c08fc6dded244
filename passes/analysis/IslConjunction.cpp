// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/IslConjunction.h"

#include <isl/constraint.h>
#include <isl/space.h>
#include <isl/val.h>

using namespace perfc;

IslConjunction::IslConjunction(isl_ctx *context, unsigned dims)
    : context(context), space(isl_local_space_from_space(isl_space_set_alloc(context, 0, dims))),
      set(isl_basic_set_universe(isl_space_set_alloc(context, 0, dims))) {}

IslConjunction::~IslConjunction() {
  isl_local_space_free(space);
  isl_basic_set_free(set);
}

void IslConjunction::add(bool isEquality, const Terms &terms, int64_t constant) {
  isl_constraint *row = (isEquality ? isl_constraint_alloc_equality
                                    : isl_constraint_alloc_inequality)(isl_local_space_copy(space));
  for (auto [at, coefficient] : terms) {
    isl_val *old = isl_constraint_get_coefficient_val(row, isl_dim_set, int(at));
    isl_val *sum = isl_val_add(old, isl_val_int_from_si(context, coefficient));
    row = isl_constraint_set_coefficient_val(row, isl_dim_set, int(at), sum);
  }
  row = isl_constraint_set_constant_val(row, isl_val_int_from_si(context, constant));
  set = isl_basic_set_add_constraint(set, row);
}

void IslConjunction::within(const Terms &terms, int64_t constant, int64_t end) {
  add(false, terms, constant);
  Terms negative = terms;
  for (auto &term : negative)
    term.second = -term.second;
  add(false, negative, end - 1 - constant);
}
