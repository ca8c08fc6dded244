// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One evaluation as Timeloop describes it: a problem (dimensions and tensors with affine
// projections), an architecture (levels with meshes, bandwidths and an energy per action), a
// mapping (a nest of temporal and spatial factors per memory, what is kept where) and, for sparse
// inputs, densities and optimizations. Plain data: importers and lowerings fill it, the model and
// the emitter read it. Memories are counted from the innermost, as the tool reports them.
#ifndef PERFC_IR_TIMELOOP_INPUT_H
#define PERFC_IR_TIMELOOP_INPUT_H

#include "ir/common/Source.h"
#include "ir/timeloop/Sparse.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"

namespace perfc::timeloop {

/// coefficient * dimension, one addend of a rank.
struct Term {
  unsigned dim = 0;
  int64_t coefficient = 1;
  /// The name of the coefficient, "" when it has none.
  std::string name;
};

/// A tensor; its element at a point of the iteration space is one sum of terms per rank.
struct Space {
  std::string name;
  std::vector<std::vector<Term>> ranks;
  bool readWrite = false;
};

struct Coefficient {
  std::string name;
  int64_t value = 1;
};

struct Problem {
  std::string name; ///< of the shape; may be ""
  std::vector<std::string> dims;
  std::vector<int64_t> bounds; ///< one per dimension
  std::vector<Coefficient> coefficients;
  std::vector<Space> spaces;
  SourceRange place;
};

/// Figures of a level; what is not given does not limit and costs nothing.
struct Attributes {
  int64_t wordBits = 16;
  int64_t blockSize = 1;
  int64_t clusterSize = 1;
  llvm::Optional<int64_t> words; ///< capacity, before multiple buffering
  double multipleBuffering = 1;
  double minUtilization = 0;
  llvm::Optional<double> readBandwidth, writeBandwidth, sharedBandwidth; ///< words per cycle
  int64_t networkFillLatency = 0, networkDrainLatency = 0;               ///< cycles
  double hopEnergy = 0, routerEnergy = 0;                                ///< pJ
  double addressEnergy = 0;                                              ///< pJ per address
  bool reduces = true; ///< takes partial sums without being read back
  int64_t metadataWordBits = 0;
  int64_t metadataBlockSize = 1;
  int64_t metadataWidth = 0; ///< bits of one metadata access; 0: metadata costs nothing
};

/// A memory or the arithmetic units.
struct Level {
  std::string name;
  std::string type; ///< the class: SRAM, DRAM, intmac, …
  int64_t instances = 1;
  int64_t meshX = 1, meshY = 1;
  Attributes attributes;
  /// The name of the part of the chip it stands in, and whether it opens that part.
  std::string part;
  /// The nodes of the architecture whose meshes repeat it within the memory outside.
  std::vector<std::string> arrays;
  /// It holds nothing and all tensors pass it: what the front end of v0.4 puts outside of an array.
  bool storesNothing = false;
  /// pJ by action; none where they are not known.
  std::vector<std::pair<std::string, double>> energies;
  /// The memory whose instances switch off those of this one, "" for its own, and where that is
  /// said.
  std::string gatedAt;
  SourceRange gatePlace;
  SourceRange place;

  /// The energy of the first of `actions` that the level has.
  llvm::Optional<double> energy(llvm::ArrayRef<llvm::StringRef> actions) const;
};

/// `end` iterations, of which the last pass of the outer loops of its dimension does `residual`.
struct Factor {
  int64_t end = 1;
  int64_t residual = 1;
};

/// One block of loops: a factor per dimension and their order, innermost first.
struct Nest {
  std::vector<Factor> factors;
  std::vector<unsigned> order;
  /// Of a spatial block: how many leading dimensions of `order` lie along x; the rest along y.
  unsigned split = 0;
  /// The mapping has this block (an absent one has only factors of 1).
  bool given = false;
  SourceRange place;
};

/// Flags per tensor.
using SpaceFlags = std::vector<bool>;

/// What the mapping says about one memory; each table has one entry per tensor.
struct Placement {
  Nest temporal, spatial;
  SpaceFlags keep;
  SpaceFlags noTemporalReuse; ///< every visit fetches the whole tile again
  SpaceFlags rmwFirstUpdate;  ///< the first update reads as well
  SpaceFlags noLinks;         ///< children take nothing from their neighbours
  SpaceFlags noMulticast;     ///< every child is sent its own copy
  SourceRange place;
};

struct Input {
  Problem problem;
  Level compute;
  std::vector<Level> memories;       ///< innermost first
  std::vector<Placement> placements; ///< one per memory
  SparseInput sparse;
  SourceRange place;

  unsigned dimCount() const { return static_cast<unsigned>(problem.dims.size()); }
  unsigned spaceCount() const { return static_cast<unsigned>(problem.spaces.size()); }
  /// Memory `index`, or the arithmetic units for index 0 counted with them.
  const Level &level(unsigned index) const { return index ? memories[index - 1] : compute; }
  llvm::Optional<unsigned> findMemory(llvm::StringRef name) const;
  /// The level that the mesh of the node `name` repeats, counted as in `level`.
  llvm::Optional<unsigned> findArray(llvm::StringRef name) const;
  llvm::Optional<unsigned> findDim(llvm::StringRef name) const;
  llvm::Optional<unsigned> findSpace(llvm::StringRef name) const;
};

/// Blocks of factors of 1 for every memory, with everything kept that can be.
std::vector<Placement> emptyPlacements(const Input &input);

} // namespace perfc::timeloop

#endif // PERFC_IR_TIMELOOP_INPUT_H
