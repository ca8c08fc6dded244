// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `replay`: the traces of a program on a system, timed as ASTRA-sim times them.
#ifndef PERFC_API_ASTRA_REPLAY_H
#define PERFC_API_ASTRA_REPLAY_H

#include "api/Context.h"
#include "backends/core/Outcome.h"
#include "backends/network/astra/Simulation.h"
#include "ir/core/Module.h"

namespace perfc::api {

/// The cost of the study.replay `op`: latency is the end of the last rank, the breakdown has a part
/// for ranks that take the same. It runs on `given`, or where that is null on what ASTRA-sim's
/// inputs say of the system. Nothing after a report.
llvm::Optional<Outcome> replayTrace(Context &context, const ir::Module &module,
                                    const ir::Operation &op, const astra::Cluster *given);

} // namespace perfc::api

#endif // PERFC_API_ASTRA_REPLAY_H
