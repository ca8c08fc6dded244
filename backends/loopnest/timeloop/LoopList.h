// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mapping as one list of loops, innermost first: per memory its spatial loops, then its
// temporal ones. Loops of one iteration are left out, but every memory keeps one temporal loop.
// What the analysis asks per loop (steps, extents of tiles, instances in use) is worked out here.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_LOOPLIST_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_LOOPLIST_H

#include "ir/common/Diagnostics.h"
#include "ir/timeloop/Input.h"

namespace perfc::timeloop {

/// Above this a double no longer holds every whole number, and the tool's figures round.
constexpr double exactLimit = 9007199254740992.0;

enum class Axis { Time, X, Y };

struct Loop {
  unsigned dim = 0;
  int64_t end = 1;
  int64_t residual = 1;
  Axis axis = Axis::Time;
  unsigned memory = 0;

  bool isSpatial() const { return axis != Axis::Time; }
  bool isRagged() const { return end != residual; }
};

/// The loops of one memory.
struct Block {
  unsigned first = 0;            ///< its innermost loop
  unsigned boundary = 0;         ///< its outermost loop, always temporal
  unsigned temporal = 0;         ///< its innermost temporal loop
  int64_t width = 1, height = 1; ///< logical extents of its array
  int64_t meshX = 1, meshY = 1;  ///< physical extents

  bool isSpatial() const { return temporal != first; }
  /// The outermost spatial loop.
  unsigned master() const { return temporal - 1; }
  /// The loop with the statistics of what the memory sends.
  unsigned sender() const { return isSpatial() ? master() : first; }
  int64_t children() const { return width * height; }
};

struct LoopList {
  explicit LoopList(const Input &input);

  std::vector<Loop> loops;
  std::vector<Block> blocks; ///< one per memory
  /// Step of each loop in its dimension.
  std::vector<int64_t> step;
  /// [loop][dimension]: extent less 1 of what the loops up to this one cover, in full and in the
  /// last pass.
  std::vector<std::vector<int64_t>> extent, lastExtent;
  /// Instances in use outside each loop; fractional where spatial factors are ragged.
  std::vector<double> inUse;
  /// Per dimension: the loops that step it, innermost first, and the innermost ragged one.
  std::vector<std::vector<unsigned>> ofDim;
  std::vector<llvm::Optional<unsigned>> innermostRagged;
  std::vector<unsigned> raggedDims;

private:
  void addBlock(const Input &input, unsigned memory);
  void measureTiles(unsigned dims);
  void countInstances();
};

/// Checks what holds of a problem and an architecture whatever the mapping: sizes, meshes that
/// divide, tensors below 2^53 elements.
bool checkShape(const Input &input, DiagnosticEngine &diagnostics);

/// Checks what the analysis takes for granted: besides, that factors cover each dimension and that
/// the spatial ones stay within the meshes.
bool checkInput(const Input &input, DiagnosticEngine &diagnostics);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_LOOPLIST_H
