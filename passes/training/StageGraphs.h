// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each pipeline stage runs of a graph that is evaluated: a graph of its own, with its share of
// the layers (the iterations of repeats) and the weights and caches that these read.
#ifndef PERFC_PASSES_TRAINING_STAGEGRAPHS_H
#define PERFC_PASSES_TRAINING_STAGEGRAPHS_H

#include "ir/core/Module.h"

namespace perfc::passes {

/// As many layers for each stage, the first ones one more where that is not even; by stage and
/// kind, of each of which there are `counts`. There are as many layers as stages.
std::vector<std::vector<int64_t>> dealEvenly(llvm::ArrayRef<int64_t> counts, int64_t stages);

/// The graphs of the stages, SYMBOL__stage_0 and so on, behind each other in front of `before`.
/// What a stage hands on, also for stages behind the next, is what its graph returns, and stands in
/// the next one as inputs. None where there are fewer layers than stages.
std::vector<ir::Operation *> stageGraphs(ir::Module &module, const ir::OpRegistry &registry,
                                         const ir::Operation &graph, int64_t stages,
                                         ir::Operation &before);

} // namespace perfc::passes

#endif // PERFC_PASSES_TRAINING_STAGEGRAPHS_H
