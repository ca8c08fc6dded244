// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of op.* that declarations cannot say: subscripts that fit tensors and domains, values
// that fit kernels, regions that end with what they yield.
#ifndef PERFC_IR_OP_OPRULES_H
#define PERFC_IR_OP_OPRULES_H

#include "ir/core/Verifier.h"

namespace perfc {
namespace op {

/// The number format is one.
bool verifyOperand(const ir::Operation &op, DiagnosticEngine &diagnostics);
/// Accesses name operands, have a subscript per rank, and use indices of the domain.
bool verifyStatement(const ir::Operation &op, DiagnosticEngine &diagnostics);
/// Values are tensors, no more of them than the kernel has operands.
bool verifyApply(const ir::Operation &op, DiagnosticEngine &diagnostics);
/// Results are what the graph returns.
bool verifyCall(const ir::Operation &op, DiagnosticEngine &diagnostics);
/// The region ends with op.return.
bool verifyGraph(const ir::Operation &op, DiagnosticEngine &diagnostics);
/// Operands, arguments, what is yielded and results agree.
bool verifyRepeat(const ir::Operation &op, DiagnosticEngine &diagnostics);
/// Operands agree with arguments, what is yielded with results.
bool verifyFused(const ir::Operation &op, DiagnosticEngine &diagnostics);
/// Nothing stands behind it.
bool verifyLast(const ir::Operation &op, DiagnosticEngine &diagnostics);

} // namespace op
} // namespace perfc

#endif // PERFC_IR_OP_OPRULES_H
