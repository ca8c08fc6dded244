// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a `serve` is served by: its scheduler, degrees, draft, copies that break or follow the load,
// and, where it has pools, each of these for a part of the system.
#ifndef PERFC_FRONTEND_BUILD_SERVEDEPLOYMENT_H
#define PERFC_FRONTEND_BUILD_SERVEDEPLOYMENT_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Fills `serve`, on the chip or system with the symbol `on`, with what `statement` says of it.
/// What is wrong is reported; what cannot be run yet goes to the context's list.
void buildDeployment(BuildContext &context, const Node &statement, llvm::StringRef on,
                     ir::Operation &serve);

/// Reports that `words`, a `serve` or a pool of one, lacks `word` and what else it lacks, with an
/// example of each. Arrivals that are there may bring lengths and a number of requests.
void reportMissing(DiagnosticEngine &diagnostics, const Node &words, llvm::StringRef word);

/// Makes the part of the system `whole` that `node` asks for, a pool (`on 4 * node`), of members
/// behind the first `taken` chips, which then counts its chips as well. Its symbol; nothing after a
/// report.
llvm::Optional<std::string> buildPoolSystem(BuildContext &context, const Node &node,
                                            llvm::StringRef whole, const std::string &phase,
                                            int64_t &taken);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_SERVEDEPLOYMENT_H
