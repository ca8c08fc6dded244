// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs of a `serve`, one for each pool: what its stages run for a batch. It is written for
// the sizes of one sample, and its parameters are the numbers of a batch: the tokens that it reads,
// the requests that make a token each, and the contexts that they and the chunks of prompts have
// before them. Kernels of a context run for these requests together and for each chunk, all others
// once for all tokens.
#ifndef PERFC_PASSES_TRAINING_SERVINGPROGRAM_H
#define PERFC_PASSES_TRAINING_SERVINGPROGRAM_H

#include "ir/study/ServeOps.h"
#include "passes/Pass.h"

namespace perfc::passes {

/// Makes them, unless they are there, or chips and ranks do not go together (which the evaluation
/// says). False after a report.
bool scheduleServing(ir::Module &module, PassContext &context, study::ServeOp serve);

} // namespace perfc::passes

#endif // PERFC_PASSES_TRAINING_SERVINGPROGRAM_H
