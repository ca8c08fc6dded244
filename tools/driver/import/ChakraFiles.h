// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two ways of importing Chakra traces share: a program with all nodes, or a summary.
#ifndef PERFC_TOOLS_DRIVER_IMPORT_CHAKRAFILES_H
#define PERFC_TOOLS_DRIVER_IMPORT_CHAKRAFILES_H

#include "backends/network/chakra/TraceReader.h"
#include "tools/driver/Session.h"

namespace perfc::driver {

/// The trace of rank `rank`, whose nodes wait for no node that it does not have; nothing after a
/// report. Edges to such nodes are an error, or with `dropsMissing` left out with a warning.
llvm::Optional<chakra::Trace> readTraceFile(Session &session, const std::string &path,
                                            uint32_t rank, bool dropsMissing);
/// Leaves out the edges to nodes that `trace` does not have, with a warning where there are some.
void dropMissing(Session &session, chakra::Trace &trace, uint32_t rank);

/// `text` of a file as a comment can hold it.
std::string inComment(llvm::StringRef text);
/// "x.0.et: schema 0.0.4", as a comment can hold it.
std::string fileComment(const chakra::Trace &trace);

/// Writes a program with what the files do in sum.
bool summarizeChakra(Session &session, llvm::ArrayRef<std::string> files, bool dropsMissing,
                     std::string &text);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_IMPORT_CHAKRAFILES_H
