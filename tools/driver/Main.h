// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command itself: finds the command in the arguments, runs it, and turns everything that can go
// wrong into an exit status. A defect of perfc ends in one line and status 3, never in a stack
// trace.
#ifndef PERFC_TOOLS_DRIVER_MAIN_H
#define PERFC_TOOLS_DRIVER_MAIN_H

namespace perfc::driver {

/// Says that the memory does not suffice, and ends the process.
[[noreturn]] void endWithoutMemory();

/// The exit status of `perfc` for these arguments.
int perfcMain(int argc, char **argv);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_MAIN_H
