// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats of execution traces, a row of a table each: files become the declaration of a `trace`,
// which `replay` times on a cluster, or of a workload with all calls that were recorded. The
// command and the bindings read them through it.
#ifndef PERFC_API_TRACES_TRACES_H
#define PERFC_API_TRACES_TRACES_H

#include "api/Context.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace perfc::api {

struct TraceOptions {
  bool dropsMissing = false; ///< leaves out edges to nodes that a trace does not have
  bool isSimple = false;     ///< leaves out nodes of the host
  FileId groups = 0;         ///< members of communicator groups; 0 for those that use them
};

struct TraceFormat {
  llvm::StringLiteral name;
  llvm::StringLiteral suffix;  ///< of its files
  llvm::StringLiteral subject; ///< the name of what is declared
  bool isReplayed;             ///< it is a `trace`, not a workload
  /// Writes the declaration of `subject` and what it needs; false when a file is wrong (reported).
  bool (*read)(Context context, llvm::ArrayRef<std::string> files, const TraceOptions &options,
               std::string &declaration);
};

/// The name of the trace that is declared.
inline constexpr llvm::StringLiteral traceName = "job";

llvm::ArrayRef<TraceFormat> traceReaders();
/// Null when there is none of that name.
const TraceFormat *findTraceReader(llvm::StringRef name);

// The readers.
bool readChakra(Context context, llvm::ArrayRef<std::string> files, const TraceOptions &options,
                std::string &declaration);
/// Of one process: a trace of PyTorch's profiler, or a host execution trace of Chakra.
bool readTorchTrace(Context context, llvm::ArrayRef<std::string> files, const TraceOptions &options,
                    std::string &declaration);

} // namespace perfc::api

#endif // PERFC_API_TRACES_TRACES_H
