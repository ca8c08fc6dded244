// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a layer of experts as a library runs it: rows of tokens are brought together by
// expert, a grouped product (or two, with an activation between them) multiplies the rows of each
// expert with its weights, and the results go back. Rows of an expert fill whole tiles of m rows:
//     padded(m) = sum over experts of m ceil(rows / m)       active = experts that have a row
//     share     = padded / m * ceil(n / tile n) / units      waves as in ProductPrice.h
//     products  = m tile n k (units / rate + loss / rate of the generation's core for the format)
//     others    = share * moved rows of other ranks' experts / rows
//     turns     = max(1, waves / resident)    of blocks whose steps wait at the same time on a unit
//     units     = (waves^3 products^3 + (turns steps step_time)^3)^(1/3) + waves block_time
//                 + others other_time
//     memory    = (active n k weight bytes (1 - held) + rows k left bytes) / bandwidth
//     cache     = (active n k weight bytes + rows k left bytes) / bandwidth of the last cache
//     power     = rows n k energy / power limit
//     time      = launch + sum over products of (units^p + memory^p + cache^p + power^p)^(1/p)
//                 + moves row bytes rows / bandwidth + token_moves token bytes tokens / bandwidth
//                 + choice_time choices
// Libraries that sort the rows of all ranks may start blocks for those of the others as well, which
// find nothing to multiply; these fill as many tiles a row as those of the rank at hand. Choices
// are those that all tokens make: they are sorted by expert. `held` is what the last cache has of
// the weights: nothing, but where a benchmark runs a layer again and again (ProductPrice.h).
// Constants and where they are from: docs/cost-model.md.
#ifndef PERFC_BACKENDS_GPU_EXPERTPRICE_H
#define PERFC_BACKENDS_GPU_EXPERTPRICE_H

#include "backends/gpu/ProductPrice.h"
#include "passes/analysis/ExpertLoads.h"

namespace perfc {
namespace gpu {

struct GroupedExtents {
  double n = 1, k = 1;
};

/// A layer and the units that it runs on.
struct ExpertWork {
  std::vector<passes::ExpertRows> loads;
  std::vector<GroupedExtents> products;
  double rows = 1;    ///< of all experts together
  double moved = 1;   ///< rows that are moved: of all ranks, where the library moves them all
  double choices = 1; ///< experts that all tokens choose
  double tokens = 0;  ///< whose rows are brought together; 0 where that was done before
  double tokenBytes = 0, rowBytes = 0; ///< that are moved for each of them
  double leftSize = 2, weightSize = 2; ///< bytes of an element
  double rate = 0;                     ///< multiply-accumulates of all units in a second
  double energy = 0;                   ///< of one at the power limit, in J
  double narrow = 1; ///< multiply-accumulates of a core in the time of one in 16 bits
  double copies = 0; ///< sets of weights that take turns; 0 where they come from memory
};

/// What kernels of one kind take.
struct ExpertFigures {
  double launch = 0;
  double step = 128; ///< bytes
  double stepTime = 0, blockTime = 0;
  double resident = 1;   ///< blocks that share a unit
  double otherTime = 0;  ///< of a block for rows of another rank
  double choiceTime = 0; ///< to sort one choice
  double loss = 0;
  double reached = 1; ///< of the generation's bandwidth
  double overlap = 0; ///< 0: the largest limit alone counts
  double moves = 0, tokenMoves = 0;
  double lastWave = 1;
};

/// In s; `units`, `memory`, `cache` and `power` are sums over the products.
struct ExpertPrice {
  double total = 0;
  double products = 0; ///< of `units`: multiplications of rows that are there
  double units = 0, memory = 0, cache = 0, power = 0;
  double body = 0, moves = 0, launch = 0;
  double choices = 0;     ///< sorting them
  double active = 0;      ///< experts
  double blocks = 0;      ///< of all products
  double memoryBytes = 0; ///< weights, rows and what is moved
};

ExpertPrice expertPrice(const Design &design, const ExpertFigures &figures, const ExpertWork &work,
                        const Tile &tile);
/// The fastest tile; one of more than two times the rows of the largest expert is not tried.
llvm::Optional<Tile> fastestExpertTile(const Design &design, const ExpertFigures &figures,
                                       const ExpertWork &work, const TileList &tiles);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_EXPERTPRICE_H
