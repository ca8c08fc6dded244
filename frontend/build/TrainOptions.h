// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a `train` says besides its strategy: how tokens choose experts, adapters, failures and
// checkpoints, prices, the provider of kernel times. Each becomes an entry of the settings of
// study.train (passes/training/Strategy.h, backends/training/Reliability.h).
#ifndef PERFC_FRONTEND_BUILD_TRAINOPTIONS_H
#define PERFC_FRONTEND_BUILD_TRAINOPTIONS_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Reads the options of `statement` into `settings`; false after a report.
bool readTrainOptions(BuildContext &context, const Node &statement, ir::AttrDict &settings);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_TRAINOPTIONS_H
