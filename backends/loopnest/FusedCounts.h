// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sharing loops changes in the counts of one statement: tensors that stay inside a memory move
// nothing outside it, operands that have no room beside those of other statements are fetched again
// for each tile, and running results are put right when their statistics change.
#ifndef PERFC_BACKENDS_LOOPNEST_FUSEDCOUNTS_H
#define PERFC_BACKENDS_LOOPNEST_FUSEDCOUNTS_H

#include "backends/core/Chip.h"
#include "backends/loopnest/NestAdapter.h"
#include "ir/loopnest/FusedOps.h"

namespace perfc {
namespace loopnest {

/// One of the statements that run together.
struct FusedPart {
  NestOp op;
  AdaptedNest adapted;
  Counts counts;
  UnitRate rate;
};

/// Takes out of `counts` what the fused `tensors` do not move outside the memory `place`. False
/// with the reason when one of them has to leave it, as a partial sum or to make room.
bool keepInside(const AdaptedNest &adapted, llvm::StringRef place,
                llvm::ArrayRef<std::string> tensors, Counts &counts, std::string &reason);

/// Makes the outermost memory that holds the operand `kept.tensor`, where it stays, hold what is
/// kept of it.
void holdKept(const AdaptedNest &adapted, const KeptElements &kept, Counts &counts);

/// Counts the operands of `adapted` inside the memory `place` as if each tile began with nothing
/// there: those of one tile, times the tiles. Ragged tiles count as whole ones; true if there are
/// any.
bool fetchForEachTile(const AdaptedNest &adapted, llvm::StringRef place, Counts &counts);

/// Adds `words` reads of `tensor`, where it stays, to the nest that makes it. False for another
/// nest.
bool addReads(const AdaptedNest &adapted, const FusedTensor &tensor, int64_t words, Counts &counts);

/// Adds `count` reads of the result `tensor` in the innermost memory that keeps it, and as many
/// updates where it `isUpdated`.
void addRescaling(const AdaptedNest &adapted, llvm::StringRef tensor, int64_t count, bool isUpdated,
                  Counts &counts);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_FUSEDCOUNTS_H
