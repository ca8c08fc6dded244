// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the children of an array as the tool does. The first child is the one that is analysed;
// each further one is a copy of a child before it, moved by one iteration of one spatial loop.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_PATTERNBUILDER_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_PATTERNBUILDER_H

#include "backends/loopnest/timeloop/SpatialPattern.h"
#include "llvm/ADT/STLExtras.h"
#include <memory>

namespace perfc::timeloop {

class PatternBuilder {
public:
  /// `endOf` gives the iterations that a loop has now; `enterIteration` is told each iteration of
  /// a loop, since inner loops may depend on it.
  PatternBuilder(const Input &input, const LoopList &list, unsigned memory,
                 llvm::function_ref<int64_t(unsigned)> endOf,
                 llvm::function_ref<void(unsigned, int64_t)> enterIteration);

  std::unique_ptr<SpatialPattern> build();

private:
  int64_t *distance(int64_t child) { return &distances[static_cast<size_t>(child) * dims.size()]; }
  void reach(int64_t child) {
    isKnown[static_cast<size_t>(child)] = true;
    ++visits[static_cast<size_t>(child)];
  }
  void spread(unsigned loop, int64_t base, int64_t stride, unsigned source);
  void enumerate(int64_t base, int64_t end);
  void copy(unsigned loop, int64_t base, int64_t end, int64_t stride, unsigned source);
  Distances project(const Space &space, llvm::ArrayRef<int64_t> children);

  const Input &input;
  const LoopList &list;
  unsigned memory;
  llvm::function_ref<int64_t(unsigned)> endOf;
  llvm::function_ref<void(unsigned, int64_t)> enterIteration;
  std::vector<unsigned> dims;     ///< those that the array's loops step
  std::vector<unsigned> numberOf; ///< by dimension: its number among them
  /// By child number: its distance in each of `dims`, how often it was reached, and whether it was
  /// met at all.
  std::vector<int64_t> distances, visits;
  std::vector<bool> isKnown;
  std::vector<int64_t> here; ///< distance of the iteration that is being spread
};

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_PATTERNBUILDER_H
