// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a point of a statement computes, and in which format. A multiply-accumulate is two
// operations, a call of a function one, a reduction one; what remains are + - * / and counts as
// "add".
#ifndef PERFC_IR_OP_ARITHMETIC_H
#define PERFC_IR_OP_ARITHMETIC_H

#include "ir/common/DType.h"
#include "ir/op/OpOps.h"

namespace perfc::op {

/// So many evaluations of an element function ("exp", "max", …; "add" for all of + - * /).
struct FunctionCalls {
  llvm::StringRef function;
  int64_t count;
};

/// The element functions of one point, without its multiply-accumulate; each at least once.
std::vector<FunctionCalls> functionsOf(StatementOp statement);

/// The format of the tensor of `access`, one of the statement's.
DType formatOf(StatementOp statement, const ir::AttrDict &access);
/// The format in which a point is computed: of a sum of products that of its widest factor,
/// floating before integer; else that of the result.
DType computeFormat(StatementOp statement);

} // namespace perfc::op

#endif // PERFC_IR_OP_ARITHMETIC_H
