// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/IslText.h"

#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

using namespace perfc;
using namespace perfc::passes;

struct IslTexts::Context {
  isl_ctx *ctx = isl_ctx_alloc();
  ~Context() { isl_ctx_free(ctx); }
};

IslTexts::IslTexts() : context(std::make_unique<Context>()) {
  isl_options_set_on_error(context->ctx, ISL_ON_ERROR_CONTINUE);
}

IslTexts::~IslTexts() = default;

static std::string take(char *text) {
  std::string result = text ? text : "";
  free(text);
  return result;
}

/// The name of the statement's tuple: that of the operator, as far as isl can read it.
static std::string tupleName(const Statement &statement) {
  std::string name;
  llvm::StringRef op = ir::as<op::KernelOp>(statement.op->parentOp()).declaration();
  for (char c : op)
    name += isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (name.empty() || isdigit(static_cast<unsigned char>(name[0])))
    name = "_" + name;
  return name;
}

static isl_val *value(isl_ctx *ctx, int64_t number) { return isl_val_int_from_si(ctx, number); }

static __isl_give isl_space *nameDims(__isl_take isl_space *space, isl_dim_type type,
                                      const Statement &statement) {
  for (unsigned i = 0; i < statement.names.size(); ++i)
    space = isl_space_set_dim_name(space, type, i, statement.names[i].c_str());
  return isl_space_set_tuple_name(space, type, tupleName(statement).c_str());
}

std::string IslTexts::domain(const Statement &statement) {
  isl_ctx *ctx = context->ctx;
  auto count = static_cast<unsigned>(statement.names.size());
  isl_space *space = nameDims(isl_space_set_alloc(ctx, 0, count), isl_dim_set, statement);
  isl_set *set = isl_set_universe(isl_space_copy(space));
  for (unsigned i = 0; i < count; ++i) {
    set = isl_set_lower_bound_val(set, isl_dim_set, i, value(ctx, 0));
    set = isl_set_upper_bound_val(set, isl_dim_set, i, value(ctx, statement.extents[i] - 1));
  }
  isl_local_space *local = isl_local_space_from_space(space);
  for (const AffineExpr &condition : statement.op.constraints()) {
    isl_constraint *row = isl_constraint_alloc_inequality(isl_local_space_copy(local));
    row = isl_constraint_set_constant_val(row, value(ctx, condition.constant()));
    for (unsigned i = 0; i < count; ++i)
      row =
          isl_constraint_set_coefficient_val(row, isl_dim_set, static_cast<int>(i),
                                             value(ctx, condition.coefficient(statement.names[i])));
    set = isl_set_add_constraint(set, row);
  }
  isl_local_space_free(local);
  std::string text = take(isl_set_to_str(set));
  isl_set_free(set);
  return text;
}

/// Smallest and largest value of `rank` over the box of the domain.
static std::pair<int64_t, int64_t> range(const Subscript &rank, const Statement &statement) {
  int64_t low = rank.constant, high = rank.constant;
  for (const auto &term : rank.terms) {
    int64_t reach = term.second * (statement.extents[term.first] - 1);
    (term.second < 0 ? low : high) += reach;
  }
  return {low, high};
}

std::string IslTexts::access(const Statement &statement, const Access &access) {
  isl_ctx *ctx = context->ctx;
  auto in = static_cast<unsigned>(statement.names.size());
  auto out = static_cast<unsigned>(access.ranks.size());
  isl_space *space = nameDims(isl_space_alloc(ctx, 0, in, out), isl_dim_in, statement);
  space = isl_space_set_tuple_name(space, isl_dim_out, access.tensor.str().c_str());
  isl_map *map = isl_map_universe(isl_space_copy(space));
  isl_local_space *local = isl_local_space_from_space(space);
  for (unsigned r = 0; r < out; ++r) {
    const Subscript &rank = access.ranks[r];
    if (!rank.dataDependent) {
      isl_constraint *row = isl_constraint_alloc_equality(isl_local_space_copy(local));
      row = isl_constraint_set_constant_val(row, value(ctx, rank.constant));
      for (const auto &term : rank.terms)
        row = isl_constraint_set_coefficient_val(row, isl_dim_in, static_cast<int>(term.first),
                                                 value(ctx, term.second));
      row = isl_constraint_set_coefficient_si(row, isl_dim_out, static_cast<int>(r), -1);
      map = isl_map_add_constraint(map, row);
    }
    auto [low, high] = range(rank, statement);
    if (rank.dataDependent || low < 0)
      map = isl_map_lower_bound_val(map, isl_dim_out, r, value(ctx, 0));
    if (rank.dataDependent || high >= access.shape[r])
      map = isl_map_upper_bound_val(map, isl_dim_out, r, value(ctx, access.shape[r] - 1));
  }
  isl_local_space_free(local);
  std::string text = take(isl_map_to_str(map));
  isl_map_free(map);
  return text;
}
