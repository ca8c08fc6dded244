// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often the tile of a tensor changes in a memory: the product of the loops in time outside it
// down to the innermost that indexes the tensor. The loops after that, and the outermost of the
// memory's own, go over the same tile again.
#ifndef PERFC_BACKENDS_LOOPNEST_NESTEPOCHS_H
#define PERFC_BACKENDS_LOOPNEST_NESTEPOCHS_H

#include "backends/loopnest/analysis/Nest.h"

namespace perfc {
namespace loopnest {

struct Reuse {
  double epochs = 1; ///< in which the tile changes
  double rounds = 1; ///< that an epoch goes over it
};

/// For the memory at `position` among the places of `nest`.
Reuse reuseAt(const Nest &nest, size_t position, size_t tensor);

/// Instances of the place at `position` that have work: the parallel loops outside it.
int64_t workingInstances(const Nest &nest, size_t position);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_NESTEPOCHS_H
