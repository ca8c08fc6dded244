// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a `train` says besides its strategy: how tokens choose experts, adapters, failures and
// checkpoints, prices, the provider of kernel times, as attributes and parts of a study.train.
#ifndef PERFC_FRONTEND_BUILD_TRAINOPTIONS_H
#define PERFC_FRONTEND_BUILD_TRAINOPTIONS_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Adds the options of `statement` to `train`; false after a report.
bool buildTrainOptions(BuildContext &context, const Node &statement, const ir::Operation &target,
                       ir::Operation &train);

/// Sets `using` of `made`, a study.train or study.serve, to the provider of kernel times that
/// `node` names, or `tool` of a study.serve; false after a report.
bool buildStepProvider(BuildContext &context, const Node &node, ir::Operation &made);

/// Sets what `routing` in `experts`, a block of `train` or `serve`, says of the study.experts
/// `into`.
void readRouting(BuildContext &context, const Node &experts, ir::Operation &into);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_TRAINOPTIONS_H
