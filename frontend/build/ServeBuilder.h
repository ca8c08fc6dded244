// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a `serve` says: its words become the attributes and parts of a study.serve
// (ir/study/ServeOps.h), and the model is built in the sizes at which batches are costed
// (docs/serving.md).
#ifndef PERFC_FRONTEND_BUILD_SERVEBUILDER_H
#define PERFC_FRONTEND_BUILD_SERVEBUILDER_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Fills `serve`, which stands nowhere yet, with what `statement` says, a `serve`, without the
/// graphs, on the chip or system `chip`; false after a report. What cannot be run yet goes to the
/// context's list.
bool buildServeParts(BuildContext &context, const Node &statement, llvm::StringRef chip,
                     ir::Operation &serve);

/// Builds `model` in the sizes that batches of `serve` may have and adds them as its samples. The
/// symbol of the first; nothing after a report.
llvm::Optional<std::string> buildSamples(BuildContext &context, const Instance &model, DType dtype,
                                         ir::Operation &serve);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_SERVEBUILDER_H
