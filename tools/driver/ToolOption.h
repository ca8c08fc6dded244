// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--tool TOOL`: another tool among the providers of costs (api/tools).
#ifndef PERFC_TOOLS_DRIVER_TOOLOPTION_H
#define PERFC_TOOLS_DRIVER_TOOLOPTION_H

#include "api/tools/Tools.h"
#include "tools/driver/Session.h"

namespace perfc::driver {

/// The tool that `--tool` names; nothing when it cannot be run here (reported).
llvm::Optional<api::Tool> chosenTool(Session &session, const Arguments &arguments);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_TOOLOPTION_H
