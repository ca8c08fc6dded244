// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `place matmul, softmax on die.MMA` in an `evaluate`: the kernels that an array or unit of the
// chip runs. A name is that of an op, or that of a module for all ops that it declares.
#ifndef PERFC_FRONTEND_BUILD_PLACEBUILDER_H
#define PERFC_FRONTEND_BUILD_PLACEBUILDER_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Adds a study.place to `evaluate` for each `place` of `statement`. False after a report: a name
/// that the graph has no op of (PERF0685), no place. Whether the chip has the place is for the pass
/// `place` to say.
bool buildPlaces(BuildContext &context, const Node &statement, const BuiltGraph &graph,
                 ir::Operation &evaluate);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_PLACEBUILDER_H
