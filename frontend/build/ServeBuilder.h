// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a `serve` says: its words become the settings of study.serve, which
// backends/serving/Settings.h reads, and the model is built in the sizes at which batches are
// costed (docs/serving.md).
#ifndef PERFC_FRONTEND_BUILD_SERVEBUILDER_H
#define PERFC_FRONTEND_BUILD_SERVEBUILDER_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// The settings of `statement`, a `serve`, without the graphs; nothing after a report. What cannot
/// be run yet goes to the context's list.
llvm::Optional<ir::AttrDict> serveSettings(BuildContext &context, const Node &statement);

/// Builds `model` in the sizes that batches with these settings may have and adds them as
/// `samples`. The symbol of the first; nothing after a report.
llvm::Optional<std::string> buildSamples(BuildContext &context, const Instance &model, DType dtype,
                                         ir::AttrDict &settings);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_SERVEBUILDER_H
