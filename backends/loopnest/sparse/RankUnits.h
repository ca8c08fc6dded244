// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile of a sparse tensor as a tree with one rank per format: a rank has fibers, a fiber
// coordinates, and each format writes down some metadata (where values are) and some payloads (what
// leads to the rank below) per fiber. After Wu et al., "Sparseloop", MICRO 2022, Sec. 3.2, and its
// implementation in Timeloop. With f fibers of which g have something in them, s coordinates per
// fiber of which c have something:
//     UOP  offsets of the fibers below    no metadata, g (s + 1) payloads
//     UB   a mask, values uncompressed    f s metadata, f s payloads
//     B    a mask                         g s metadata, g ceil(c) payloads
//     RLE  run lengths                    g c metadata, g c payloads
//     CP   coordinates                    g ceil(c) metadata, g ceil(c) payloads
// A rank of one coordinate needs nothing but the offset of UOP, and no payloads lead to the values.
#ifndef PERFC_BACKENDS_LOOPNEST_SPARSE_RANKUNITS_H
#define PERFC_BACKENDS_LOOPNEST_SPARSE_RANKUNITS_H

#include "ir/timeloop/Sparse.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>
#include <vector>

namespace perfc {
namespace loopnest {

/// Words of one rank: what says where values are, and what leads to the rank below.
struct RankUnits {
  double metadata = 0;
  double payload = 0;
};

/// By rank, innermost first, as all of the below.
using RankCounts = std::vector<RankUnits>;

/// Expected words of a tile with so many coordinates in a fiber of each rank; `emptyShare(k)` is
/// the probability that what the innermost k ranks hold together has no nonzero, k = 0 for an
/// element.
RankCounts rankUnits(llvm::ArrayRef<timeloop::RankFormat> formats,
                     llvm::ArrayRef<int64_t> fiberShapes,
                     llvm::function_ref<double(size_t inner)> emptyShare);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SPARSE_RANKUNITS_H
