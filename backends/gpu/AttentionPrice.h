// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of fused attention (scores, softmax and values) as a kernel of a library runs it, from
// plain numbers. A block has some query rows and goes over their keys in steps of tn of them.
//
// Of many queries, with rows r of a block and D = score + value features:
//     products     = 2 r tn D (1 / rate of a unit + (`products` - 1) / core)
//     exponentials = r tn `exponentials` / rate of a unit
//     step         = (products^o + exponentials^o)^(1/o) + dequantise
//     start        = block + fill bytes of a block's first tiles / memory of a unit
//     units        = max(b (start / blocks at a time + steps step) / units + tail of one block,
//                        start + longest (products + exponentials + dequantise) chain)
// with b blocks, of which a causal one has half of the keys of the last queries on average; queries
// in stripes, as ranks share them out, lie so many times as far apart.
// Of one query (decode) the keys may be split over n blocks, and units take the cache in:
//     step  = bytes of tn keys / arrival + products
//     units = waves (block / blocks at a time + steps / n step),  waves = ceil(b n / units)
// Then
//     memory = bytes, of which those in the last cache cost the share `cached` / bandwidth reached
//     power  = multiply-accumulates energy / power limit
//     time   = launch + (units^p + memory^p + power^p)^(1/p) + split (1 + n each), where n > 1
//              + quantisation of queries + what is appended to the caches
// Sources: blocks and steps: Dao, "FlashAttention-2", 2023, and Shah et al., "FlashAttention-3",
// 2024; split caches: Dao et al., "Flash-Decoding", 2023; norms and constants: docs/cost-model.md.
#ifndef PERFC_BACKENDS_GPU_ATTENTIONPRICE_H
#define PERFC_BACKENDS_GPU_ATTENTIONPRICE_H

#include "backends/gpu/ProductPrice.h"

namespace perfc {
namespace gpu {

/// Attention and the units that it runs on.
struct AttentionWork {
  double sequences = 1;
  double heads = 1; ///< of keys
  double group = 1; ///< query heads that share one of these
  double queries = 1, keys = 1;
  double stride = 1; ///< positions from a query to the next, of those that ranks share out
  double scoreFeatures = 128, valueFeatures = 128;
  double window = 0; ///< keys that a query sees at most; 0 for all
  bool isCausal = true;
  bool sharesValues = false;           ///< keys are the values as well
  double querySize = 2, cacheSize = 2; ///< bytes of an element
  double otherBytes = 0;               ///< of biases, masks and the like
  double appendedBytes = 0;            ///< moved to append to the caches, where it does that itself
  double rate = 0;         ///< multiply-accumulates of all units in a second, as it computes
  double macsPerCore = 1;  ///< that pass the core while one of 16 bits does
  double energy = 0;       ///< of one at the power limit, in J; 0 where that does not limit
  double exponentials = 0; ///< of all units in a second; 0 where they do not limit

  double outer() const { return sequences * heads; }
  double features() const { return scoreFeatures + valueFeatures; }
  double keysSeen() const { return window > 0 && window < keys ? window : keys; }
  /// Of keys and values that are read, and of queries and results.
  double cacheBytes() const;
  double queryBytes() const;
  /// Multiply-accumulates of what is not masked.
  double macs() const;
};

/// What kernels of one kind take; times in s.
struct AttentionFigures {
  bool isDecode = false;
  double launch = 0, appendLaunch = 0;
  double overlap = 0;
  double block = 0, fill = 0;
  double products = 1; ///< time over that at the peak rate
  bool hasOwnCore = false;
  double exponentials = 1, softmaxOverlap = 0;
  double tail = 0, chain = 1;
  double dequantise = 0; ///< of a step, for 256 features
  bool isSynchronous = false;
  enum class Pack : uint8_t { None, One, All } packs = Pack::None;
  double wideRows = 0; ///< at most, beyond 64 features; 0 for any
  double pad = 0;      ///< rows of a block are a multiple; 0 for any
  double stepElements = 0;
  double unitBytes = 0;   ///< in a second
  double queryPasses = 0; ///< of queries and results by the kernel that appends
  double cacheReads = 1;  ///< bytes of the cache that are seen to be read over all
  double cached = 1;      ///< share of the time of traffic that the last cache holds
  double quantiseRow = 0, quantiseElement = 0;
  double split = 0, splitEach = 0;
};

/// A time and what it is made of, in s; see above.
struct AttentionPrice {
  double total = 0, body = 0;
  double units = 0, memory = 0, power = 0;
  /// Of `units`: products, exponentials, what blocks take besides, and idle units at the end. In
  /// decode the products and the bytes that arrive.
  double products = 0, exponentials = 0, blocks = 0, tail = 0, arrival = 0;
  double launch = 0, split = 0, quantise = 0, append = 0;
  double readBytes = 0, writtenBytes = 0;  ///< of the outermost memory
  double loadedBytes = 0, storedBytes = 0; ///< by blocks
  double count = 0;                        ///< of blocks, splits included
  double rows = 0, keys = 0;               ///< of a block, and of one of its steps
};

/// The tile that the library's rule gives, with the fastest of its splits; nothing when none fits
/// the memory of a unit.
llvm::Optional<Tile> fastestAttention(const Design &design, const AttentionFigures &figures,
                                      const TileList &tiles, const AttentionWork &work);
AttentionPrice attentionPrice(const Design &design, const AttentionFigures &figures,
                              const AttentionWork &work, const Tile &tile);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_ATTENTIONPRICE_H
