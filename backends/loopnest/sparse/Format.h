// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a sparse tensor is stored: what a tile of it takes in words and in bits that say where the
// words belong. Per tile of n elements with z nonzeros expected,
//     bitmask     z words, n bits
//     rle         z / (1 - (1 - d)^32) words, each with a run of 5 bits (Chen et al., "Eyeriss",
//     JSSC
//                 2017, Sec. V-B): 32 zeros in a row take one more word, which is zero itself
//     coordinate  z words, ceil(log2 extent) bits for each rank of the tile
//     csr         z words, ceil(log2 columns) bits each, and ceil(log2(z + 1)) bits per row and one
// or with a format per rank of the tile (RankUnits.h), the first one for all ranks that the others
// leave: z words, all n of them when the innermost format is UB or UOP. A coordinate or run length
// has ceil(log2 s) bits, with s coordinates per fiber, a place of a mask one, and what leads to the
// rank below ceil(log2(e + 1)), with e nonzero elements, or coordinates with something in them,
// there.
#ifndef PERFC_BACKENDS_LOOPNEST_SPARSE_FORMAT_H
#define PERFC_BACKENDS_LOOPNEST_SPARSE_FORMAT_H

#include "backends/loopnest/sparse/Density.h"
#include "ir/timeloop/Sparse.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace perfc {
namespace loopnest {

enum class Format { Uncompressed, Bitmask, Rle, Coordinate, Csr };

/// How one tensor is stored.
struct Storage {
  Format format = Format::Uncompressed;
  /// One format per rank in place of `format`, outermost first; empty without.
  llvm::SmallVector<timeloop::RankFormat, 4> ranks = {};

  /// Zeros are left out.
  bool isCompressed() const;
};

/// The name of a format, or those of several ranks with spaces between them; nothing when there is
/// none of that name.
llvm::Optional<Storage> parseStorage(llvm::StringRef text);

/// Expected size of a stored tile.
struct StoredTile {
  double words = 0;
  double metadataBits = 0;
};

/// Of a tile of a tensor of this shape.
StoredTile storedTile(const Storage &storage, Extents shape, Extents tile, const Density &density);

/// Words of `wordBits` that an element of such a tensor takes at least, metadata included, in a
/// tile of any size: metadata that depend on the size are left out.
double leastWords(const Storage &storage, Extents shape, const Density &density, double wordBits);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SPARSE_FORMAT_H
