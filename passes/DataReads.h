// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads through indices that are data: `table[ids[t], d]`, the weights of the experts that a router
// chooses. N keys lead to at most N different rows, and to no more than there are. Where the op
// says how the keys are drawn, it is the number expected: with groups of c keys that differ among
// themselves (c = 1 where nothing says so), and row i in a group with the probability p_i,
//     rows = sum over i of 1 - (1 - p_i)^(N / c)
// Of keys that are balanced or follow a power law, passes/analysis/ExpertLoads.h says how many.
// p_i = c / R for R rows that are drawn alike, which makes R (1 - (1 - c / R)^(N / c)); by Zipf's
// law p_i is that of Routing.h.
#ifndef PERFC_PASSES_DATAREADS_H
#define PERFC_PASSES_DATAREADS_H

#include "ir/op/OpOps.h"

namespace perfc {
namespace passes {

/// True when a subscript of `access` depends on data.
bool dependsOnData(const ir::AttrDict &access);

/// Elements that `access`, one of `statement` that depends on data, touches: at most, or expected
/// where its keys are drawn.
int64_t touchedByData(op::StatementOp statement, const ir::AttrDict &access);

/// Different rows expected of `rows` when `count` keys of `keys` are read, which says how they are
/// drawn.
double expectedRows(op::OperandOp keys, double count, int64_t rows);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_DATAREADS_H
