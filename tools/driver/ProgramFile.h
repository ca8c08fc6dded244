// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that a command is given as a program. Where it is plainly of another tool, the mistake
// is named once, with the way to read it, instead of a syntax error in each line.
#ifndef PERFC_TOOLS_DRIVER_PROGRAMFILE_H
#define PERFC_TOOLS_DRIVER_PROGRAMFILE_H

#include "tools/driver/Session.h"

namespace perfc::driver {

/// True for text of the IR, by its name.
inline bool isModuleFile(llvm::StringRef path) { return path.endswith(".ir"); }

/// Loads a program; 0 when it cannot be read or is a file of another tool (reported). What ends in
/// `.perf` is a program, whatever it holds.
FileId loadProgramFile(Session &session, llvm::StringRef path);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_PROGRAMFILE_H
