// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--tool TOOL`: another tool among the providers of costs (api/tools).
#ifndef PERFC_TOOLS_DRIVER_TOOLOPTION_H
#define PERFC_TOOLS_DRIVER_TOOLOPTION_H

#include "api/Evaluation.h"
#include "api/tools/Tools.h"
#include "tools/driver/Session.h"

namespace perfc::driver {

/// What `--tool` and `--local` stand beside: of `others` none; false after a report.
bool checkToolOptions(Session &session, const Arguments &arguments,
                      llvm::ArrayRef<llvm::StringRef> others);
/// The tool that `--tool` names; nothing when it cannot be run here (reported).
llvm::Optional<api::Tool> chosenTool(Session &session, const Arguments &arguments);
/// Has statements that do not say `using` ask `tool`.
void askTool(const api::Tool &tool, api::RunOptions &options);
/// Reports where no result of `evaluation`, which has some, is of `tool`.
void checkToolAsked(Session &session, const api::Tool &tool, const api::Evaluation &evaluation);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_TOOLOPTION_H
