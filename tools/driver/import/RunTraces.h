// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `perfc run PREFIX --from chakra --network N.yml --system S.json`: traces on a cluster, timed as
// ASTRA-sim times them.
#ifndef PERFC_TOOLS_DRIVER_IMPORT_RUNTRACES_H
#define PERFC_TOOLS_DRIVER_IMPORT_RUNTRACES_H

#include "backends/network/astra/Simulation.h"
#include "tools/driver/Session.h"

namespace perfc::driver {

/// The cluster that the options describe; false after a report. `command` is what needs them.
bool readCluster(Session &session, const Arguments &arguments, llvm::StringRef command,
                 astra::Cluster &cluster);

/// Runs the traces and prints the result; mistakes go to the session's diagnostics.
bool runTraces(Session &session, const Arguments &arguments);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_IMPORT_RUNTRACES_H
