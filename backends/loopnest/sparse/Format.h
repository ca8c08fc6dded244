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
#ifndef PERFC_BACKENDS_LOOPNEST_SPARSE_FORMAT_H
#define PERFC_BACKENDS_LOOPNEST_SPARSE_FORMAT_H

#include "backends/loopnest/sparse/Density.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"

namespace perfc {
namespace loopnest {

enum class Format { Uncompressed, Bitmask, Rle, Coordinate, Csr };

/// Nothing when there is no format of that name.
llvm::Optional<Format> parseFormat(llvm::StringRef name);

/// Expected size of a stored tile.
struct StoredTile {
  double words = 0;
  double metadataBits = 0;
};

/// `share` of the elements of the tile are nonzero.
StoredTile storedTile(Format format, Extents tile, double share);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SPARSE_FORMAT_H
