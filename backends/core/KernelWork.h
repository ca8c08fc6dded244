// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel must do, whatever runs it: multiply-accumulates and element functions by number
// format, and the bytes that each operand must move at least once (its elements touched by the
// statements, holes of strides and padding left out). Points of a domain are counted exactly, with
// its conditions, in 64 bits.
#ifndef PERFC_BACKENDS_CORE_KERNELWORK_H
#define PERFC_BACKENDS_CORE_KERNELWORK_H

#include "backends/core/StructuralHash.h"
#include "ir/common/DType.h"
#include "ir/op/Arithmetic.h"
#include <map>

namespace perfc {

/// So many multiply-accumulates in one format.
struct MacWork {
  DType dtype;
  int64_t count;
};

/// So many evaluations of one element function ("exp", "max", …; "add" for all of + and -).
struct ElementWork {
  std::string function;
  DType dtype;
  int64_t count;
};

/// What one operand moves between the kernel and memory.
struct OperandBytes {
  std::string tensor;
  std::string role;
  int64_t read = 0;
  int64_t written = 0;
};

struct KernelWork {
  int64_t macs = 0;
  int64_t flops = 0;
  std::vector<MacWork> macsByFormat;
  std::vector<ElementWork> elements;
  std::vector<OperandBytes> operands;
  int64_t readBytes = 0;
  int64_t writtenBytes = 0;
  bool isJoined = false; ///< what stands before hands a tensor over: it has no start of its own
};

/// The work of `kernel`, an op.kernel. Nothing when a count does not fit 64 bits (reported).
llvm::Optional<KernelWork> kernelWork(const ir::Operation &kernel, DiagnosticEngine &diagnostics);

/// The work of kernels, counted once for all of one structure, whatever chip they run on.
class WorkMemo {
public:
  /// As `kernelWork`; valid until the next call.
  const KernelWork *of(const ir::Operation &kernel, DiagnosticEngine &diagnostics);

private:
  std::map<StructuralHash, KernelWork> known;
};

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_KERNELWORK_H
