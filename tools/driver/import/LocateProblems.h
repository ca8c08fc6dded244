// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that was made of a file of another tool is nothing that the user has seen: what is
// wrong with it is shown in that file.
#ifndef PERFC_TOOLS_DRIVER_IMPORT_LOCATEPROBLEMS_H
#define PERFC_TOOLS_DRIVER_IMPORT_LOCATEPROBLEMS_H

#include "tools/driver/Session.h"

namespace perfc::driver {

/// Shows the diagnostics about `program`, which was made of `inputs` in `format` ("timeloop" or
/// "maestro"; those of others stay), at places of the inputs, with a note of where they were.
void locateProblems(Session &session, llvm::StringRef format, llvm::ArrayRef<FileId> inputs,
                    FileId program);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_IMPORT_LOCATEPROBLEMS_H
