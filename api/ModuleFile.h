// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules as text: what `perfc ir` prints, a module for each statement and each point of a sweep,
// is read back to the same modules, of any level.
#ifndef PERFC_API_MODULEFILE_H
#define PERFC_API_MODULEFILE_H

#include "frontend/build/Compilation.h"
#include "passes/Registry.h"

namespace perfc::api {

using Modules = std::vector<std::unique_ptr<ir::Module>>;

/// Reads and verifies the modules of a text; none when anything is wrong (reported). Operations are
/// where their `loc` says, which may be in a file that is not loaded yet or in the library.
Modules readModules(FileId file, SourceManager &sources, DiagnosticEngine &diagnostics);

/// False, reported, when one of `modules`, those of `file`, has no statement.
bool haveStatements(const Modules &modules, FileId file, DiagnosticEngine &diagnostics);

/// Prints the modules of a program that is loaded, each after `pipeline`; nothing after a report.
/// With `locations` each operation says where it comes from.
llvm::Optional<std::string> printModules(Compilation &program, const passes::Pipeline &pipeline,
                                         const SourceManager *locations,
                                         DiagnosticEngine &diagnostics);

} // namespace perfc::api

#endif // PERFC_API_MODULEFILE_H
