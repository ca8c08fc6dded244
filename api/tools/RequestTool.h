// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that serves the requests of a `serve`: it is given their arrivals and lengths, and says of
// each when it was taken in, had its first token and was done. What follows from these times is
// counted as for perfc's own run; batches, the cache and energy are not known.
#ifndef PERFC_API_TOOLS_REQUESTTOOL_H
#define PERFC_API_TOOLS_REQUESTTOOL_H

#include "api/tools/Tools.h"
#include "backends/core/Outcome.h"
#include "backends/serving/Model.h"
#include "backends/serving/Requests.h"

namespace perfc::api {

/// What a tool is asked.
struct RequestQuery {
  const ir::Module &module;
  study::ServeOp serve;
  const serving::ServedModel &model;
  llvm::ArrayRef<serving::Request> requests;
  std::string data; ///< the folder of the tool's own data; "" where it finds it itself
};

/// `serve`, of `module`, as `tool` has it; nothing after a report.
llvm::Optional<Outcome> serveByTool(const Tool &tool, const ir::Module &module,
                                    study::ServeOp serve, ProviderSet &providers,
                                    DiagnosticEngine &diagnostics);

} // namespace perfc::api

#endif // PERFC_API_TOOLS_REQUESTTOOL_H
