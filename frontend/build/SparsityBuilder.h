// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The zeros of an evaluation: `tensor A { density 50%; format bitmask }`, `skip B when A == 0`,
// `gate B when A == 0`. They become the attributes `sparsity` and `savings` of study.evaluate.
#ifndef PERFC_FRONTEND_BUILD_SPARSITYBUILDER_H
#define PERFC_FRONTEND_BUILD_SPARSITYBUILDER_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Sets the attributes on `evaluate` where `statement` asks for them; a tensor is one of any kernel
/// of `graph`, a memory one of `target`. False when something is wrong (reported).
bool buildSparsity(BuildContext &context, const Node &statement, const BuiltGraph &graph,
                   const BuiltTarget &target, ir::Operation &evaluate);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_SPARSITYBUILDER_H
