// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph that one evaluation alone runs, for passes that change it by what the evaluation says.
#ifndef PERFC_PASSES_OWNGRAPH_H
#define PERFC_PASSES_OWNGRAPH_H

#include "ir/core/Module.h"
#include "ir/study/StudyOps.h"

namespace perfc {
namespace passes {

/// The graph of `evaluate`, which becomes a copy where other evaluations run it as well. Null where
/// it runs a kernel.
ir::Operation *ownGraph(ir::Module &module, study::EvaluateOp evaluate);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_OWNGRAPH_H
