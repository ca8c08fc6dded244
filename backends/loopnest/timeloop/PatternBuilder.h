// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the children of an array as the tool does. The first child is the one that is analysed;
// each further one is a copy of a child before it, moved by one iteration of one spatial loop.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_PATTERNBUILDER_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_PATTERNBUILDER_H

#include "backends/loopnest/timeloop/SpatialPattern.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

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
  /// Distance in each dimension of the iteration space, and how often the child was reached.
  struct Child {
    Offset distance;
    int64_t visits = 0;
  };
  void spread(unsigned loop, int64_t base, int64_t stride, unsigned source);
  void enumerate(int64_t base, int64_t end);
  void copy(unsigned loop, int64_t base, int64_t end, int64_t stride, unsigned source);
  Offset project(const Space &space, const Offset &distance) const;

  const Input &input;
  const LoopList &list;
  unsigned memory;
  llvm::function_ref<int64_t(unsigned)> endOf;
  llvm::function_ref<void(unsigned, int64_t)> enterIteration;
  std::map<int64_t, Child> children;
  Offset here; ///< distance of the iteration that is being spread
};

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_PATTERNBUILDER_H
