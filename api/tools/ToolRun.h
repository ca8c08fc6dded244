// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One question to a tool: its input in a folder of its own, a run there within its limits, and what
// it has written.
#ifndef PERFC_API_TOOLS_TOOLRUN_H
#define PERFC_API_TOOLS_TOOLRUN_H

#include "api/tools/Tools.h"

namespace perfc::api {

/// Runs `tool` on `input`; `read` sees the folder after it, which then goes. Why it failed, or "".
std::string askTool(const Tool &tool, const ToolInput &input,
                    llvm::function_ref<void(llvm::StringRef folder)> read);

} // namespace perfc::api

#endif // PERFC_API_TOOLS_TOOLRUN_H
