// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The positions of a tensor that a subscript touches: the values of sum c_k * i_k over a box that
// lie in a window, counted from the term of the largest step inward.
#ifndef PERFC_IR_OP_POSITIONS_H
#define PERFC_IR_OP_POSITIONS_H

#include "ir/common/Affine.h"
#include "ir/core/Attribute.h"

namespace perfc::op {

/// How many of the positions 0 … size-1 the subscript takes when its indices run over `domain`.
/// Exact but for sums of strided terms whose copies overlap, span more than 2^24 and have no common
/// progression: there the positions between the first and the last.
int64_t touchedPositions(const AffineExpr &subscript, const ir::AttrDict &domain, int64_t size);

} // namespace perfc::op

#endif // PERFC_IR_OP_POSITIONS_H
