// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timeloop inputs on the command line: evaluated as the tool evaluates them, printed as a table or
// as JSON.
#ifndef PERFC_TOOLS_DRIVER_TIMELOOP_TIMELOOP_H
#define PERFC_TOOLS_DRIVER_TIMELOOP_TIMELOOP_H

#include "backends/emit/Json.h"
#include "backends/loopnest/timeloop/Result.h"
#include "frontend/import/yaml/Document.h"
#include "tools/driver/Session.h"

namespace perfc::driver {

/// The document of the files at `paths`, their templates replaced; null after a report.
std::unique_ptr<yaml::Document> loadTimeloop(Session &session, llvm::ArrayRef<std::string> paths);

/// `perfc run INPUT.yaml --from timeloop --mode timeloop`; an input without a mapping is searched.
bool runTimeloop(Session &session, const Arguments &arguments);
/// `perfc run FILE.perf --mode timeloop`: every loop nest that the statements lead to.
bool runNestsAsTimeloop(Session &session, const Arguments &arguments);

/// `perfc search INPUT.yaml --from timeloop --mode timeloop`.
bool searchTimeloop(Session &session, const Arguments &arguments);
bool searchTimeloop(Session &session, const Arguments &arguments, const yaml::Document &document);

/// Why the energy of `result` is not known, where it names levels without.
std::string energyReason(const timeloop::Result &result);
/// A result as docs/output.md describes it.
emit::Json timeloopJson(const timeloop::Input &input, const timeloop::Result &result);
void printTimeloop(Session &session, const timeloop::Input &input, const timeloop::Result &result);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_TIMELOOP_TIMELOOP_H
