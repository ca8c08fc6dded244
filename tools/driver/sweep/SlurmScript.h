// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Slurm job array for a sweep: one task per shard, each with a file of results of its own, so
// that a task that is killed is submitted again and goes on.
#ifndef PERFC_TOOLS_DRIVER_SWEEP_SLURMSCRIPT_H
#define PERFC_TOOLS_DRIVER_SWEEP_SLURMSCRIPT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace perfc::driver {

/// The script for `tasks` shards of the sweep in `file`. Results go to DATABASE.1, DATABASE.2, …;
/// `options` are passed on as they are.
std::string slurmScript(llvm::StringRef file, llvm::StringRef database, unsigned tasks,
                        llvm::ArrayRef<std::string> options);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_SWEEP_SLURMSCRIPT_H
