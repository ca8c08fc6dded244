// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What statements touch: the exact images of accesses under iteration domains with all their
// conditions, the union of several accesses of one tensor, counted with isl. With a domain D and
// the subscripts f of an access,
//     image = { x : x = f(i) for some i in D, x inside the tensor }
// A box whose indices go to ranks of their own needs no sets: its image is the product over the
// ranks. Where isl finds no number in 10^6 operations (a few tenths of a second) the count is a
// bound: at most one element per point, those of the box, and those of the tensor.
#ifndef PERFC_PASSES_ANALYSIS_IMAGES_H
#define PERFC_PASSES_ANALYSIS_IMAGES_H

#include "ir/op/OpOps.h"

namespace perfc {
namespace passes {

/// An access {tensor, map} of a statement, without subscripts that depend on data.
struct DomainAccess {
  op::StatementOp statement;
  const ir::AttrDict *access;
};

/// Different elements of a tensor with `shape` that `accesses` of it touch together.
int64_t touchedElements(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<DomainAccess> accesses);

/// Extents of tiles by index; an index that is not named is not divided.
using TileExtents = std::vector<std::pair<std::string, int64_t>>;

/// Tiles of the domain of `statement` in which some point meets its conditions.
int64_t tilesWithPoints(op::StatementOp statement, const TileExtents &tiles);

/// The sum over the tiles of the elements that `accesses`, all of one statement, touch there.
int64_t touchedInTiles(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<DomainAccess> accesses,
                       const TileExtents &tiles);

/// The conditions of `statement` that leave out points of its box.
std::vector<AffineExpr> cuttingConditions(op::StatementOp statement);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_IMAGES_H
