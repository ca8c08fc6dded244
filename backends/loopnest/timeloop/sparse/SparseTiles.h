// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse tensors at the memories: their form, what of it is expected to be stored, and what becomes
// of each access. A tensor in a compressed form is a tree with one rank per loop group: a rank has
// fibers, a fiber coordinates, and each format writes down some metadata and some payloads per
// fiber. After Wu et al., Sparseloop, MICRO 2022.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_SPARSETILES_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_SPARSETILES_H

#include "backends/loopnest/sparse/RankUnits.h"
#include "backends/loopnest/timeloop/Tiles.h"
#include "backends/loopnest/timeloop/sparse/DensityModel.h"
#include "backends/loopnest/timeloop/sparse/FullNest.h"
#include <array>

namespace perfc::timeloop {

using loopnest::RankCounts;
using loopnest::RankUnits;

/// The loops of one rank, as (dimension, bound).
using RankLoops = std::vector<std::pair<unsigned, int64_t>>;

/// What became of one kind of access.
struct Fates {
  double random = 0, gated = 0, skipped = 0;
  RankCounts randomRanks, gatedRanks, skippedRanks;
};

struct SparseTile {
  int64_t shape = 0; ///< words of the dense tile; 0 where the tensor is bypassed
  llvm::Optional<unsigned> parent, child;
  bool hasMetadata = false;
  bool isCompressed = false;
  const Representation *form = nullptr; ///< null: no metadata
  std::vector<RankFormat> formats;      ///< of the form, innermost first
  std::vector<RankLoops> ranks;         ///< innermost first
  std::vector<int64_t> subtiles;        ///< elements below rank i; one more for the whole
  std::vector<int64_t> fiberShapes;     ///< coordinates of a fiber of rank i
  double averageInstances = 1;          ///< those with something in their tile
  double expected = 0;                  ///< nonzeros
  RankCounts expectedRanks;
  int64_t stored = 0; ///< words that must fit
  /// Blocks that are touched more often because each tile starts a new one.
  double blockRatio = 1;
  double reads = 0, fills = 0, updates = 0, reductions = 0; ///< dense
  Fates read, fill, update;

  /// The rank of the form with so many further in.
  const Rank &rank(size_t inner) const { return form->ranks[form->ranks.size() - 1 - inner]; }
  double density() const { return shape ? expected / static_cast<double>(shape) : 1; }
};

/// [space][memory]
using SparseTiles = std::vector<std::vector<SparseTile>>;

/// Everything that the parts of the analysis share.
struct SparseState {
  const Input &input;
  const FullNest &nest;
  std::vector<DensityModel> densities;
  SparseTiles tiles;
};

/// Forms and expected contents. False when the forms do not fit the mapping (reported).
bool describeTiles(SparseState &state, DiagnosticEngine &diagnostics);

/// Gives every tile its ranks: one per loop that steps the tensor or per run of loops that share
/// one, in the order that the form says.
bool assignRanks(SparseState &state, unsigned space, DiagnosticEngine &diagnostics);

/// Words that the ranks of `tile` need when it holds `occupancy` nonzeros.
RankCounts rankUnits(const SparseTile &tile, const DensityModel &density, int64_t occupancy);

/// How likely an access is saved, by the option that saves it.
struct SavingEffect {
  bool isSaved = false;
  SavingKind kind = SavingKind::Gating;
  double probability = 0;
  SourceRange place; ///< of the option
};

/// The instances of a level that one tensor needs where empty tiles take none.
struct Lanes {
  int64_t x = 1, y = 1; ///< the most at once, along the axes of the mesh
  double share = 1;     ///< on average, of those that the mapping spans
};

/// [space][level], levels as in Input::level
using LaneTable = std::vector<std::vector<Lanes>>;

/// Nothing when the array is too small all the same, or tiles of lanes overlap (reported).
llvm::Optional<LaneTable> skipLanes(const SparseState &state, DiagnosticEngine &diagnostics);

/// [space][memory]
using SavingEffects = std::vector<std::vector<SavingEffect>>;

/// Nothing when an option has no tile to act on, or saves less often than one further out, which
/// leaves nothing for it (reported). `lanes` is null where no lanes are skipped.
llvm::Optional<SavingEffects> savingEffects(const SparseState &state, const LaneTable *lanes,
                                            DiagnosticEngine &diagnostics);

/// What the arithmetic is left with.
struct OperandSavings {
  double computes = 0;
  std::vector<bool> isSaved;      ///< per space: a saving reaches the arithmetic through it
  std::vector<double> emptyShare; ///< its probability, to six decimals
};

/// Takes the savings out of all counts, from the outermost memory inward.
OperandSavings applySavings(SparseState &state, const SavingEffects &effects, double computes);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_SPARSETILES_H
