// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A quick guess at the energy and the cycles of a mapping, good enough to order many before the
// best of them are evaluated. What crosses from a memory p to the next one inward c that keeps a
// tensor is |tile of c| * (loops in time outside c, without the innermost ones over dimensions that
// the tensor lacks) * (children that take different words). Windows are taken to share nothing.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_SEARCH_ESTIMATE_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_SEARCH_ESTIMATE_H

#include "backends/loopnest/timeloop/search/Mapspace.h"

namespace perfc::timeloop {

/// pJ and cycles.
struct Estimate {
  double energy = 0;
  double cycles = 0;
};

/// `placements` must be valid in `space`, the mapspace of `input`.
Estimate estimate(const Input &input, const Mapspace &space, const Placements &placements);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_SEARCH_ESTIMATE_H
