// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of fused statements (loopnest.fused). Each nest is counted by itself, with the shared
// loops outside; then the intermediates that never leave the memory M lose what they would move
// outside it. Statements take turns at every resource, and resources work at the same time:
//     latency = max over resources of the sum over statements + launch,
// M holds the tiles of all statements at once. So does a memory further in that has room for them;
// one that has not holds the results of all and the operands of one statement at a time, which are
// fetched again for each tile. Tiles that an array dispatches run in ceil(blocks / units) waves.
#ifndef PERFC_BACKENDS_LOOPNEST_FUSEDNEST_H
#define PERFC_BACKENDS_LOOPNEST_FUSEDNEST_H

#include "backends/core/CostProvider.h"
#include "backends/loopnest/NestAdapter.h"
#include "ir/loopnest/LoopnestOps.h"

namespace perfc {
namespace loopnest {

/// The cost of `query.op`, a loopnest.fused; nothing after a report.
llvm::Optional<Cost> evaluateFused(const CostQuery &query, DiagnosticEngine &diagnostics);

/// Takes out of `counts` what the fused `tensors` do not move outside the memory `place`. False
/// with the reason when one of them has to leave it, as a partial sum or to make room.
bool keepInside(const AdaptedNest &adapted, llvm::StringRef place,
                llvm::ArrayRef<std::string> tensors, Counts &counts, std::string &reason);

/// Counts the operands of `adapted` inside the memory `place` as if each tile began with nothing
/// there: those of one tile, times the tiles. Ragged tiles count as whole ones; true if there are
/// any.
bool fetchForEachTile(const AdaptedNest &adapted, llvm::StringRef place, Counts &counts);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_FUSEDNEST_H
