// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact counts of the points of a statement. Indices that no condition names multiply; of the
// others the last is an interval for each setting of those before it. Where all conditions have
// that one with a coefficient of 1 or -1 the length of the interval is a concave function of the
// index before it, made of a few lines, and is summed line by line: a triangle costs no more steps
// for its size.
#ifndef PERFC_IR_OP_POINTS_H
#define PERFC_IR_OP_POINTS_H

#include "ir/op/OpOps.h"

namespace perfc::op {

/// An index from 0 to below its extent.
struct BoxIndex {
  llvm::StringRef name;
  int64_t extent;
};

/// Points of a box that meet `conditions`, each >= 0; nothing when that does not fit.
llvm::Optional<int64_t> pointsIn(llvm::ArrayRef<BoxIndex> box,
                                 llvm::ArrayRef<AffineExpr> conditions);

/// Points of the statement's domain that meet its conditions; nothing when that does not fit.
llvm::Optional<int64_t> pointsOf(StatementOp statement);

} // namespace perfc::op

#endif // PERFC_IR_OP_POINTS_H
