// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a sparse input adds: a density per tensor, how each memory writes a tensor down (one format
// per rank, outermost first), and where zeros save work. Gating saves the energy of an access,
// skipping its time as well; both happen to `target` when one of `leaders` is zero. Where lanes are
// skipped, those of an array whose tiles are empty leave their place to others.
#ifndef PERFC_IR_TIMELOOP_SPARSE_H
#define PERFC_IR_TIMELOOP_SPARSE_H

#include "ir/common/Source.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace perfc::timeloop {

enum class Distribution { FixedStructured, Hypergeometric };

struct Density {
  unsigned space = 0;
  Distribution distribution = Distribution::Hypergeometric;
  double value = 1;
  /// Written as a bare number, which means fixed-structured.
  bool bare = false;
};

/// Uncompressed, uncompressed with offsets (a list of row starts), bit mask, run lengths,
/// coordinates.
enum class RankFormat { UB, UOP, B, RLE, CP };

/// One rank of a form. It takes one loop, or as many next to each other as have dimensions of one
/// of the lists of `flattened`, and then none of other dimensions.
struct Rank {
  RankFormat format = RankFormat::UB;
  std::vector<std::vector<unsigned>> flattened;
  /// Bits of a word; those of the memory's metadata (one for the mask of B) where nothing is given.
  llvm::Optional<int64_t> metadataBits, payloadBits;
};

/// The largest word that a rank may have.
inline constexpr int64_t maxRankBits = 1 << 16;

/// The form of one tensor at one memory.
struct Representation {
  unsigned memory = 0;
  unsigned space = 0;
  std::vector<Rank> ranks; ///< outermost first
  /// Ranks take loops from the innermost one outward, not from the outermost inward.
  bool innermostFirst = false;
  SourceRange place;
};

enum class SavingKind { Gating, Skipping, Lanes };

/// A kind as the language (`gate`) and the tool (`gating`) call it.
llvm::StringRef wordOf(SavingKind kind);
llvm::StringRef toolWordOf(SavingKind kind);
/// The kind that the language calls so.
llvm::Optional<SavingKind> findSavingKind(llvm::StringRef word);

/// One option of an action optimization.
struct Saving {
  unsigned memory = 0;
  SavingKind kind = SavingKind::Gating;
  unsigned target = 0;
  std::vector<unsigned> leaders;
  /// Options of one group have the same number; the best of them counts.
  unsigned group = 0;
  SourceRange place;
};

struct SparseInput {
  bool optimized = false; ///< it has the section `sparse_optimizations`
  std::vector<Density> densities;
  std::vector<Representation> representations;
  std::vector<Saving> savings;
  /// What the arithmetic does when an operand is zero, and the operands it looks at.
  llvm::Optional<SavingKind> compute;
  SourceRange place;

  const Density *density(unsigned space) const;
  bool skipsLanes() const;
  const Representation *representation(unsigned memory, unsigned space) const;
};

} // namespace perfc::timeloop

#endif // PERFC_IR_TIMELOOP_SPARSE_H
