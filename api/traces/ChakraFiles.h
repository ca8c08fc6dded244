// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chakra traces, a file for each rank, as text of the language: with all nodes, or in sum.
#ifndef PERFC_API_TRACES_CHAKRAFILES_H
#define PERFC_API_TRACES_CHAKRAFILES_H

#include "api/traces/Traces.h"
#include "backends/network/chakra/TraceReader.h"

namespace perfc::api {

/// The trace of rank `rank`, whose nodes wait for no node that it does not have; nothing after a
/// report. Edges to such nodes are an error, or with `dropsMissing` left out with a warning.
llvm::Optional<chakra::Trace> readTraceFile(Context context, const std::string &path, uint32_t rank,
                                            bool dropsMissing);
/// Leaves out the edges to nodes that `trace` does not have, with a warning where there are some.
void dropMissing(Context context, chakra::Trace &trace, uint32_t rank);

/// `text` of a file as a comment can hold it.
std::string inComment(llvm::StringRef text);
/// "x.0.et: schema 0.0.4", as a comment can hold it.
std::string fileComment(const chakra::Trace &trace);

/// The files by the ranks that their names say; as they stand where names do not say ranks 0 to
/// n - 1, with a warning where one says another rank than it gets.
std::vector<std::string> byRank(Context context, llvm::ArrayRef<std::string> files);

/// A byte of a file that is no text, such as a trace.
SourceRange bytePlace(SourceManager &sources, const std::string &path, uint64_t offset);
/// The record of `node` in the file of its trace.
SourceRange recordPlace(SourceManager &sources, const chakra::Trace &trace,
                        const chakra::Node &node);
/// Reports at its byte what is wrong with the trace of `path`.
void reportBadTrace(Context context, const std::string &path, const WireError &error);

/// Writes a program with what the files do in sum.
bool summarizeChakra(Context context, llvm::ArrayRef<std::string> files, bool dropsMissing,
                     std::string &text);

} // namespace perfc::api

#endif // PERFC_API_TRACES_CHAKRAFILES_H
