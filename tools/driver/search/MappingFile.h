// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--mapping OUT.perf`: the best mappings of all searches as a module. It imports the file that was
// searched, for its ops and chips, and of the library what else the mappings name, so that a third
// file imports both and evaluates with them. A program that has no file of its own (standard input,
// inputs of another tool) is copied, without its statements.
#ifndef PERFC_TOOLS_DRIVER_SEARCH_MAPPINGFILE_H
#define PERFC_TOOLS_DRIVER_SEARCH_MAPPINGFILE_H

#include "api/Evaluation.h"
#include "tools/driver/Session.h"

namespace perfc::driver {

/// Writes the mappings of `evaluation`, of the program in `root`, to `path`; false after a report.
bool writeMappings(Session &session, const api::Evaluation &evaluation, FileId root,
                   llvm::StringRef path);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_SEARCH_MAPPINGFILE_H
