// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PyTorch recorded of a run: traces of its profiler (in Chrome's format, with shapes) and host
// execution traces of Chakra. Both say which operators were called with which tensors, and the
// former how long their kernels took.
#ifndef PERFC_FRONTEND_IMPORT_TRACE_TRACE_H
#define PERFC_FRONTEND_IMPORT_TRACE_TRACE_H

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/Optional.h"

namespace perfc::trace {

struct Tensor {
  std::vector<int64_t> dims;
  std::string format; ///< fp32, bf16, int64, …; "" where the trace names none of the language
};

/// An argument: a tensor, a list of them, or what the trace writes of a number, a list or a text.
struct Argument {
  std::vector<Tensor> tensors;
  std::string text;
};

/// A call of an operator; calls inside it follow it, up to `end`.
struct Call {
  std::string op; ///< aten::addmm
  std::vector<Argument> arguments;
  std::vector<Tensor> results; ///< where the trace has them
  double kernels = 0;          ///< microseconds of the kernels that it starts, but for calls inside
  double host = 0;             ///< microseconds of the call
  uint64_t ownKernels = 0;     ///< how many
  bool isTf32 = false;         ///< of these, one that multiplies fp32 in tf32
  size_t end = 0;
};

struct Trace {
  std::vector<Call> calls; ///< in their order, an outer one before those inside
  std::string device;      ///< as the trace names it
  bool hasKernels = false, isTimed = false;
};

/// The trace in `file`; nothing after a report.
llvm::Optional<Trace> readTrace(FileId file, const SourceManager &sources,
                                DiagnosticEngine &diagnostics);

struct WriteOptions {
  std::string table; ///< the CSV file that the program holds predictions against; "" without
  std::string chip, chipModule; ///< on which it predicts then, and what declares that
  bool isStrict = false;
};

/// The program with a workload of each kind of call, and the lines of the table of times. Operators
/// that the library lacks are reported; nothing where one is an error.
struct Written {
  std::string program, table;
};
llvm::Optional<Written> writeTrace(const Trace &trace, FileId file, const WriteOptions &options,
                                   DiagnosticEngine &diagnostics);

} // namespace perfc::trace

#endif // PERFC_FRONTEND_IMPORT_TRACE_TRACE_H
