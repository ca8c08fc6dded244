// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a matrix product as a kernel of a library runs it, from plain numbers. A block
// computes tm x tn results, of one of s parts of their sums, in steps of q products; a unit of the
// chip has one block at a time:
//     kk     = ceil(ceil(k / q) / s) q            products of a part
//     share  = batch ceil(m / tm) ceil(n / tn) s / units
//     waves  = max(1, last_wave ceil(share) + (1 - last_wave) share)
//     units  = waves (tm tn kk products / rate of a unit + kk / q step_time
//                     + epilogue tm tn result bytes / share of the bandwidth of a unit)
//     loads  = waves (tm left + tn right bytes) kk edge / (core clock)
//     memory = bytes that the last cache does not hold / bandwidth reached; with `raster` factors
//     are
//              read again for each set of tiles that run at a time, row by row of the result
//     cache  = bytes of all tensors / bandwidth of the last cache
//     power  = batch m n k energy / power limit
//     time   = launches + (units^p + loads^p + memory^p + cache^p + power^p)^(1/p)
//              + split, where s > 1, + quantisation of the left factor before, where there is such
// A tensor is in the last cache with 1 / (1 + (w / cache)^8), where w is what passes through it
// until the tensor comes again. Steps may run beside products: (a^p + b^p)^(1/p) of both.
// Sources: waves and tiles: NVIDIA, "Matrix multiplication background user's guide", 2020; p-norms
// of overlapped resources and all constants: docs/cost-model.md.
#ifndef PERFC_BACKENDS_GPU_PRODUCTPRICE_H
#define PERFC_BACKENDS_GPU_PRODUCTPRICE_H

#include "llvm/ADT/Optional.h"
#include <cstddef>
#include <vector>

namespace perfc {
namespace gpu {

/// A chip and its generation, in s, B and W; 0 for what does not limit.
struct Design {
  double units = 1;
  double bandwidth = 0; ///< of the outermost memory
  double reached = 1;   ///< share of that
  double cache = 0;     ///< of the last cache, what a tensor can stay in
  double cacheBandwidth = 0;
  double staging = 0; ///< memory of a unit
  double core = 0;    ///< 16-bit operations of a whole unit in a second
  double power = 0;
  double launch = 0;
  double split = 0;
  double overlap = 0; ///< 0: the largest limit alone counts
};

/// A product and the units that it runs on.
struct ProductWork {
  double batch = 1, m = 1, n = 1, k = 1;
  double leftSize = 2, rightSize = 2, resultSize = 2;    ///< bytes of an element
  double leftBytes = 0, rightBytes = 0, resultBytes = 0; ///< of all of them, once
  double otherBytes = 0;                                 ///< of what is fused after it
  double rate = 0;   ///< multiply-accumulates of all units in a second
  double energy = 0; ///< of one of them at the power limit, in J; 0 where that does not limit
  /// How many right factors take turns between two uses of one; 0 for one that is made just before,
  /// infinite where it always comes from memory.
  double copies = 0;
  bool isCold = false; ///< nothing is in the cache
  /// What the bytes of sums and of columns are a multiple of: units load 16, 4 or 2 of them at a
  /// time.
  double alignment = 16;
  bool isTf32 = false; ///< elements of 4 bytes that matrix units multiply
};

/// What kernels of one kind take.
struct FamilyFigures {
  double launch = 0;
  double step = 128; ///< bytes
  double stepTime = 0;
  bool overlapsSteps = false;
  double products = 1;
  double edge = 0; ///< 0: the delivery of operands does not limit
  double epilogue = 0;
  double lastWave = 1;
  bool quantises = false;
  double quantiseLaunch = 0, quantiseRow = 0, quantiseElement = 0;
  double oneRow = 0;
  double host = 0; ///< of a call where the host starts each kernel; else 0
  // Where a library's kernels differ from the others of their generation.
  bool hasOwnCore = false; ///< operands arrive by the rate of the product, not by `core`
  double overlap = 0;      ///< 0: the design's
  double powerOverlap = 0; ///< norm of the power and of all other limits; 0: it is one of them
  double reached = 0;      ///< share of the bandwidth; 0: the design's
  double pitch = 0;        ///< what products take longer for each doubling of a row beyond 32 KiB
  double narrowCopies = 1; ///< time for factors to arrive that are copied 4 bytes at a time
  double raster = 0; ///< share of the cache for tiles that run at a time; 0: none is read again
  double split = -1; ///< time; below 0: the design's
  bool splitWrites = false; ///< parts of sums pass the memory
  double powerShare = 1;    ///< of the limit, less `board`
  double board = 0;         ///< W that the units have not

  /// Products that a step takes in of a factor whose elements have so many bytes.
  double stepProducts(double elementBytes) const;
};

struct Tile {
  double rows = 0, columns = 0, split = 1;
};

/// Tiles as arrays, in the order of the library.
struct TileList {
  std::vector<double> rows, columns, splits;
  /// Tiles from `begin` on are for products of so many rows at most; the first rule that a product
  /// fulfils serves it alone, and tiles of none serve what no rule does.
  struct Rule {
    size_t begin, end;
    double upTo;
  };
  std::vector<Rule> rules;
  /// Tiles from `begin` on are for operands whose rows are whole words of so many bytes.
  struct Words {
    size_t begin, end;
    double bytes;
  };
  std::vector<Words> words;
  bool serves(size_t tile, const ProductWork &work) const;
  size_t size() const { return rows.size(); }
};

/// A time and what it is made of, in s; see above.
struct ProductPrice {
  double total = 0;
  /// Of `units`: products of the result alone, those of edges of tiles and of idle units, and what
  /// blocks take besides.
  double products = 0, tail = 0, blocks = 0;
  double units = 0, loads = 0, memory = 0, cache = 0, power = 0;
  double body = 0; ///< what these five add up to
  double launch = 0, split = 0, quantise = 0;
  double readBytes = 0, writtenBytes = 0;                 ///< of the outermost memory
  double quantiseReadBytes = 0, quantiseWrittenBytes = 0; ///< the same before
};

class ProductPricer {
public:
  ProductPricer(const Design &design, const FamilyFigures &family, TileList tiles);

  /// The fastest tile; nothing when none fits the memory of a unit.
  llvm::Optional<Tile> fastest(const ProductWork &work) const;
  ProductPrice price(const ProductWork &work, const Tile &tile) const;

private:
  Design design;
  FamilyFigures family;
  TileList tiles;
};

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_PRODUCTPRICE_H
