// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All loops of one statement on one chip, before they become IR. The tile of a memory is what the
// loops at its place and further in cover; the step of a loop is what the loops of its index
// further in cover.
#ifndef PERFC_PASSES_NESTPLAN_H
#define PERFC_PASSES_NESTPLAN_H

#include "ir/loopnest/LoopnestOps.h"
#include "passes/analysis/Chip.h"
#include "passes/analysis/KernelModel.h"

namespace perfc {
namespace passes {

struct PlannedLoop {
  unsigned place;
  llvm::Optional<unsigned> axis;          ///< of a parallel loop
  llvm::SmallVector<unsigned, 1> indices; ///< several only in parallel loops
  int64_t factor;
  ir::Operation *source = nullptr; ///< the loopnest.loop, if a user wrote it
  /// It numbers the tiles of its index's window, which may overlap: no digit of the index.
  bool numbersTiles = false;
};

/// Tiles of an index that overlap or leave gaps: `count` of `extent` values, `step` apart.
struct PlannedWindow {
  unsigned index;
  int64_t step, extent, count;
};

/// What a mapping says of one tensor at one memory.
struct PlannedKeep {
  unsigned place;
  std::string tensor;
  bool keep;
};

struct NestPlan {
  const Chip *chip;
  const Statement *statement;
  llvm::SmallVector<unsigned, 8> places;   ///< on the way to the unit, outermost first
  std::vector<PlannedLoop> loops;          ///< outermost first, in the order of `places`
  std::vector<PlannedKeep> keeps = {};     ///< else the roles that memories keep decide
  std::vector<PlannedWindow> windows = {}; ///< of producers of fused tensors
  target::ComputeOp unit = {};             ///< what runs it; before it has one, `places` are all

  /// True when the memory `place` keeps what `access` reads or writes.
  bool isKept(unsigned place, const Access &access, bool isWritten) const;

  /// Extent per index of what the loops at position `position` of `places` and further in cover.
  llvm::SmallVector<int64_t, 8> tile(size_t position) const;
  /// Position in `places`.
  size_t positionOf(unsigned place) const;
};

/// Bits of each tensor in a tile, of the tensors that `place` keeps; a tensor that several accesses
/// reach counts once, with its largest.
struct TensorBits {
  llvm::StringRef tensor;
  double bits; ///< with its share of scales, as a nest counts it
};
/// Here a result takes the room of partial sums.
llvm::SmallVector<TensorBits, 4> keptBits(const Statement &statement, const Place &place,
                                          llvm::ArrayRef<int64_t> tile);
/// The same for the tile at position `position` of `plan`, with what its mapping keeps.
llvm::SmallVector<TensorBits, 4> keptBits(const NestPlan &plan, size_t position);
double totalBits(llvm::ArrayRef<TensorBits> tensors);
/// "37.4KiB", "24B": sizes as a data sheet writes them.
std::string sizeText(double bits);

/// The loops of a user's mapping. Nothing when it names what the chip or statement lacks, or its
/// places are out of order; all mistakes are reported. With `onlyOwn` loops over indices that the
/// statement lacks are those of other statements, and left out.
llvm::Optional<NestPlan> planFromMapping(const Chip &chip, const Statement &statement,
                                         loopnest::MappingOp mapping, DiagnosticEngine &diagnostics,
                                         bool onlyOwn = false);

/// Checks that the loops cover each index, that only last passes are partial and that axes have
/// enough lanes. Mistakes are reported where they were written: at a loop, else at `written`, the
/// mapping, which is nowhere for a plan that nobody wrote.
bool checkPlan(const NestPlan &plan, SourceRange written, DiagnosticEngine &diagnostics);
/// Checks that no loop over `index` steps beyond `extent` values of it.
bool checkLength(const NestPlan &plan, unsigned index, int64_t extent, SourceRange written,
                 DiagnosticEngine &diagnostics);
/// Checks that memories have room for the tiles of a plan that passes checkPlan. Tiles whose
/// elements Statement::countsElements only bounds are left to the evaluator, which counts them.
bool checkCapacities(const NestPlan &plan, SourceRange written, DiagnosticEngine &diagnostics);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_NESTPLAN_H
