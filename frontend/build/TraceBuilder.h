// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the collective.trace of a `trace`.
#ifndef PERFC_FRONTEND_BUILD_TRACEBUILDER_H
#define PERFC_FRONTEND_BUILD_TRACEBUILDER_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// The symbol of what `trace` became; nothing after a report.
llvm::Optional<std::string> buildTrace(BuildContext &context, const Instance &trace);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_TRACEBUILDER_H
