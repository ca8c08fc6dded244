// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapspaces to loopnest.mapspace: one for each kernel that the mapspace serves. A hole that no
// divisor of its index can fill is a mistake of the file, and is said here, where it stands.
#ifndef PERFC_FRONTEND_BUILD_MAPSPACEBUILDER_H
#define PERFC_FRONTEND_BUILD_MAPSPACEBUILDER_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Builds a loopnest.mapspace for each kernel of `graph` that `mapspace` serves on `chip`; appends
/// their symbols. False after a report.
bool buildMapspaces(BuildContext &context, const Instance &mapspace, const BuiltGraph &graph,
                    const BuiltTarget &chip, std::vector<std::string> &symbols);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_MAPSPACEBUILDER_H
