// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large the transfers are that make up the counts: what one instance of a memory takes in,
// sends up, or reads and receives for those it serves, when an epoch of the one inside begins or
// ends, or a lane takes a step. The first tile, the steps of a window, its turns and ragged ends
// differ, and an access moves words of one transfer only. In closed form each factor of a tensor
// gives the pairs (all, kept) of RankSums.h with the number of epochs that have them, and a
// transfer has the product of all less that of kept. For the output, also which of them find a
// sum in the memory: not the first visits, those in which the loops that reduce are at zero as far
// out as the sum has stayed in one place.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_TRANSFERS_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_TRANSFERS_H

#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/analysis/Flow.h"

namespace perfc {
namespace loopnest {

/// Sets `transfers` of all tensors in those of `memories` that `options` name, for the declared
/// network, where they have a closed form: not for a result that is written through windows, nor
/// where memories that keep parts of it fall idle while others work, or ragged loops let a tile
/// stay longer now and then; nor where sets of elements take more than the options allow, or a
/// number does not fit. Needs hasClosedForm, or canStretch.
void countTransfers(llvm::ArrayRef<LevelDigits> levels, llvm::ArrayRef<Factors> factors,
                    const AnalysisOptions &options, std::vector<MemoryCounts> &memories);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_TRANSFERS_H
