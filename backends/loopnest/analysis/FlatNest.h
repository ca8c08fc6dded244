// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nest as evaluation wants it: loops in time and in space as two lists in nest order, with
// resolved steps and positions; memories and arrays as ranges of these lists. Loops of factor 1 are
// gone. The lanes count as one more level below the last memory, which keeps every tensor for no
// longer than a step.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_FLATNEST_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_FLATNEST_H

#include "backends/loopnest/analysis/AnalysisError.h"
#include "backends/loopnest/analysis/Nest.h"

namespace perfc {
namespace loopnest {

struct FlatDrive {
  unsigned dim;
  int64_t step;
};

/// A loop with its steps; index i adds i * step to each dimension driven and, in an array,
/// i * stride to the position on its axis.
struct FlatLoop {
  llvm::SmallVector<FlatDrive, 1> drives;
  int64_t factor;
  unsigned order;     ///< position among all loops of the nest
  unsigned array = 0; ///< parallel loops: index among the arrays
  unsigned axis = 0;
  int64_t stride = 1;
};

/// A memory or the lanes: what is outside it are the first `temporal` loops in time and the first
/// `parallel` loops in space.
struct FlatLevel {
  unsigned temporal;
  unsigned parallel;
  unsigned order;                   ///< loops of the nest outside it
  llvm::SmallVector<bool, 8> keeps; ///< by tensor
};

struct FlatArray {
  const Place *place;
  unsigned begin; ///< its loops in the list of parallel loops
  unsigned end;
};

struct FlatNest {
  const Nest *nest;
  std::vector<FlatLoop> temporal;
  std::vector<FlatLoop> parallel;
  std::vector<FlatLevel> levels; ///< memories outermost first, then the lanes
  std::vector<const Place *> memories;
  std::vector<FlatArray> arrays;
  unsigned output = 0;
  /// No loop drives several dimensions or has a step of its own.
  bool plainLoops = true;

  unsigned lanes() const { return memories.size(); }
  /// The level that serves `level` with `tensor`: the next outward that keeps it.
  unsigned parent(unsigned level, unsigned tensor) const;
  /// What the declared network along the axis of parallel loop `loop` does for `tensor`.
  bool shares(unsigned loop, unsigned tensor) const;
};

/// Resolves a nest that must outlive the result; appends what is wrong to `errors`.
llvm::Optional<FlatNest> flatten(const Nest &nest, std::vector<AnalysisError> &errors);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_FLATNEST_H
