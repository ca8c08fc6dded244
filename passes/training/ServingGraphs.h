// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graphs of a `serve`: the model in the sizes at which batches are costed, each as the part
// that one rank runs: of the tensor-parallel ones, and of those among which experts are divided.
#ifndef PERFC_PASSES_TRAINING_SERVINGGRAPHS_H
#define PERFC_PASSES_TRAINING_SERVINGGRAPHS_H

#include "ir/study/ServeOps.h"
#include "passes/Pass.h"

namespace perfc::passes {

/// Divides the samples of the study.serve `serve` among the ranks of each pool: copies of the
/// graphs take their places, since other statements may read those. False after a report.
bool shardServing(ir::Module &module, PassContext &context, study::ServeOp serve);

} // namespace perfc::passes

#endif // PERFC_PASSES_TRAINING_SERVINGGRAPHS_H
