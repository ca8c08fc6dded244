// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool is given of an operation: files for its folder, and its words on the command line. A
// function for each tool writes them, of what perfc has lowered for the provider that it replaces.
#ifndef PERFC_API_TOOLS_TOOLINPUT_H
#define PERFC_API_TOOLS_TOOLINPUT_H

#include "backends/core/CostProvider.h"

namespace perfc::api {

struct ToolInput {
  std::vector<std::pair<std::string, std::string>> files; ///< names and texts
  std::vector<std::string> arguments;
  std::string label;   ///< of the operation
  std::string mapping; ///< "" for none
  /// By perfc's own model of the tool, where it has one beside the provider: cycles, and J.
  llvm::Optional<double> cycles, energy;
};

/// Nothing where the tool has no words for the operation (reported). `asksModel` also fills in what
/// perfc's own model of it says.
using ToolInputWriter = llvm::Optional<ToolInput> (*)(const CostQuery &query, bool asksModel,
                                                      DiagnosticEngine &diagnostics);

/// A loop nest, for `timeloop-model`.
llvm::Optional<ToolInput> timeloopInput(const CostQuery &query, bool asksModel,
                                        DiagnosticEngine &diagnostics);
/// A layer with its dataflow; the chip is options.
llvm::Optional<ToolInput> maestroInput(const CostQuery &query, bool asksModel,
                                       DiagnosticEngine &diagnostics);
/// A collective of all ranks of a system: networks, system, and a trace for each rank.
llvm::Optional<ToolInput> astraSimInput(const CostQuery &query, bool asksModel,
                                        DiagnosticEngine &diagnostics);
/// A layer on a systolic array that runs it in its own order: a configuration and a topology.
llvm::Optional<ToolInput> scaleSimInput(const CostQuery &query, bool asksModel,
                                        DiagnosticEngine &diagnostics);

} // namespace perfc::api

#endif // PERFC_API_TOOLS_TOOLINPUT_H
